import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { failure } from '../../../../generated/errors.js'
import { QueryError } from '../../../../src/gateway/store/connection.js'
import { createLog } from '../../../../src/gateway/telemetry/log.js'
import { Metrics } from '../../../../src/gateway/telemetry/metrics.js'
import { createRequestLog } from '../../../../src/gateway/telemetry/request-log.js'

t.test('a server failure is logged with its cause and without the parameters', async (t) => {
  const lines: unknown[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line)))
  const requestLog = createRequestLog(log, new Metrics(['test', 'main']), { count: () => undefined })
  const query = new QueryError({ message: 'no route to host', code: undefined, constraint: undefined })
  const statement = new Error('Failed query: select … params: sealed', { cause: query })
  const raw = new IncomingMessage(new Socket())
  const refuse = requestLog.noting(() => Promise.reject(failure('keyLookupFailed', { cause: statement })))
  const request = { raw, headers: {}, params: {}, ip: '192.0.2.1' }
  const response = new ServerResponse(raw)
  const reply = { raw: response, hijack: () => undefined }
  await t.rejects(async () => refuse(request, reply), { code: -32002 })
  const requestId = response.getHeader('x-request-id')
  t.match(lines, [{ requestId, failure: 'keyLookupFailed', cause: 'QueryError: no route to host' }])
  t.notMatch(JSON.stringify(lines), 'sealed')
})

t.test('a failure whose message contains a value is counted by its name', async (t) => {
  const metrics = new Metrics(['test', 'main'])
  const log = createLog('silent', () => undefined)
  const requestLog = createRequestLog(log, metrics, { count: () => undefined })
  const raw = new IncomingMessage(new Socket())
  const reply = { raw: new ServerResponse(raw), hijack: () => undefined }
  const refuse = requestLog.noting(() => {
    throw failure('wrongNetwork', { values: { network: 'main' } })
  })
  t.throws(() => refuse({ raw, headers: {}, params: {}, ip: '192.0.2.1' }, reply), { code: -32016 })
  t.same([...metrics.refused], [['wrongNetwork', 1]])
})
