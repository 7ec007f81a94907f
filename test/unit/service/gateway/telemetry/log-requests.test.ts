import t from 'tap'
import { type FailureName, failure } from '../../../../../generated/errors.js'
import { createLog, QueryError } from '../../../../../src/service/gateway/index.js'
import { RequestEvent } from '../../../../../src/service/gateway/request/index.js'
import { RequestContext } from '../../../../../src/service/gateway/request/request-context.js'
import { countRequests, logRequests, Metrics } from '../../../../../src/service/gateway/telemetry/index.js'

const request = { method: 'POST', headers: {}, ip: '192.0.2.1' }

/** The event of a request that is refused. */
const refusing = (name: FailureName, details = {}) =>
  new RequestEvent({
    context: undefined,
    request,
    status: 503,
    refusal: failure(name, details),
    calls: [],
  })

t.test('a refusal whose cause is in the service is logged with it, without the parameters', async (t) => {
  const lines: unknown[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line)))
  const query = new QueryError({ message: 'no route to host', code: undefined, constraint: undefined })
  const cause = new Error('Failed query: select … params: sealed', { cause: query })
  const event = refusing('keyLookupFailed', { cause })
  logRequests(log)(event)
  const requestId = Object.entries(event.headers ?? {}).find(([name]) => /^x-request-id$/i.test(name))?.[1]
  t.type(requestId, 'string')
  const refused = { requestId, failure: 'keyLookupFailed', cause: 'QueryError: no route to host' }
  t.match(lines, [{ level: 50, requestId, kind: 'errorWithCause' }, refused])
  t.notMatch(JSON.stringify(lines[1]), 'sealed')
})

t.test('a request with many calls to nodes is logged without an error, with its key', async (t) => {
  const lines: unknown[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line)))
  const key = {
    id: 'key_1',
    userId: 'usr_1',
    network: 'test',
    dailyLimit: null,
    monthlyLimit: null,
    userDailyLimit: null,
    access: {},
  } as const
  const network = { answer: () => null }
  const context = new RequestContext({ key, network, origin: undefined, trace: undefined })
  for (const [index, calls] of [99, 100, 1_600].entries())
    for (let call = 0; call < calls; call++) context.countNodeCall(index)
  const call = { method: 'eth_getLogs', params: [], error: undefined, milliseconds: 2, ended: undefined }
  const ended = Promise.resolve({ error: undefined, milliseconds: 3 })
  const calls = [call, call, { ...call, ended }]
  logRequests(log)(new RequestEvent({ context, request, status: 200, refusal: undefined, calls }))
  await new Promise(setImmediate)
  const line = { level: 30, keyId: 'key_1', method: 'eth_getLogs' }
  t.match(lines, [
    { ...line, nodeCalls: 100, msg: 'request answered with many calls to nodes' },
    { ...line, nodeCalls: 1_600 },
  ])
  t.equal(lines.length, 2)
})

t.test('refusals are counted by the names of their failures', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  const count = countRequests(metrics, { count: () => undefined }, { note: () => undefined })
  count(refusing('wrongNetwork', { values: { network: 'main' } }))
  count(refusing('refusedKey'))
  count(refusing('refusedKey'))
  t.same(
    [...metrics.refused],
    [
      ['wrongNetwork', 1],
      ['refusedKey', 2],
    ],
  )
})
