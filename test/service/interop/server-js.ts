import t from 'tap'
import { openSocket, sendFrame, startServices } from './interop-harness.js'

const program = new URL('./server-js-process.ts', import.meta.url)

async function post(port: number | undefined, body: string | Uint8Array, type = 'application/json') {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : Buffer.from(body),
  })
  const text = await response.text()
  return { status: response.status, text }
}

const request = (method: string, rest: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...rest })
const nullParams = request('add', { params: null })
const noParams = request('add')
const odd = (kind: string) => request('odd', { params: [kind] })
const failed = (code: number, id: unknown = 1, status = 200) => ({ status, body: { id, error: { code } } })
const nothing = { status: 204, body: undefined }
const internal = (id: unknown = 1) => failed(-32603, id, 500)

/** A request, and the expected answer. */
interface Case {
  readonly send: string
  readonly status?: number
  /** Undefined: no answer at all. */
  readonly body: unknown
  /** Also through the package's own transports, when the request reaches our code; or the replacement. */
  readonly unguarded?: 'same' | { readonly result: unknown }
}

/** Requests that crash a process of the package or are answered incorrectly, with the answers by JSON-RPC 2.0. */
const cases: Readonly<Record<string, Case>> = {
  'a call': { send: request('add', { params: [1, 2] }), body: { id: 1, result: 3 }, unguarded: 'same' },
  'params null': { send: nullParams, ...failed(-32600, 1, 400), unguarded: 'same' },
  'params absent': { send: noParams, ...failed(-32602), unguarded: 'same' },
  'params of another kind': {
    send: request('add', { params: 'text' }),
    ...failed(-32600, 1, 400),
    unguarded: 'same',
  },
  'params wrong': { send: request('add', { params: ['1', 2] }), ...failed(-32602), unguarded: 'same' },
  'params too many': { send: request('add', { params: [1, 2, 3] }), ...failed(-32602), unguarded: 'same' },
  'params by name for a method by position': {
    send: request('add', { params: { left: '1', right: 2 } }),
    ...failed(-32602),
    unguarded: 'same',
  },
  'params null inside': {
    send: request('add', { params: [null, null] }),
    ...failed(-32602),
    unguarded: 'same',
  },
  'a handler that throws': { send: odd('throws'), ...internal(), unguarded: 'same' },
  'a handler that rejects': { send: odd('rejects'), ...internal(), unguarded: 'same' },
  'a handler that throws text': { send: odd('throwsText'), ...internal(), unguarded: 'same' },
  'a BigInt': { send: odd('bigint'), ...internal(), unguarded: 'same' },
  'a BigInt later': { send: odd('laterBigint'), ...internal(), unguarded: 'same' },
  'a cycle': { send: odd('cycle'), ...internal(), unguarded: 'same' },
  'a function': { send: odd('function'), ...internal(), unguarded: 'same' },
  nothing: { send: odd('undefined'), ...internal(), unguarded: 'same' },
  'toJSON that throws': { send: odd('toJson'), ...internal(), unguarded: 'same' },
  'then that throws': { send: odd('thenThrows'), ...internal(), unguarded: 'same' },
  'a result that breaks the contract': { send: odd('wrong'), ...internal(), unguarded: 'same' },
  'a raw result': { send: request('raw', { params: ['1e400'] }), body: { id: 1 } },
  'error data that is invalid JSON': {
    send: odd('errorWithBigint'),
    ...internal(),
    unguarded: 'same',
  },
  'an error of the contract': {
    send: odd('contractError'),
    body: { id: 1, error: { code: 7, message: 'seven', data: [7] } },
    unguarded: 'same',
  },
  'an error of the package': {
    send: odd('packageError'),
    body: { id: 1, error: { code: 4001, message: 'the store is closed', data: { opens: 'at nine' } } },
    unguarded: 'same',
  },
  'an error of the package, later': {
    send: odd('packageErrorLater'),
    body: { id: 1, error: { code: 4002, message: 'closed' } },
    unguarded: 'same',
  },
  'an unknown method': {
    send: request('multiply', { params: [] }),
    ...failed(-32601),
    unguarded: 'same',
  },
  'a name of Object.prototype': {
    send: request('constructor', { params: [] }),
    ...failed(-32601),
    unguarded: 'same',
  },
  'the name __proto__': { send: request('__proto__', { params: [] }), ...failed(-32601), unguarded: 'same' },
  'a method of the contract that objects have, too': {
    send: request('toString'),
    body: { id: 1, result: 'a calculator' },
    unguarded: 'same',
  },
  'a parameter called __proto__': {
    send: '{"jsonrpc":"2.0","id":1,"method":"named","params":{"__proto__":"x"}}',
    body: { result: [['__proto__', 'x']] },
    unguarded: 'same',
  },
  'no method': { send: '{"jsonrpc":"2.0","id":1}', ...failed(-32600, 1, 400), unguarded: 'same' },
  'a method that is not a string': {
    send: '{"jsonrpc":"2.0","id":1,"method":{"toString":1}}',
    ...failed(-32600, 1, 400),
    unguarded: 'same',
  },
  'no version': {
    send: '{"id":1,"method":"add","params":[1,2]}',
    ...failed(-32600, 1, 400),
    unguarded: { result: 3 },
  },
  'an id that is an object': {
    send: '{"jsonrpc":"2.0","id":{},"method":"add","params":[1,2]}',
    ...failed(-32600, null, 400),
    unguarded: { result: 3 },
  },
  'a method without a result': {
    send: request('note', { params: ['x'] }),
    ...failed(-32600, 1, 400),
    unguarded: { result: null },
  },
  'the contract itself': {
    send: request('rpc.discover', { params: [] }),
    body: { result: { info: { title: 'Calculator' } } },
    unguarded: 'same',
  },
  'a notification': { send: '{"jsonrpc":"2.0","method":"add","params":[1,2]}', ...nothing },
  'a notification that fails': {
    send: '{"jsonrpc":"2.0","method":"add","params":null}',
    ...failed(-32600, null, 400),
  },
  'a batch of notifications': { send: '[{"jsonrpc":"2.0","method":"note","params":["x"]}]', ...nothing },
  'an empty batch': { send: '[]', ...failed(-32600, null, 400) },
  'a batch with null': { send: '[null]', body: [{ id: null, error: { code: -32600 } }] },
  'a batch of invalid items': {
    send: '[1,"x",[],{},{"jsonrpc":"2.0","id":9,"method":"add","params":[1,2]}]',
    body: [...[1, 2, 3, 4].map(() => ({ id: null, error: { code: -32600 } })), { id: 9, result: 3 }],
  },
  'no JSON': { send: '{"jsonrpc":', ...failed(-32700, null, 400) },
  text: { send: 'hello', ...failed(-32700, null, 400) },
  null: { send: 'null', ...failed(-32600, null, 400) },
  'a number': { send: '7', ...failed(-32600, null, 400) },
  'nothing at all': { send: '', ...failed(-32700, null, 400) },
  'too deep': { send: '['.repeat(40) + ']'.repeat(40), ...failed(-32600, null, 400) },
}

/** Ids that a parser would change, with their echo where it differs. */
const ids: readonly (readonly [string, string?])[] = [
  ['12345678901234567890123'],
  ['-0'],
  ['1.0'],
  ['1e2'],
  ['"\\u0041"', '"A"'],
  ['""'],
  ['null'],
]
const withId = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"add","params":[1,2]}`
const tooLong = request('label', { params: ['x'.repeat(10_000)] })

const brokenFrames: Readonly<Record<string, readonly number[]>> = {
  'not masked': [0x81, 0x01, 0x41],
  'of an unknown kind': [0x83, 0x80, 0, 0, 0, 0],
  'text that is not UTF-8': [0x81, 0x81, 0, 0, 0, 0, 0xff],
}

/** Requests to the package's own router through our transport. */
const theirs = [
  [withId('1'), { body: { id: 1, result: 3 } }],
  [nullParams, failed(-32600, 1, 400)],
  [noParams, failed(-32602)],
  ['[null]', { body: [{ error: { code: -32600 } }] }],
  ['[]', failed(-32600, null, 400)],
  ['{', failed(-32700, null, 400)],
  [odd('bigint'), internal()],
  [odd('throws'), internal()],
  [odd('undefined'), { body: { result: null } }],
  [odd('packageError'), { body: { error: { code: 4001, data: { opens: 'at nine' } } } }],
  [request('constructor'), failed(-32601)],
  ['{"jsonrpc":"2.0","method":"add","params":[1,2]}', nothing],
] as const

t.test('our router, in every transport', async (t) => {
  const services = await startServices(program, 'ours')
  const { ports } = services
  t.teardown(() => services.stop())

  for (const name of ['fastify', 'guardedHttp']) {
    t.test(`${name}: every input is answered by JSON-RPC 2.0`, async (t) => {
      for (const [what, { send, body, status = 200 }] of Object.entries(cases)) {
        const answer = await post(ports[name], send)
        t.match({ status: answer.status, body: bodyOf(answer.text) }, { status, body }, what)
      }
      for (const [id, echoed = id] of ids) {
        const { text } = await post(ports[name], withId(id))
        t.equal(text, `{"jsonrpc":"2.0","id":${echoed},"result":3}`)
      }
      t.match(await post(ports[name], tooLong), { status: 413, text: '"code":-32600' }, 'too long')
      t.match(await post(ports[name], '{}', 'text/plain'), { status: 415, text: '"code":-32600' })
      t.match(await post(ports[name], Buffer.from([0x22, 0xff, 0x22])), {
        status: 400,
        text: '"code":-32700',
      })
      const got = await fetch(`http://127.0.0.1:${ports[name]}/`)
      t.match(await got.text(), '"code":-32600')
      t.match({ status: got.status, allow: got.headers.get('allow') }, { status: 405, allow: /POST/ })
    })
  }

  t.test('guardedWebSocket: every input is answered by JSON-RPC 2.0', async (t) => {
    const socket = await openSocket(ports['guardedWebSocket'])
    t.teardown(() => socket.close())
    for (const [what, { send, body }] of Object.entries(cases)) {
      if (body === undefined) socket.send(send)
      else t.match(bodyOf(await socket.ask(send)), body, what)
    }
    for (const [id, echoed = id] of ids) {
      t.equal(
        await socket.ask(withId(id)),
        `{"jsonrpc":"2.0","id":${echoed},"result":3}`,
        'and no answer to a notification',
      )
    }
    t.match(await socket.ask(Buffer.from(withId('1'))), '"result":3', 'a binary frame')
  })

  for (const name of ['http', 'webSocket']) {
    t.test(`${name}, not guarded: requests that reach the router are answered`, async (t) => {
      const socket = name === 'webSocket' ? await openSocket(ports[name]) : undefined
      t.teardown(() => socket?.close())
      for (const [what, { send, body, unguarded }] of Object.entries(cases)) {
        if (unguarded === undefined) continue
        const text = socket ? await socket.ask(send) : (await post(ports[name], send)).text
        t.match(bodyOf(text), unguarded === 'same' ? body : unguarded, what)
      }
    })
  }

  t.test('frames that are too long or broken end their connection, not the process', async (t) => {
    const port = ports['guardedWebSocket']
    const socket = await openSocket(port)
    socket.send(tooLong)
    t.equal(await socket.closed, 1009)
    for (const [what, frame] of Object.entries(brokenFrames)) {
      await sendFrame(port, Buffer.from(frame))
      t.ok(services.isRunning(), what)
    }
  })

  t.test('their router behind our transport follows the protocol', async (t) => {
    for (const [send, wanted] of theirs) {
      const { status, text } = await post(ports['theirRouter'], send)
      t.match({ status, body: bodyOf(text) }, { status: 200, ...wanted }, send)
    }
  })

  t.test('and it still runs', async (t) => {
    t.ok(services.isRunning())
    for (const name of ['fastify', 'guardedHttp', 'http', 'theirRouter']) {
      t.match(await post(ports[name], withId('"last"')), { text: '"result":3' })
    }
  })
})

t.test('requests that crash a process of the package itself, for comparison', async (t) => {
  const fatal = {
    'params null': nullParams,
    'params absent': noParams,
    'a batch with null': '[null]',
    'a BigInt': odd('bigint'),
  }
  const httpTests = Object.entries(fatal).map(async ([what, send]) => {
    const services = await startServices(program, 'theirs')
    await post(services.ports['http'], send).catch(() => undefined)
    t.equal(await services.ended, 1, what)
  })
  const frameTest = startServices(program, 'theirs').then(async (services) => {
    const socket = await openSocket(services.ports['webSocket'])
    socket.send('hello')
    t.equal(await services.ended, 1, 'a frame that is no JSON')
  })
  await Promise.all([...httpTests, frameTest])
})

function bodyOf(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text)
}
