import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import type { Caller } from '../../../src/gateway/caller.js'
import { createLog } from '../../../src/gateway/ops/log.js'
import { createRequestsAtOnce } from '../../../src/gateway/quota/requests-at-once.js'
import { createServiceProtocol, type ServiceProtocolOptions } from '../../../src/gateway/service-protocol.js'

/** A protocol whose calls of eth_getCode answer so many bytes, for users with one place each. */
function protocolOf(bytes: number) {
  const answer = async () => `0x${'0'.repeat(bytes)}`
  return createServiceProtocol({
    answer: { test: answer, main: answer },
    charge: (_caller, requests) => ({ admitted: requests }),
    requestsAtOnce: createRequestsAtOnce(1),
    document: Buffer.from('{}'),
    log: createLog('silent', () => undefined),
    requestLog: { onResponse: () => undefined },
  } satisfies Partial<ServiceProtocolOptions> as unknown as ServiceProtocolOptions)
}

const callerOf = () =>
  ({
    id: 'key_1',
    userId: 'usr_1',
    network: 'test',
    response: new ServerResponse(new IncomingMessage(new Socket())),
    startedAt: 0,
    access: {},
    inBatch: false,
    heldBytes: 0,
  }) as unknown as Caller

const params = [`0x${'a1'.repeat(20)}`, 'latest']
const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }))

t.test('a place is free again behind a small answer', async (t) => {
  const protocol = protocolOf(100)
  for (let sent = 0; sent < 3; sent++) t.equal((await protocol.handle(body, callerOf())).status, 200)
})

t.test('behind a large one it is free when the answer was taken, or the caller is gone', async (t) => {
  const protocol = protocolOf(100_000)
  const first = callerOf()
  t.equal((await protocol.handle(body, first)).status, 200)
  t.equal((await protocol.handle(body, callerOf())).status, 429, 'it waits to be taken')
  ;(first.response as ServerResponse).emit('close')
  const second = callerOf()
  second.response.destroy()
  t.equal((await protocol.handle(body, second)).status, 200)
  t.equal((await protocol.handle(body, callerOf())).status, 200, 'nobody waits for the one before')
})
