import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { type FailureName, failure } from '../../../../generated/errors.js'
import type { HandledRequest } from '../../../../src/gateway/request/handled-request.js'
import { QueryError } from '../../../../src/gateway/store/connection.js'
import { createLog } from '../../../../src/gateway/telemetry/log.js'
import { logRequests } from '../../../../src/gateway/telemetry/log-requests.js'
import { countRequests, Metrics } from '../../../../src/gateway/telemetry/metrics.js'

const raw = new IncomingMessage(new Socket())
const request = {
  method: 'POST',
  raw,
  headers: {},
  params: {},
  ip: '192.0.2.1',
  response: new ServerResponse(raw),
  readBody: () => '',
}

/** The handling of a request that is refused. */
const refusing =
  (name: FailureName, details = {}) =>
  async (): Promise<HandledRequest> => ({
    refusal: failure(name, details),
    answer: { status: 503, headers: {}, body: '{}' },
    calls: [],
  })

t.test('a refusal whose cause is in the service is logged with it, without the parameters', async (t) => {
  const lines: unknown[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line)))
  const query = new QueryError({ message: 'no route to host', code: undefined, constraint: undefined })
  const cause = new Error('Failed query: select … params: sealed', { cause: query })
  const { answer } = await logRequests(log)(refusing('keyLookupFailed', { cause }))(request)
  const requestId = Object.entries(answer?.headers ?? {}).find(([name]) => /^x-request-id$/i.test(name))?.[1]
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
    access: {},
  } as const
  const call = (nodeCalls: number) => ({
    text: undefined,
    error: undefined,
    method: 'eth_getLogs',
    milliseconds: 2,
    nodeCalls,
  })
  const handled: HandledRequest = {
    key,
    answer: { status: 200, headers: {}, body: '[]' },
    calls: [call(99), call(100), { ...call(1), ended: Promise.resolve(call(1_600)) }],
  }
  await logRequests(log)(async () => handled)(request)
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
  const count = countRequests(metrics, { count: () => undefined })
  await count(refusing('wrongNetwork', { values: { network: 'main' } }))(request)
  await count(refusing('refusedKey'))(request)
  await count(refusing('refusedKey'))(request)
  t.same(
    [...metrics.refused],
    [
      ['wrongNetwork', 1],
      ['refusedKey', 2],
    ],
  )
})
