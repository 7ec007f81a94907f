import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { limits } from '../../../../generated/contract.js'
import { tuningDefaults as tuning } from '../../../../src/gateway/app/config/tuning.js'
import { createRequestQueue, type QueueLimits } from '../../../../src/gateway/quota/request-queue.js'
import type { Caller } from '../../../../src/gateway/request/caller.js'
import {
  createServiceProtocol,
  type ServiceProtocolOptions,
} from '../../../../src/gateway/request/service-protocol.js'
import { createLog } from '../../../../src/gateway/telemetry/log.js'

/** The charged requests of the last protocol, in order. */
let charged: number[] = []

/** A protocol whose `eth_getCode` answers have this many bytes, with this many places per user. */
function protocolOf(
  bytes: number,
  places = 1,
  answerBytesAtOnce = tuning.answerBytesAtOnce,
  onResponse: ServiceProtocolOptions['requestLog']['onResponse'] = () => undefined,
  queueLimits: Partial<QueueLimits> = {},
) {
  charged = []
  const answer = async () => `0x${'0'.repeat(bytes)}`
  return createServiceProtocol({
    networks: { test: { answer } },
    charge(_caller, requests) {
      charged.push(requests)
      return { admitted: requests, headers: { ratelimit: 'here' } }
    },
    queue: createRequestQueue({ ...limits, ...tuning, requestsAtOncePerUser: places, ...queueLimits }),
    tuning: { ...tuning, answerBytesAtOnce },
    document: Buffer.from('{}'),
    log: createLog('silent', () => undefined),
    requestLog: { onResponse },
  } satisfies Partial<ServiceProtocolOptions> as unknown as ServiceProtocolOptions)
}

const callerOf = (userId = 'usr_1') =>
  ({
    id: 'key_1',
    userId,
    network: 'test',
    response: new ServerResponse(new IncomingMessage(new Socket())),
    startedAt: 0,
    access: {},
    inBatch: false,
    heldBytes: 0,
    answerBytes: 0,
  }) as unknown as Caller

const params = [`0x${'a1'.repeat(20)}`, 'latest']
const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }))

t.test('a place is released after a small answer', async (t) => {
  const protocol = protocolOf(100)
  for (let sent = 0; sent < 3; sent++) t.equal((await protocol.handle(body, callerOf())).status, 200)
})

t.test(
  'after a large answer the place is released when the answer was read or the caller disconnected',
  async (t) => {
    const protocol = protocolOf(100_000)
    const first = callerOf()
    t.equal((await protocol.handle(body, first)).status, 200)
    let isAnswered = false
    const second = callerOf()
    const answer = Promise.resolve(protocol.handle(body, second)).finally(() => {
      isAnswered = true
    })
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    t.notOk(isAnswered, 'the first answer has not been read')
    ;(first.response as ServerResponse).emit('close')
    t.equal((await answer).status, 200)
    ;(second.response as ServerResponse).emit('close')
    const gone = callerOf()
    gone.response.destroy()
    t.equal((await protocol.handle(body, gone)).status, 200)
    t.equal(
      (await protocol.handle(body, callerOf())).status,
      200,
      'the caller of the previous answer disconnected',
    )
  },
)

t.test('requests that the queue refuses are answered with their ids and not charged', async (t) => {
  const noRoom = { queuedRequestsPerUser: 1, queuedRequests: 1, queueSeconds: 0.05 }
  const protocol = protocolOf(100_000, 1, undefined, undefined, noRoom)
  const ask = async (caller: Caller, asked: unknown = JSON.parse(body.toString())) => {
    const answer = await protocol.handle(JSON.stringify(asked), caller)
    return { ...answer, json: JSON.parse(String(answer.body)) }
  }
  const [one, other] = [callerOf('usr_1'), callerOf('usr_2')]
  t.match(await ask(one), { status: 200 })
  t.match(await ask(other), { status: 200 })
  const late = ask(callerOf('usr_1'))
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
  t.match(await ask(callerOf('usr_1'), batch), {
    status: 429,
    headers: { ratelimit: 'here', 'retry-after': '1' },
    json: { id: null, error: { code: -32005 } },
  })
  const unavailable = { headers: { ratelimit: 'here', 'retry-after': '1' }, status: 503 }
  const error = { code: -32002 }
  t.match(await ask(callerOf('usr_2')), { ...unavailable, json: { id: 1, error } }, 'of all users')
  t.match(await late, { ...unavailable, json: { id: 1, error } }, 'it waited too long')
  t.same(charged, [1, 1, 0, 0, 0])
})

t.test('a caller who leaves the queue is not charged', async (t) => {
  const protocol = protocolOf(100_000)
  const first = callerOf()
  t.equal((await protocol.handle(body, first)).status, 200)
  const leaver = callerOf()
  const answer = protocol.handle(body, leaver)
  ;(leaver.response as ServerResponse).emit('close')
  t.equal((await answer).body, null)
  ;(first.response as ServerResponse).emit('close')
  t.equal((await protocol.handle(body, callerOf())).status, 200, 'the next request takes its turn')
  t.same(charged, [1, 1])
})

t.test('unread large answers are limited, for each user and for all', async (t) => {
  const protocol = protocolOf(100_000, 10, 1_000_000)
  const ask = async (caller: Caller) => (await protocol.handle(body, caller)).status
  const [first, second] = [callerOf(), callerOf()]
  t.same([await ask(first), await ask(second)], [200, 200])
  const refused = await protocol.handle(body, callerOf())
  t.match(refused, { status: 503, headers: { ratelimit: 'here', 'retry-after': '1' } })
  t.match(JSON.parse(String(refused.body)), { error: { code: -32002 } })
  ;(first.response as ServerResponse).emit('close')
  t.equal(await ask(callerOf()), 200, 'an answer was read')
  for (const user of ['usr_2', 'usr_3', 'usr_4'])
    t.same([await ask(callerOf(user)), await ask(callerOf(user))], [200, 200], user)
  t.same([await ask(callerOf('usr_5')), await ask(callerOf('usr_6'))], [200, 503])
})

t.test('an answer larger than the user’s share is sent when the user has no other', async (t) => {
  const protocol = protocolOf(400_000, 10, 1_000_000)
  const statuses = []
  for (const user of ['usr_1', 'usr_1', 'usr_2'])
    statuses.push((await protocol.handle(body, callerOf(user))).status)
  t.same(statuses, [200, 503, 200])
})

t.test(
  'an answer without room becomes an error with the id of its request, and is reported as one',
  async (t) => {
    const told: unknown[] = []
    const protocol = protocolOf(300_000, 10, 1_000_000, (method, error) =>
      told.push([method?.name, error?.code]),
    )
    const ask = async (asked: unknown, caller: Caller) => {
      const answer = await protocol.handle(Buffer.from(JSON.stringify(asked)), caller)
      return { status: answer.status, answers: JSON.parse(String(answer.body)) }
    }
    const getCode = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'eth_getCode', params })
    const first = callerOf('usr_1')
    t.match(await ask([getCode(1), getCode('two')], first), {
      status: 200,
      answers: [
        { id: 1, result: /^0x/ },
        { id: 'two', result: /^0x/ },
      ],
    })
    const unavailable = { error: { code: -32002, message: 'The service is overloaded' } }
    t.match(await ask(getCode(3), callerOf('usr_1')), { status: 503, answers: { id: 3, ...unavailable } })
    const last = await ask(
      [getCode(4), getCode('five'), { ...getCode(6), method: 'eth_chainId', params: [] }],
      callerOf(),
    )
    t.match(last.answers, [
      { id: 4, ...unavailable },
      { id: 'five', ...unavailable },
      { id: 6, ...unavailable },
    ])
    t.same(told, [
      ['eth_getCode', undefined],
      ['eth_getCode', undefined],
      ['eth_getCode', -32002],
      ['eth_getCode', -32002],
      ['eth_getCode', -32002],
      ['eth_chainId', -32002],
    ])
    ;(first.response as ServerResponse).emit('close')
    t.match(await ask(getCode(7), callerOf('usr_1')), { status: 200, answers: { id: 7, result: /^0x/ } })
  },
)

t.test('a short answer is sent without room, also next to large ones', async (t) => {
  const protocol = protocolOf(300_000, 10, 310_000)
  const full = callerOf()
  t.equal((await protocol.handle(body, full)).status, 200)
  const discover = { jsonrpc: '2.0', id: 2, method: 'rpc.discover', params: [] }
  const asked = [{ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }, discover]
  const answer = await protocol.handle(Buffer.from(JSON.stringify(asked)), callerOf('usr_2'))
  t.match(JSON.parse(String(answer.body)), [
    { id: 1, error: { code: -32002 } },
    { id: 2, result: {} },
  ])
})
