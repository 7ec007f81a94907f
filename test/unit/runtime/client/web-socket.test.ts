import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createConnection, createServer as createProxy, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { WebSocket as PlatformWebSocket } from 'undici'
import { WebSocket, WebSocketServer } from 'ws'
import {
  isCallError,
  isTransportError,
  type MiddlewareCall,
  RpcError,
} from '../../../../src/runtime/client/index.js'
import type { ConnectOptions } from '../../../../src/runtime/client/web-socket/index.js'
import { freePort } from '../../../support/free-port.js'
import { collectMicrotaskErrors } from '../../../support/microtask-errors.js'
import { until } from '../../../support/until.js'
import { generatedConnect, startCounters, ws } from './web-socket-server.js'

const connect = await generatedConnect(t)

/** A client of a server of its own. It is closed when the test ends. */
async function connected(t: Test, options: ConnectOptions = {}) {
  const server = await startCounters(t)
  const client = await connect(server.url, { ...ws, ...options })
  t.teardown(() => client.close_())
  return { server, client }
}

/** A server that answers each message with the given texts. */
async function answering(t: Test, answer: (message: { readonly id?: number }, socket: WebSocket) => void) {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server = new WebSocketServer({ server: http })
  server.on('connection', (socket) =>
    socket.on('message', (data) => answer(JSON.parse(String(data)), socket)),
  )
  t.teardown(() => {
    for (const socket of server.clients) socket.terminate()
    http.close()
  })
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}/secret-key-0123456789`
}

/** A thread that serves an error to each WebSocket message. */
const echoServer = `
  const { WebSocketServer } = require(${JSON.stringify(createRequire(import.meta.url).resolve('ws'))})
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  const error = { code: -32601, message: 'Method not found' }
  const { parentPort, workerData: answers } = require('node:worker_threads')
  server.on('connection', (socket) => {
    socket.on('message', (data) => {
      const answer = JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(String(data)).id, error })
      socket.send(answer, () => Atomics.add(answers, 0, 1))
    })
  })
  server.on('listening', () => parentPort.postMessage(server.address().port))
`

/** A TCP proxy. `silence` makes its open connections carry nothing more, and leaves them open. */
async function proxyTo(t: Test, port: number) {
  const pairs = new Set<readonly [Socket, Socket]>()
  const proxy = createProxy((near) => {
    const far = createConnection({ port, host: '127.0.0.1' })
    pairs.add([near, far])
    for (const socket of [near, far]) socket.on('error', () => undefined)
    near.pipe(far).pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of [...pairs].flat()) socket.destroy()
    proxy.close()
  })
  const silence = (): void => {
    for (const [near, far] of pairs) {
      near.unpipe(far)
      far.unpipe(near)
    }
  }
  return { port: (proxy.address() as AddressInfo).port, silence }
}

t.test('calls', async (t) => {
  t.test('results, declared errors, notifications and calls by name', async (t) => {
    const { client } = await connected(t)
    t.equal(await client.math.add(1, 2), 3)
    t.same(await Promise.all([1, 2, 3].map((a) => client.math.add(a, a))), [2, 4, 6])
    t.equal(await client.request('math.add', [40, 2]), 42)
    const error = await client.math.add(99, 2).catch((reason: unknown) => reason)
    t.ok(isCallError(error))
    t.match(error, { code: 7, data: 101, method: 'math.add', message: 'Too large' })
    t.equal(client.state, 'open')
    await t.rejects(client.request('missing'), { code: -32601, method: 'missing' })
  })

  t.test('the platform’s WebSocket is used without the option', async (t) => {
    const server = await startCounters(t)
    const original = Reflect.get(globalThis, 'WebSocket')
    t.teardown(() => Reflect.set(globalThis, 'WebSocket', original))
    Reflect.set(globalThis, 'WebSocket', undefined)
    await t.rejects(connect(server.url), { message: /has no WebSocket\. Pass the option webSocket/ })
    Reflect.set(globalThis, 'WebSocket', PlatformWebSocket)
    const client = await connect(server.url.replace('ws', 'http'))
    t.equal(await client.math.add(1, 2), 3)
    await client.close_()
    t.equal(client.state, 'closed')
    const gone = await startCounters(t)
    await gone.kill()
    await t.rejects(connect(gone.url), { name: 'TransportError', kind: 'network' })
  })

  t.test('timeouts and signals reject one call only', async (t) => {
    const { client } = await connected(t)
    await t.rejects(client.forever({ timeoutMilliseconds: 20 }), {
      ...{ name: 'TransportError', kind: 'timeout', method: 'forever' },
      message: 'forever: no answer within 20 ms',
    })
    const controller = new AbortController()
    const call = client.forever({ signal: controller.signal })
    const reason = new Error('no longer wanted')
    controller.abort(reason)
    await t.rejects(call, reason)
    await t.rejects(client.forever({ signal: controller.signal }), reason, 'aborted before')
    t.equal(await client.math.add(1, 2), 3)
  })

  t.test('a call that has no time left or is aborted is cancelled at the server', async (t) => {
    const { client, server } = await connected(t)
    const cancelled = async (options: object, abort: () => void) => {
      const [begun, ended] = [once(server.events, 'forever'), once(server.events, 'ended')]
      const call = client.forever(options).catch((error: Error) => error.message)
      await begun
      abort()
      return [await call, ...(await ended)]
    }
    const words = 'The caller has cancelled the call'
    const controller = new AbortController()
    const aborted = await cancelled({ signal: controller.signal }, () =>
      controller.abort(new Error('unwanted')),
    )
    t.same(aborted, ['unwanted', 1, words])
    const late = await cancelled({ timeoutMilliseconds: 50 }, () => undefined)
    t.same(late, ['forever: no answer within 50 ms', 2, words])
    t.notOk('cancel' in client, 'programs do not know the ids of calls')
  })

  t.test('middleware and validate wrap calls as in the HTTP client', async (t) => {
    const seen: MiddlewareCall[] = []
    const { client } = await connected(t, {
      middleware: [
        (next) => (call) => {
          seen.push(call)
          return next(call)
        },
      ],
      validate(method, _params, result) {
        if (result === 5) throw new TypeError(`${method}: five`)
      },
    })
    t.equal(await client.math.add(1, 2), 3)
    t.match(seen, [{ method: 'math.add', params: [1, 2] }])
    await t.rejects(client.math.add(2, 3), { message: 'math.add: five' })
  })

  t.test('answers that do not fit a call', async (t) => {
    const answers: string[] = []
    const url = await answering(t, ({ id }, socket) => {
      for (const answer of answers) socket.send(answer.replace('ID', String(id)))
    })
    const client = await connect(url, ws)
    t.teardown(() => client.close_())
    const answered = (...texts: readonly string[]) => {
      answers.splice(0, answers.length, ...texts)
      return client.math.add(1, 2)
    }
    t.equal(
      await answered('{"jsonrpc":"2.0","id":999,"result":1}', '{"jsonrpc":"2.0","id":ID,"result":3}'),
      3,
    )
    t.equal(await answered('[{"jsonrpc":"2.0","id":ID,"result":4}]'), 4, 'in a list')
    await t.rejects(answered('{"jsonrpc":"2.0","id":ID}'), { name: 'TransportError', kind: 'malformed' })
    await t.rejects(
      answered('{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":"secret-key-0123456789"}}'),
      {
        ...{ code: 1, message: /^•+$/ },
      },
    )
    const noId = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
    await t.rejects(answered(noId), { code: -32700 }, 'an error without id is that of the only call')
    await t.rejects(answered('nonsense'), { kind: 'malformed', message: /a message that is not JSON/ })
    t.equal(client.state, 'closed')
    await t.rejects(client.math.add(1, 2), { name: 'TransportError', kind: 'malformed' }, 'later calls')
  })
})

t.test('connections', async (t) => {
  t.test('a connection that cannot be opened rejects, without the key', async (t) => {
    const url = `ws://127.0.0.1:${await freePort()}/secret-key-0123456789`
    const error = await connect(url, ws).catch((reason: unknown) => reason)
    t.ok(isTransportError(error, 'network'))
    t.match(error, {
      message: /^connect: ws:\/\/127\.0\.0\.1:\d+: the connection cannot be opened: .*ECONNREFUSED/,
    })
    t.notMatch(String(error), 'secret-key')
    await t.rejects(connect('ftp://host/', ws), TypeError)
    await t.rejects(connect('ws://user:password@host/', ws), { message: /cannot have a user and password/ })
    await t.rejects(connect(url, { ...ws, timeoutMilliseconds: 0 }), RangeError)
    await t.rejects(connect(url, { ...ws, reconnect: { delayMilliseconds: -1 } }), RangeError)
  })

  t.test('a server that never answers the upgrade is a timeout', async (t) => {
    const silent = createServer()
      .on('upgrade', () => undefined)
      .listen(0, '127.0.0.1')
    await once(silent, 'listening')
    t.teardown(() => silent.closeAllConnections() ?? silent.close())
    const url = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`
    await t.rejects(connect(url, { ...ws, timeoutMilliseconds: 50 }), {
      message: /no connection within 50 ms/,
      kind: 'timeout',
    })
  })

  t.test('closing rejects calls, is clean, and can be repeated', async (t) => {
    const sockets: WebSocket[] = []
    const { server, client } = await connected(t, {
      webSocket(url) {
        const socket = ws.webSocket(url)
        sockets.push(socket)
        return socket
      },
    })
    const call = client.forever()
    const iteration = client.watch('a').next()
    await once(server.events, 'watch')
    const closed = client.close_()
    t.equal(client.state, 'closed')
    await t.rejects(call, { kind: 'network', message: /forever: .*the client was closed/ })
    t.same(await iteration, { done: true, value: undefined }, 'subscriptions end')
    await closed
    await client.close_()
    await t.rejects(client.math.add(1, 2), { message: /the client was closed/ })
    await t.rejects(client.watch('b').next(), { message: /the client was closed/ })
    const listeners = sockets.flatMap((socket) =>
      socket.eventNames().filter((name) => socket.listenerCount(name)),
    )
    t.same(listeners, [], 'no listener is left')
    await until(() => server.watching() === 0)
  })

  t.test('pending calls fail when the connection is lost, and later ones wait for the next', async (t) => {
    const states: unknown[] = []
    const { server, client } = await connected(t, {
      reconnect: { delayMilliseconds: 5, maxDelayMilliseconds: 20, attempts: Number.POSITIVE_INFINITY },
      onState: (...state) => states.push(state),
    })
    const call = client.forever()
    await client.math.add(1, 2)
    const failed = t.rejects(call, {
      ...{ name: 'TransportError', kind: 'network', method: 'forever' },
      message: /the connection was lost \(close code 1006\)/,
    })
    await server.kill()
    await failed
    t.equal(client.state, 'reconnecting')
    const waiting = client.math.add(20, 22)
    await t.rejects(client.math.add(1, 2, { timeoutMilliseconds: 30 }), {
      name: 'TransportError',
      kind: 'timeout',
    })
    await startCounters(t, server.port)
    t.equal(await waiting, 42)
    t.match(states, [
      ['reconnecting', { kind: 'network' }],
      ['open', undefined],
    ])
  })

  t.test(
    'the client closes after the last attempt, without reconnecting, and after codes that are final',
    async (t) => {
      for (const [reconnect, code] of [
        [{ attempts: 2, delayMilliseconds: 1 }, undefined],
        [false, undefined],
        [undefined, 1000],
        [undefined, 1008],
      ] as const) {
        const states: string[] = []
        const { server, client } = await connected(t, { reconnect, onState: (state) => states.push(state) })
        const iteration = client.watch('a', { onGap: () => undefined }).next()
        await once(server.events, 'watch')
        const ended = t.rejects(iteration, { name: 'TransportError', kind: 'network', method: 'watch' })
        if (code === undefined) await server.kill()
        else await client.close(code)
        await ended
        await until(() => client.state === 'closed')
        t.same(states, typeof reconnect === 'object' ? ['reconnecting', 'closed'] : ['closed'])
        await t.rejects(client.math.add(1, 2), { name: 'TransportError', kind: 'network' })
      }
    },
  )
})

t.test('silent connections', async (t) => {
  t.test('a connection that a proxy no longer carries is replaced', async (t) => {
    const server = await startCounters(t)
    const proxy = await proxyTo(t, Number(new URL(server.url).port))
    const states: unknown[] = []
    const client = await connect(`ws://127.0.0.1:${proxy.port}/`, {
      ...ws,
      probeSeconds: 0.5,
      reconnect: { delayMilliseconds: 5 },
      onState: (...state) => states.push(state),
    })
    t.teardown(() => client.close_())
    proxy.silence()
    const lost = t.rejects(client.forever(), { name: 'TransportError', kind: 'network', method: 'forever' })
    await until(() => states.length > 0 && client.state === 'open')
    await lost
    t.match(states[0], ['reconnecting', { message: /no message within 0.5 s after a probe/ }])
    t.equal(await client.math.add(1, 2), 3)
  })

  t.test('an answer that a busy process has not read yet keeps the connection', async (t) => {
    const answers = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(echoServer, { eval: true, workerData: answers })
    t.teardown(() => worker.terminate())
    const [port] = await once(worker, 'message')
    let blocked = 0
    const webSocket = (url: string) => {
      const socket = new WebSocket(url)
      const send = socket.send.bind(socket)
      socket.send = (text: string) => {
        send(text)
        setImmediate(() => {
          blocked += 1
          // Longer than a probe may take, and until its answer has been sent.
          const end = performance.now() + 300
          while (performance.now() < end || Atomics.load(answers, 0) < blocked);
        })
      }
      return socket
    }
    const states: string[] = []
    const onState = (state: string) => states.push(state)
    const url = `ws://127.0.0.1:${port}/secret-key-0123456789`
    const client = await connect(url, { webSocket, probeSeconds: 0.1, onState })
    t.teardown(() => client.close_())
    await until(() => blocked > 2)
    t.same(states, [])
  })

  t.test('any answer to a probe keeps the connection, and 0 sends none', async (t) => {
    const probes: string[] = []
    const probed = new Set<WebSocket>()
    const url = await answering(t, ({ id, ...probe }, socket) => {
      probes.push(JSON.stringify(probe))
      probed.add(socket)
      socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }),
      )
    })
    const states: string[] = []
    const onState = (state: string) => states.push(state)
    const quiet = await connect(url, { ...ws, probeSeconds: 0, onState })
    t.teardown(() => quiet.close_())
    const client = await connect(url, { ...ws, probeSeconds: 0.5, onState })
    t.teardown(() => client.close_())
    await until(() => probes.length > 1)
    t.equal(probed.size, 1, 'the probes of the other client')
    t.equal(quiet.state, 'open')
    t.same(new Set(probes), new Set(['{"jsonrpc":"2.0","method":"rpc.ping","params":[]}']))
    t.same(states, [])
    await t.rejects(connect(url, { ...ws, probeSeconds: -1 }), RangeError)
  })
})

t.test('calls of the server', async (t) => {
  t.test('handlers get named parameters with defaults, and answer', async (t) => {
    const received: unknown[] = []
    const { client } = await connected(t, {
      handlers: {
        confirm(params: unknown, { method, signal }: { method: string; signal: AbortSignal }) {
          received.push([method, params, signal.aborted])
          return false
        },
        note: (params: unknown) => received.push(params),
      },
    })
    t.equal(await client.ask('Really?'), false)
    t.same(received, [{ text: 'Really?' }, ['confirm', { question: 'Really?', preset: true }, false]])
  })

  t.test('errors of handlers, and methods without one', async (t) => {
    const errors: unknown[] = []
    const refusal = new RpcError({ code: 9, message: 'Not now' })
    const cycle: unknown[] = []
    cycle.push(cycle)
    const thrown: Record<string, unknown> = {
      'a?': refusal,
      'b?': new Error('a defect'),
      'nan?': new RpcError({ code: 9, message: 'Not now', data: { at: Number.NaN } }),
      'cycle?': new RpcError({ code: 9, message: 'Not now', data: cycle as never }),
    }
    const { client } = await connected(t, {
      handlers: {
        confirm({ question }: { question: string }) {
          throw thrown[question]
        },
      },
      onHandlerError: (...error) => errors.push(error),
    })
    t.same(await client.ask('a?'), [9, 'Not now'])
    t.same(await client.ask('b?'), [-32603, 'Internal error'])
    t.same(errors, [[thrown['b?'], 'confirm']])
    for (const [question, error] of [
      ['nan?', { name: 'TypeError', message: /^confirm: the data of the error .* \(NaN at \/at\)$/ }],
      ['cycle?', { name: 'RangeError' }],
    ] as const) {
      t.same(await client.ask(question), [-32603, 'Internal error'])
      t.match(errors.pop(), [error, 'confirm'])
    }
    const { client: other } = await connected(t)
    t.same(await other.ask('c?'), [-32601, 'Method not found'])
  })

  t.test('callbacks that throw break neither a call of the server nor the connection', async (t) => {
    const thrown = collectMicrotaskErrors(t)
    const fails = (...given: readonly unknown[]) => {
      throw new Error(String(given.at(0)))
    }
    const { server, client } = await connected(t, {
      handlers: { confirm: () => fails('handler') },
      onHandlerError: fails,
      onState: fails,
      reconnect: { delayMilliseconds: 5, attempts: Number.POSITIVE_INFINITY },
    })
    t.same(await client.ask('?'), [-32603, 'Internal error'])
    await server.kill()
    await until(() => client.state === 'reconnecting')
    await startCounters(t, server.port)
    t.equal(await client.math.add(20, 22), 42)
    await client.close_()
    t.match(thrown, [
      { message: 'Error: handler' },
      { message: 'reconnecting' },
      { message: 'open' },
      { message: 'closed' },
    ])
  })

  t.test('lists are answered with lists, and answers never reach another connection', async (t) => {
    const received: unknown[] = []
    const sockets: WebSocket[] = []
    const confirm = '{"jsonrpc":"2.0","id":1,"method":"confirm","params":["?"]}'
    const url = await answering(t, (message, socket) => {
      received.push(message)
      if (!('method' in message)) return
      sockets.push(socket)
      socket.send(`[${confirm},{"jsonrpc":"2.0","method":"note","params":{"text":"x"}},${confirm}]`)
    })
    const answers: ((isYes: boolean) => void)[] = []
    const signals: AbortSignal[] = []
    const client = await connect(url, {
      ...ws,
      reconnect: { delayMilliseconds: 1 },
      handlers: {
        confirm(_: unknown, { signal }: { signal: AbortSignal }) {
          signals.push(signal)
          return new Promise((resolve) => answers.push(resolve))
        },
      },
    })
    t.teardown(() => client.close_())
    const first = client.forever()
    await until(() => answers.length === 2)
    for (const answer of answers.splice(0)) answer(true)
    await until(() => received.length === 2)
    const answered = { jsonrpc: '2.0', id: 1, result: true }
    t.same(received[1], [answered, answered])
    t.notOk(signals[0]?.aborted)
    client.forever().catch(() => undefined)
    await until(() => answers.length === 2)
    sockets[0]?.terminate()
    await t.rejects(first, { name: 'TransportError', kind: 'network' })
    t.ok(signals[2]?.aborted)
    const stale = answers.splice(0)
    await until(() => client.state === 'open')
    for (const answer of stale) answer(true)
    client.forever().catch(() => undefined)
    await until(() => answers.length === 2)
    t.match(received.slice(2), [{ method: 'forever' }, { method: 'forever' }])
    t.equal(received.length, 4)
  })
})
