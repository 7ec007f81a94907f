import { createServer as createHttpServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { createErrorCheck } from '../../../../../src/judge/checks/error-check.js'
import type { HandlerCall, MethodDescriptor } from '../../../../../src/runtime/rpc/index.js'
import {
  createServer,
  createService,
  defaultLimits,
  type Limits,
} from '../../../../../src/runtime/server/index.js'
import { serveStdio } from '../../../../../src/runtime/server/stdio/index.js'
import { mountWebSocket } from '../../../../../src/runtime/server/web-socket/index.js'
import { generate } from '../../../../../src/toolkit/codegen/index.js'
import type { JsonObject, JsonValue } from '../../../../../src/toolkit/contract/index.js'
import { until } from '../../../../support/until.js'
import { contractOf, loadFixture, loadModules, methodOf, tool } from '../../../toolkit/codegen/fixtures.js'

type Methods = Readonly<Record<string, MethodDescriptor>>

async function methodsOf(contract: Parameters<typeof loadModules>[0]): Promise<Methods> {
  const [module] = await loadModules(contract, ['methods.ts'])
  return module?.['methods'] as Methods
}

const request = (more: JsonObject = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'add',
  params: ['abc'],
  ...more,
})

interface Answered {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: {
    readonly error?: { code: number; message: string; data?: JsonValue }
    readonly result?: JsonValue
  }
}

async function post(url: string, body: unknown): Promise<Answered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const answered = (await response.json()) as Answered['body']
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: answered }
}

t.test('request rules of the contract apply with only methods and handlers given', async (t) => {
  const methods = await methodsOf(await loadFixture('service-rules'))
  const handlers = {
    add: ({ text }: { text: string }) => (text === 'fail' ? (undefined as never) : text.length),
  }
  const server = await createServer({ methods, handlers, onError: () => undefined }).listen({ port: 0 })
  t.teardown(() => server.close())
  const rows: readonly [says: string, body: unknown, status: number, error: JsonObject | undefined][] = [
    ['a call', request(), 200, undefined],
    ['two requests', [request(), request()], 200, undefined],
    [
      'three requests',
      [request(), request(), request()],
      422,
      { code: -32010, message: 'At most two at once' },
    ],
    ['no JSON', '{', 400, { code: -32700, message: 'That is no JSON' }],
    ['too large', `"${'a'.repeat(2000)}"`, 413, { code: -32010, message: 'Too much' }],
    ['too deep', request({ params: [[[[['deep']]]]] }), 400, { code: -32600 }],
    [
      'no id',
      { jsonrpc: '2.0', method: 'add', params: ['a'] },
      400,
      { code: -32600, message: /the id is missing/ as never },
    ],
    ['a long id', request({ id: 1234567 }), 400, { code: -32600 }],
    [
      'a string id',
      request({ id: 'a' }),
      400,
      { code: -32600, message: /: the id must be a number that matches \S+$/ as never },
    ],
    [
      'wrong parameters',
      request({ params: [''] }),
      200,
      { code: -32602, message: /\/0 must have at least 1 character/ as never },
    ],
    [
      'a failing handler',
      request({ params: ['fail'] }),
      500,
      { code: -32603, message: /reference [0-9a-f]{10}$/ as never },
    ],
  ]
  for (const [says, body, status, error] of rows) {
    const answered = await post(server.url, body)
    t.equal(answered.status, status, says)
    if (error === undefined) continue
    t.match(answered.body.error, error, says)
    // The contract does not list -32600, and so says nothing about its data.
    const data = says === 'too deep' ? { limit: 5, unit: 'levels' } : undefined
    t.strictSame(answered.body.error?.data, data, `${says}: the contract has no data for its errors`)
  }
  t.equal((await post(server.url, `"${'a'.repeat(2000)}"`)).retryAfter, '3')
})

t.test('options of the server override the contract', async (t) => {
  const methods = await methodsOf(await loadFixture('service-rules'))
  const server = await createServer({
    methods,
    handlers: { add: () => 1 },
    limits: { batchItems: 3 },
    envelope: { idRequired: false },
  }).listen({ port: 0 })
  t.teardown(() => server.close())
  const three = [request({ id: 'a' }), request(), request()]
  t.equal((await post(server.url, three)).status, 200)
  t.equal((await post(server.url, request({ params: [[[[['deep']]]]] }))).status, 400)
})

t.test('concurrency in a batch is an option of the server, not a limit of the contract', async (t) => {
  const stated = { title: 'T', version: '1', 'x-limits': { batchCallsAtOnce: { value: 1 } } }
  const methods = await methodsOf(contractOf({ info: stated, methods: [methodOf([])] }))
  for (const [options, atOnce] of [
    [{}, 32],
    [{ batchCallsAtOnce: 1 }, 1],
    [{ batchCallsAtOnce: 5 }, 5],
  ] as const) {
    const held: (() => void)[] = []
    const m = () => new Promise((resolve) => held.push(() => resolve(1)))
    const server = await createServer({ methods, handlers: { m }, ...options }).listen({ port: 0 })
    t.teardown(() => server.close())
    const batch = Array.from({ length: 40 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'm', params: [] }))
    let isAnswered = false
    const answer = post(server.url, batch).finally(() => {
      isAnswered = true
    })
    await until(() => held.length >= atOnce)
    // Further calls would start in these turns.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    t.equal(held.length, atOnce)
    await until(() => {
      for (const end of held.splice(0)) end()
      return isAnswered
    })
    t.equal((await answer).status, 200)
  }
  for (const batchCallsAtOnce of [0, -1, 1.5, Number.NaN])
    t.throws(() => createServer({ methods, handlers: { m: () => 1 }, batchCallsAtOnce }), {
      name: 'RangeError',
      message: /^batchCallsAtOnce must be a positive integer/,
    })
})

t.test('a limit that no server can enforce is refused at creation', async (t) => {
  for (const value of ['2000', 0, -1, 1.5, 2 ** 40, null, { value: '5 MB' }]) {
    const info = { title: 'T', version: '1', 'x-limits': { bodyBytes: value } }
    const methods = await methodsOf(contractOf({ info, methods: [methodOf([])] }))
    t.throws(() => createServer({ methods, handlers: { m: () => 1 } }), {
      name: 'RangeError',
      message: /^The contract's limit "bodyBytes" must be a whole number/,
    })
  }
})

t.test('options that no server can enforce are refused at creation', async (t) => {
  const methods = await methodsOf(contractOf({ methods: [methodOf([])] }))
  const handlers = { m: () => 1 }
  const unlimited = { bodyBytes: undefined, batchItems: undefined } as unknown as Partial<Limits>
  const service = createService({ methods, handlers, limits: unlimited })
  t.match(service.limits, { bodyBytes: defaultLimits.bodyBytes, batchItems: defaultLimits.batchItems })
  for (const value of [Number.NaN, -1, 2 ** 40, '5']) {
    const options: object = { methods, handlers, limits: { bodyBytes: value } }
    t.throws(() => createServer(options as never), {
      name: 'RangeError',
      message: `The limit "bodyBytes" must be a number from 0 to 2147483647, but is ${value}`,
    })
  }
  for (const deadlineMilliseconds of [Number.NaN, -1, 0])
    t.throws(() => createServer({ methods, handlers, deadlineMilliseconds }), {
      name: 'RangeError',
      message: /^deadlineMilliseconds must be a number greater than 0/,
    })
  for (const wrong of [Number.NaN, -1, 0, 0.5]) {
    const refused = (name: string) => ({
      name: 'RangeError',
      message: `${name} must be a positive integer, but is ${wrong}`,
    })
    const memory = { bodyBytes: 1, queuedBytes: 1, answerBytes: 1 }
    const shared = (own: object) => () =>
      createService({ methods, handlers, sharing: { caller: () => '', memory, ...own } })
    for (const name of Object.keys(memory))
      t.throws(shared({ memory: { ...memory, [name]: wrong } }), refused(`sharing.memory.${name}`))
    t.throws(shared({ queuedRequests: wrong }), refused('sharing.queuedRequests'))
    if (wrong === 0) t.doesNotThrow(shared({ compressionsAtOnce: wrong }))
    else t.throws(shared({ compressionsAtOnce: wrong }), refused('sharing.compressionsAtOnce'))
    const connections = { connectionsPerAddress: 1, newConnectionsPerAddress: 1 }
    for (const name of Object.keys(connections)) {
      const connectionLimits = { ...connections, [name]: wrong }
      const server = createServer({ methods, handlers, countedAs: String, connectionLimits })
      await t.rejects(server.listen({ port: 0 }), refused(`connectionLimits.${name}`))
    }
    const busy = { code: 5, message: 'Busy', httpStatus: 503 }
    const failing = (own: object) => () =>
      createService({ methods, handlers, failures: { queueFull: { ...busy, ...own } } })
    if (wrong === 0) t.doesNotThrow(failing({ retryAfterSeconds: wrong }), 'Retry-After: 0 is allowed')
    else t.throws(failing({ retryAfterSeconds: wrong }), refused('failures.queueFull.retryAfterSeconds'))
    t.throws(failing({ httpStatus: wrong }), {
      name: 'RangeError',
      message: `failures.queueFull: The HTTP status ${wrong} cannot be sent`,
    })
  }
  for (const messagesAtOnce of [Number.NaN, -1, 0, 0.5]) {
    const wrong = { name: 'RangeError', message: /^messagesAtOnce must be a positive integer/ }
    t.throws(() => mountWebSocket(createHttpServer(), { service, path: '/', messagesAtOnce }), wrong)
    await t.rejects(serveStdio({ service, context: undefined, framing: 'newline', messagesAtOnce }), wrong)
  }
})

t.test('a deadline beyond the longest timer never passes', async (t) => {
  const methods = await methodsOf(contractOf({ methods: [methodOf([])] }))
  const m = (_params: unknown, _context: unknown, { signal }: HandlerCall) => delay(50, 1, { signal })
  for (const deadlineMilliseconds of [2 ** 31, Number.POSITIVE_INFINITY]) {
    const server = await createServer({ methods, handlers: { m }, deadlineMilliseconds }).listen({ port: 0 })
    t.teardown(() => server.close())
    t.match(await post(server.url, { jsonrpc: '2.0', id: 1, method: 'm' }), { body: { result: 1 } })
  }
})

t.test('a time of the contract beyond the longest timer passes as late as a timer can', async (t) => {
  const limits = { queueSeconds: 2 ** 31 - 1, requestsAtOncePerUser: 1, corsMaxAgeSeconds: 31_536_000 }
  const info = { title: 'T', version: '1', 'x-limits': limits }
  const methods = await methodsOf(contractOf({ info, methods: [methodOf([])] }))
  const held: (() => void)[] = []
  const m = () => new Promise((resolve) => held.push(() => resolve(1)))
  const memory = { bodyBytes: 1_000_000, queuedBytes: 1_000_000, answerBytes: 1_000_000 }
  const sharing = { caller: () => 'ada', memory }
  const server = await createServer({ methods, handlers: { m }, sharing }).listen({ port: 0 })
  t.teardown(() => server.close())
  const call = { jsonrpc: '2.0', id: 1, method: 'm' }
  const answers = [post(server.url, call), post(server.url, call)]
  await until(() => held.length > 0)
  await delay(50)
  for (let at = 0; at < answers.length; at++) {
    await until(() => held.length > 0)
    held.pop()?.()
  }
  t.match(await Promise.all(answers), [{ status: 200 }, { status: 200 }])
  const preflight = await fetch(server.url, { method: 'OPTIONS' })
  t.equal(preflight.headers.get('access-control-max-age'), '31536000', 'no timer')
})

t.test('a contract turns batches off', async (t) => {
  const info = { title: 'T', version: '1', 'x-limits': { batchItems: { value: 0 } } }
  const methods = await methodsOf(contractOf({ info, methods: [methodOf([])] }))
  const server = await createServer({ methods, handlers: { m: () => 1 } }).listen({ port: 0 })
  t.teardown(() => server.close())
  const call = { jsonrpc: '2.0', id: 1, method: 'm' }
  t.match(await post(server.url, call), { status: 200, body: { result: 1 } })
  t.match(await post(server.url, [call]), { status: 413, body: { error: { code: -32600 } } })
})

const extensions = Object.entries({ 'x-data-schema': 'object', 'x-data-optional': 'boolean' }).map(
  ([name, type]) => ({
    openrpcExtension: '0.0.0-development',
    name,
    version: '1.0.0',
    restricted: ['errorObject'],
    schema: { type },
  }),
)

/** The errors for invalid parameters and for a failed handler, as a server of this contract sends them. */
async function errorsOf(errors: JsonObject) {
  const refs = Object.keys(errors).map((key) => ({ $ref: `#/components/errors/${key}` }))
  const param = { name: 'p', required: true, schema: { type: 'string' } }
  const contract = contractOf({
    'x-extensions': extensions,
    methods: [methodOf([param], {}, { errors: refs })],
    components: { errors },
  })
  const methods = await methodsOf(contract)
  const handlers = {
    m: () => {
      throw new TypeError('inside')
    },
  }
  const server = await createServer({ methods, handlers, onError: () => undefined }).listen({ port: 0 })
  const send = async (params: JsonValue) =>
    (await post(server.url, request({ method: 'm', params }))).body.error
  const found = [await send([5]), await send(['a'])]
  await server.close()
  const isOfForm = createErrorCheck(contract, ({ schema }, data) =>
    JSON.stringify(schema).includes(Array.isArray(data) ? 'array' : 'reference')
      ? []
      : [{ path: '', message: 'another form' }],
  )
  return found.map((error) => ({
    data: error?.data !== undefined,
    isJudgedWell: isOfForm('m', (error ?? null) as JsonValue).length === 0,
  }))
}

t.test('data is sent where the contract has a schema for it, and the judge accepts it', async (t) => {
  const wrong = { code: -32602, message: 'Wrong' }
  const broken = { code: -32603, message: 'Broken' }
  const other = { code: 5, message: 'Other', 'x-data-schema': { type: 'string' } }
  const listed = { ...wrong, 'x-data-schema': { type: 'array', items: { required: ['path', 'rule'] } } }
  const referred = { ...broken, 'x-data-schema': { type: 'object', required: ['reference'] } }
  const rows: readonly [JsonObject, boolean, boolean][] = [
    [{}, true, true],
    [{ wrong, broken }, true, true],
    [{ wrong, broken, other }, false, false],
    [{ wrong, other }, false, true],
    [{ broken, other }, true, false],
    [{ other }, true, true],
    [{ listed, broken }, true, false],
    [{ listed, referred }, true, true],
    // A server cannot produce this data, so a contract with another schema must make it optional.
    [
      { listed: { ...listed, 'x-data-schema': { type: 'number' }, 'x-data-optional': true }, referred },
      false,
      true,
    ],
  ]
  for (const [errors, withParams, withFailure] of rows) {
    const found = await errorsOf(errors)
    t.same(
      found,
      [
        { data: withParams, isJudgedWell: true },
        { data: withFailure, isJudgedWell: true },
      ],
      JSON.stringify(errors),
    )
  }
})

t.test('a contract that no server can implement is refused with the place', async (t) => {
  const rows: readonly [info: JsonObject, pointer: string][] = [
    [{ 'x-failures': { parseError: { error: 'nothing' } } }, '#/info/x-failures/parseError'],
    [{ 'x-failures': { parseError: 5 } }, '#/info/x-failures/parseError'],
    [{ 'x-failures': { parseError: { error: 'e', message: 5 } } }, '#/info/x-failures/parseError/message'],
    [
      { 'x-failures': { parseError: { error: 'e', httpStatus: '400' } } },
      '#/info/x-failures/parseError/httpStatus',
    ],
    [
      { 'x-failures': { parseError: { error: 'e', httpStatus: 99 } } },
      '#/info/x-failures/parseError/httpStatus',
    ],
    [
      { 'x-failures': { parseError: { error: 'e', retryAfterSeconds: 1.5 } } },
      '#/info/x-failures/parseError/retryAfterSeconds',
    ],
    [{ 'x-envelope': [] }, '#/info/x-envelope'],
  ]
  for (const [more, pointer] of rows) {
    const contract = contractOf({
      info: { title: 'T', version: '1', ...more },
      methods: [methodOf([])],
      components: { errors: { e: { code: 1, message: 'E' } } },
    })
    t.throws(() => generate(contract, tool), { name: 'ContractError', problems: [{ pointer }] }, pointer)
  }
})
