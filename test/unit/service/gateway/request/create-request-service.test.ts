import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { serviceEndpoint } from '../../../../../src/runtime/server/http/protocol-endpoint.js'
import type {
  Answer,
  Body,
  EdgeRequest,
  Limits,
  RequestReport,
} from '../../../../../src/runtime/server/index.js'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { divideMemory } from '../../../../../src/service/gateway/app/memory-shares.js'
import type { AcceptedKey } from '../../../../../src/service/gateway/keys/index.js'
import { createClientAccess, createRefusedAddresses } from '../../../../../src/service/gateway/keys/index.js'
import { createKeyCache } from '../../../../../src/service/gateway/keys/lookup/key-cache.js'
import type { Standing } from '../../../../../src/service/gateway/quota/index.js'
import type { FindKey } from '../../../../../src/service/gateway/request/find-key.js'
import type { RequestNetwork } from '../../../../../src/service/gateway/request/find-network.js'
import type { RequestContext } from '../../../../../src/service/gateway/request/index.js'
import {
  createContext,
  createFindKey,
  createFindNetwork,
  createRequestService,
} from '../../../../../src/service/gateway/request/index.js'

const memory = divideMemory(tuning.memoryPercent, 1_073_741_824)

/** Bytes of logs that a request may hold. */
const mostLogBytes = limits.logsHeldBytes

/** What the requests of the last pipeline were charged, in order. */
let charged: number[] = []

/** Work for nodes that outlasts the next requests. */
let workLeft: Promise<void> | undefined

const keyOf = (userId: string, access: AcceptedKey['access'] = {}): AcceptedKey => ({
  id: 'key_1',
  userId,
  network: 'test',
  dailyLimit: null,
  monthlyLimit: null,
  userDailyLimit: null,
  access,
})

const standing: Standing = {
  period: 'day',
  limit: 9,
  remaining: 9,
  used: 0,
  resetAt: Date.parse('2030-01-02T00:00:00Z'),
  secondsToReset: 90_000,
}
const spent = { ...standing, remaining: 0 }

/** A service whose calls of eth_getCode answer so many bytes, for users with so many concurrent requests each. */
function pipelineOf(
  bytes: number,
  places = 1,
  answerBytes = memory.answerBytes,
  limits: Partial<Limits> = {},
  spentUsers: readonly string[] = [],
  bodyBytes = memory.bodyBytes,
  queuedRequests = tuning.queuedRequests,
  findKey: FindKey = ({ params }) => (params as object as { readonly found: AcceptedKey }).found,
  served = true,
) {
  charged = []
  const answer: RequestNetwork['answer'] = async (_method, params, caller) => {
    if (workLeft !== undefined) caller.keepPlace?.(workLeft)
    if (params[1] === 'pending') return [mostLogBytes, 1, -1, 1].map((held) => caller.holdLogs(held))
    if (params[1] === 'earliest') caller.countNodeCall?.()
    caller.countNodeCall?.()
    return `0x${'0'.repeat(bytes)}`
  }
  const reports: RequestReport<RequestContext>[] = []
  const service = createRequestService({
    quota: {
      take(_key, admitted) {
        charged.push(admitted)
        return { admitted, standings: [standing], refusing: undefined }
      },
      spent: ({ userId }) =>
        spentUsers.includes(userId) ? { admitted: 0, standings: [spent], refusing: spent } : undefined,
    },
    memory: { ...memory, bodyBytes, answerBytes },
    queuedRequests,
    compressionsAtOnce: 0,
    batchCallsAtOnce: tuning.batchCallsAtOnce,
    limits: { requestsAtOncePerUser: places, ...limits },
    onRequest(report) {
      reports.push(report)
      return undefined
    },
  })
  const context = createContext({
    findKey,
    findNetwork: createFindNetwork(served ? { test: { answer } } : {}, {}),
    requireClientAllowed: createClientAccess(),
  })
  const endpoint = serviceEndpoint({ service, context }, (request: EdgeRequest) => request)
  return async (request: EdgeRequest, problem?: 'wrongVerb') => {
    const answer = await endpoint.handle(request, problem)
    const { calls = [], refusal, context } = reports.find((report) => report.request === request) ?? {}
    const counted = calls.map((call, index) => ({ ...call, nodeCalls: context?.nodeCallsOf(index) }))
    return { answer, calls: counted, refusal, key: context?.key }
  }
}

type Pipeline = ReturnType<typeof pipelineOf>

/** A request of a user whose body is sent later. */
function callerOf(userId = 'usr_1', found = keyOf(userId)): Omit<EdgeRequest, 'readBody'> {
  const raw = new IncomingMessage(new Socket())
  const headers = { 'content-type': 'application/json', 'content-length': '100' }
  const response = new ServerResponse(raw)
  const params = { found } as object as EdgeRequest['params']
  return { raw, method: 'POST', headers, params, ip: '192.0.2.1', response, arrivedBody: () => undefined }
}

async function handle(
  pipeline: Pipeline,
  sent: Body,
  caller: Omit<EdgeRequest, 'readBody'>,
): Promise<Answer> {
  const { answer } = await pipeline({ ...caller, readBody: () => sent })
  if (answer === undefined) throw new TypeError('there is no answer')
  return answer
}

const params = [`0x${'a1'.repeat(20)}`, 'latest']
const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }))

t.test('a place is released after a small answer', async (t) => {
  const pipeline = pipelineOf(100)
  for (let sent = 0; sent < 3; sent++) t.equal((await handle(pipeline, body, callerOf())).status, 200)
})

t.test(
  'after a large answer the place is released when the answer was read or the caller disconnected',
  async (t) => {
    const pipeline = pipelineOf(100_000)
    const first = callerOf()
    t.equal((await handle(pipeline, body, first)).status, 200)
    let isAnswered = false
    const second = callerOf()
    const answer = Promise.resolve(handle(pipeline, body, second)).finally(() => {
      isAnswered = true
    })
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    t.notOk(isAnswered, 'the first answer has not been read')
    ;(first.response as ServerResponse).emit('close')
    t.equal((await answer).status, 200)
    ;(second.response as ServerResponse).emit('close')
    const gone = callerOf()
    gone.response.destroy()
    t.equal((await handle(pipeline, body, gone)).status, 200)
    t.equal(
      (await handle(pipeline, body, callerOf())).status,
      200,
      'the caller of the previous answer disconnected',
    )
  },
)

t.test(
  'the place and the memory of a body are kept while nodes work for a disconnected caller',
  async (t) => {
    const pipeline = pipelineOf(100, 1, memory.answerBytes, {}, [], 20_000)
    const ask = (sent: Body, userId = 'usr_1') => {
      const caller = callerOf(userId)
      const headers = { ...caller.headers, 'content-length': String(sent.length) }
      const answer = handle(pipeline, sent, { ...caller, headers })
      return { answer, leave: () => (caller.response as ServerResponse).emit('close') }
    }
    const large = Buffer.from(body.toString().padEnd(limits.smallBodyBytes + 1))
    let end = () => {}
    workLeft = new Promise((resolve) => {
      end = resolve
    })
    const first = ask(large)
    await first.answer
    first.leave()
    workLeft = undefined
    t.equal((await ask(large, 'usr_2').answer).status, 503, 'the memory of all users is used up')
    let isAnswered = false
    const second = ask(body).answer.finally(() => {
      isAnswered = true
    })
    for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
    t.notOk(isAnswered)
    end()
    t.equal((await second).status, 200)
    t.equal((await ask(large, 'usr_2').answer).status, 200)
  },
)

t.test('requests that the queue refuses are answered with their ids and not charged', async (t) => {
  const noRoom = { queuedRequestsPerUser: 1, queueSeconds: 0.05 }
  const pipeline = pipelineOf(100_000, 1, undefined, noRoom, [], undefined, 1)
  const ask = async (caller: ReturnType<typeof callerOf>, asked: unknown = JSON.parse(body.toString())) => {
    const answer = await handle(pipeline, JSON.stringify(asked), caller)
    return { ...answer, json: JSON.parse(String(answer.body)) }
  }
  const [one, other] = [callerOf('usr_1'), callerOf('usr_2')]
  t.match(await ask(one), { status: 200 })
  t.match(await ask(other), { status: 200 })
  const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' }))
  // In one turn of the event loop, in which no time passes for the queue.
  const late = ask(callerOf('usr_1'))
  const second = ask(callerOf('usr_1'), batch)
  const ofOther = ask(callerOf('usr_2'))
  const headers = { RateLimit: /r=9/, 'retry-after': '1' }
  const [ownLimit, unavailable] = [{ code: -32005 }, { code: -32002 }]
  t.match(await second, {
    ...{ status: 429, headers },
    json: { id: null, error: ownLimit },
  })
  t.match(await ofOther, { status: 503, headers, json: { id: 1, error: unavailable } }, 'of all users')
  t.match(await late, { status: 429, headers, json: { id: 1, error: ownLimit } }, 'it waited too long')
  t.same(charged, [1, 1, 0, 0, 0])
})

t.test('a caller who leaves the queue is not charged', async (t) => {
  const pipeline = pipelineOf(100_000)
  const first = callerOf()
  t.equal((await handle(pipeline, body, first)).status, 200)
  const leaver = callerOf()
  const answer = handle(pipeline, body, leaver)
  await new Promise(setImmediate)
  ;(leaver.response as ServerResponse).emit('close')
  t.equal((await answer).body, null)
  ;(first.response as ServerResponse).emit('close')
  t.equal((await handle(pipeline, body, callerOf())).status, 200, 'the next request takes its turn')
  t.same(charged, [1, 1])
})

t.test('unread large answers are limited, for each user and for all', async (t) => {
  const pipeline = pipelineOf(100_000, 10, 1_000_000)
  const ask = async (caller: ReturnType<typeof callerOf>) => (await handle(pipeline, body, caller)).status
  const [first, second] = [callerOf(), callerOf()]
  t.same([await ask(first), await ask(second)], [200, 200])
  const refused = await handle(pipeline, body, callerOf())
  t.match(refused, { status: 503, headers: { RateLimit: /r=9/, 'retry-after': '1' } })
  t.match(JSON.parse(String(refused.body)), { error: { code: -32002 } })
  ;(first.response as ServerResponse).emit('close')
  t.equal(await ask(callerOf()), 200, 'an answer was read')
  for (const user of ['usr_2', 'usr_3', 'usr_4'])
    t.same([await ask(callerOf(user)), await ask(callerOf(user))], [200, 200], user)
  t.same([await ask(callerOf('usr_5')), await ask(callerOf('usr_6'))], [200, 503])
})

t.test('an answer larger than the user’s share is sent when the user has no other', async (t) => {
  const pipeline = pipelineOf(400_000, 10, 1_000_000)
  const statuses = []
  for (const user of ['usr_1', 'usr_1', 'usr_2'])
    statuses.push((await handle(pipeline, body, callerOf(user))).status)
  t.same(statuses, [200, 503, 200])
})

t.test(
  'an answer without room becomes an error with the id of its request, and is reported as one',
  async (t) => {
    const told: unknown[] = []
    const pipeline = pipelineOf(300_000, 10, 1_000_000)
    const ask = async (asked: unknown, caller: ReturnType<typeof callerOf>) => {
      const body = Buffer.from(JSON.stringify(asked))
      const { answer, calls } = await pipeline({ ...caller, readBody: () => body })
      for (const { method, error } of calls) told.push([method, error?.code])
      return { status: answer?.status, answers: JSON.parse(String(answer?.body)) }
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

t.test('each call of a request reports its own node calls', async (t) => {
  const pipeline = pipelineOf(100)
  const getCode = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [params[0], 'earliest'] }
  const nodeCalls = async (asked: unknown) => {
    const caller = callerOf()
    const { calls } = await pipeline({ ...caller, readBody: () => JSON.stringify(asked) })
    // The document of rpc.discover is a large answer: its place is released when it was read.
    ;(caller.response as ServerResponse).emit('close')
    return calls.map(({ nodeCalls }) => nodeCalls)
  }
  t.same(await nodeCalls(getCode), [2])
  t.same(
    await nodeCalls([getCode, { ...getCode, params }, { ...getCode, params: [] }, getCode]),
    [2, 1, 0, 2],
  )
  t.same(await nodeCalls({ ...getCode, method: 'rpc.discover', params: [] }), [0])
  t.same(await nodeCalls('nonsense'), [0])
})

t.test('a request holds logs up to the limit, and again after it has released some', async (t) => {
  const asked = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [params[0], 'pending'] }
  const { body: answered } = await handle(pipelineOf(100), JSON.stringify(asked), callerOf())
  t.match(JSON.parse(String(answered)), { result: [true, false, true, true] })
})

t.test('a short answer is sent without room, also next to large ones', async (t) => {
  const pipeline = pipelineOf(300_000, 10, 310_000)
  const full = callerOf()
  t.equal((await handle(pipeline, body, full)).status, 200)
  const unknown = { jsonrpc: '2.0', id: 2, method: 'eth_unknown', params: [] }
  const asked = [{ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params }, unknown]
  const answer = await handle(pipeline, Buffer.from(JSON.stringify(asked)), callerOf('usr_2'))
  t.match(JSON.parse(String(answer.body)), [
    { id: 1, error: { code: -32002 } },
    { id: 2, error: { code: -32601 } },
  ])
})

t.test('a body that is not read is refused with its headers, free of charge', async (t) => {
  const pipeline = pipelineOf(100)
  const caller = callerOf()
  const text = { ...caller, headers: { ...caller.headers, 'content-type': 'text/plain' } }
  t.match(await handle(pipeline, body, text), { status: 415, headers: { RateLimit: /r=9/ } })
  const long = { ...caller, headers: { ...caller.headers, 'content-length': `${limits.bodyBytes + 1}` } }
  t.match(await handle(pipeline, body, long), { status: 413, headers: { RateLimit: /r=9/ } })
  t.same(charged, [0, 0])
})

/** The caller with a body of this announced size; `chunked` for an unknown size. */
function announcing(bytes: number | 'chunked', caller = callerOf()): Omit<EdgeRequest, 'readBody'> {
  const { 'content-length': _, ...headers } = caller.headers
  const size = bytes === 'chunked' ? { 'transfer-encoding': bytes } : { 'content-length': String(bytes) }
  return { ...caller, headers: { ...headers, ...size } }
}

const unread = (): never => {
  throw new Error('the body was read')
}

t.test('a method off the key’s list does not exist, whatever its parameters', async (t) => {
  const pipeline = pipelineOf(100)
  const key = keyOf('usr_1', { methods: ['eth_getCode'] })
  const ask = async (method: string, sent: readonly unknown[]) => {
    const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent })
    return JSON.parse(String((await handle(pipeline, call, callerOf('usr_1', key))).body))
  }
  t.match(await ask('eth_getCode', params), { result: /^0x/ })
  t.match(await ask('eth_getCode', ['wrong']), { error: { code: -32602 } })
  t.match(await ask('eth_sendRawTransaction', [`0x${'f8'.repeat(100)}`]), {
    error: { code: -32601, message: 'the method eth_sendRawTransaction does not exist/is not available' },
  })
  t.match(await ask('eth_call', ['wrong']), { error: { code: -32601 } })
  t.match(await ask('rpc.discover', []), { result: {} })
})

t.test('of a spent limit, only small bodies are read', async (t) => {
  const pipeline = pipelineOf(100_000, 1, undefined, {}, ['usr_1'])
  const refused = { status: 429, headers: { RateLimit: /r=0/ } }
  for (const bytes of [limits.smallBodyBytes + 1, limits.bodyBytes, 'chunked'] as const) {
    const { answer, calls } = await pipeline({ ...announcing(bytes), readBody: unread })
    t.match(answer, refused, String(bytes))
    t.match(JSON.parse(String(answer?.body)), { id: null, error: { code: -32005 } })
    t.match(calls, [{ method: undefined, error: { failure: 'quotaSpent' }, milliseconds: 0 }])
  }
  const small = `${body}`.padEnd(limits.smallBodyBytes)
  const { answer, calls } = await pipeline({ ...announcing(small.length), readBody: async () => small })
  t.match(answer, refused)
  t.match(JSON.parse(String(answer?.body)), { id: 1, error: { code: -32005 } })
  t.match(calls, [{ method: 'eth_getCode', error: { failure: 'quotaSpent' } }])
  const batch = await handle(pipeline, `[${body},${body}]`, callerOf())
  t.match(batch, refused)
  t.match(JSON.parse(String(batch.body)), { id: null, error: { code: -32005 } })
  t.match(await pipeline({ ...callerOf(), readBody: () => undefined }), { answer: undefined, calls: [] })
  t.same(charged, [])
})

t.test('requests of a spent limit do not wait in the queue and take no memory', async (t) => {
  const spent: string[] = []
  const pipeline = pipelineOf(100_000, 1, undefined, { queuedRequestsPerUser: 0 }, spent)
  const working = callerOf()
  t.equal((await handle(pipeline, body, working)).status, 200)
  spent.push('usr_1')
  for (let sent = 0; sent < 100; sent++) {
    const { answer } = await pipeline({ ...announcing(limits.bodyBytes), readBody: unread })
    t.match(answer, { status: 429, headers: { RateLimit: /r=0/ } })
    t.match(await handle(pipeline, body, callerOf()), { status: 429, headers: { RateLimit: /r=0/ } })
  }
})

t.test('a large body is not read if the queue of its user is full', async (t) => {
  const pipeline = pipelineOf(100_000, 1, undefined, { queuedRequestsPerUser: 1, queueSeconds: 0.05 })
  const working = callerOf()
  t.equal((await handle(pipeline, body, working)).status, 200)
  const large = announcing(limits.smallBodyBytes + 1)
  // In one turn of the event loop, in which no time passes for the queue.
  const waiting = pipeline({ ...large, readBody: () => body })
  const stated = pipeline({ ...announcing(20_000), readBody: unread })
  const chunked = pipeline({ ...announcing('chunked'), readBody: unread })
  t.match(await stated, {
    answer: { status: 429, headers: { RateLimit: /r=9/, 'retry-after': '1' } },
    calls: [{ error: { failure: 'tooManyCallsAtOnce' } }],
  })
  t.match(await chunked, { answer: { status: 429 } })
  t.match(await waiting, { calls: [{ error: { failure: 'queuedTooLong' } }] })
})

t.test('a body that would not fit into the queue is not read while its user waits', async (t) => {
  const pipeline = pipelineOf(100_000, 1, undefined, { queuedBytesPerUser: 30_000, queueSeconds: 0.05 })
  t.equal((await handle(pipeline, body, callerOf())).status, 200)
  t.match(await pipeline({ ...announcing(30_001), readBody: unread }), {
    calls: [{ error: { failure: 'tooManyCallsAtOnce' } }],
  })
  const waiting = await pipeline({ ...announcing(30_000), readBody: () => Buffer.alloc(30_000) })
  t.match(waiting, { calls: [{ error: { failure: 'queuedTooLong' } }] })
})

t.test('a refusal names its failure and has no headers of a key', async (t) => {
  const pipeline = pipelineOf(100)
  const refused = await pipeline({ ...callerOf(), readBody: () => body }, 'wrongVerb')
  t.match(refused, { refusal: { failure: 'wrongVerb' }, answer: { status: 405 }, calls: [] })
  const elsewhere = keyOf('usr_1', { addresses: ['198.51.100.7'] })
  const client = await pipeline({ ...callerOf('usr_1', elsewhere), readBody: () => body })
  t.match(client, { refusal: { failure: 'clientRefused' }, answer: { status: 403 }, calls: [] })
  t.notOk(client.answer?.headers['RateLimit'])
  t.same(charged, [])
})

t.test('a caller who disconnects before the end of the body gets no answer', async (t) => {
  const pipeline = pipelineOf(100)
  const handled = await pipeline({ ...callerOf(), readBody: () => undefined })
  t.match(handled, { key: { id: 'key_1' }, answer: undefined, calls: [] })
  t.same(charged, [])
})

t.test(
  'a key of a network that is not served is not a guess, and its access rules are not checked',
  async (t) => {
    const found = { ...keyOf('usr_1', { addresses: ['198.51.100.7'] }), network: 'main' as const }
    const refused = createRefusedAddresses(1)
    const cache = createKeyCache(async () => ({ key: found, enabled: true }), 10)
    const findKey = createFindKey(cache, refused)
    const pipeline = pipelineOf(100, 1, undefined, {}, [], undefined, undefined, findKey, false)
    for (let sent = 0; sent < 5; sent++) {
      const request = { ...callerOf(), params: { key: 'own' }, readBody: () => body }
      t.match(await pipeline(request), { refusal: { failure: 'wrongNetwork' } })
    }
    t.notOk(refused.isOver('192.0.2.1'))
  },
)
