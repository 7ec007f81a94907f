import { EventEmitter, on, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { HandlerCall, MethodTypes } from '@concordat/rpc'
import { RpcError } from '@concordat/rpc'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import { loadMethods } from '../../../../src/cli/mock/mock-methods.js'
import type { ConnectOptions, SubscriptionOptions } from '../../../../src/runtime/client/web-socket/index.js'
import { createService } from '../../../../src/runtime/server/index.js'
import { mountWebSocket } from '../../../../src/runtime/server/web-socket/index.js'
import { generate } from '../../../../src/toolkit/codegen/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { tool, write } from '../../toolkit/codegen/fixtures.js'

const integer = { type: 'integer' }
const id = { name: 'subscription', required: true, schema: { type: 'string' } }
const item = { name: 'item', required: true, schema: integer }
const stopped = { name: 'stopped', schema: { type: 'boolean' } }
const toClient = { 'x-direction': 'serverToClient' }
const extension = (name: string, schema: object) => ({
  ...{ openrpcExtension: '0.0.0-development', name, version: '1.0.0' },
  ...{ restricted: ['methodObject'], schema },
})

/** A contract with calls in both directions, and two subscriptions. */
export const document = {
  openrpc: '1.3.2',
  info: { title: 'Counters', version: '1.0.0' },
  'x-extensions': [
    extension('x-direction', { type: 'string' }),
    extension('x-subscription', { type: 'object' }),
  ],
  methods: [
    {
      name: 'math.add',
      params: ['a', 'b'].map((name) => ({ name, required: true, schema: integer })),
      result: { name: 'sum', schema: integer },
      errors: [{ code: 7, message: 'Too large' }],
    },
    { name: 'forever', params: [], result: { name: 'never', schema: { type: 'null' } } },
    { name: 'cancel', params: [{ name: 'call', required: true, schema: {} }], 'x-cancels': { id: 'call' } },
    { name: 'close', params: [{ name: 'code', schema: integer }] },
    {
      name: 'ask',
      params: [{ name: 'question', schema: { type: 'string' } }],
      result: { name: 'answer', schema: {} },
    },
    {
      name: 'confirm',
      paramStructure: 'by-position',
      params: [
        { name: 'question', required: true, schema: { type: 'string' } },
        { name: 'preset', schema: { type: 'boolean', default: true } },
      ],
      result: { name: 'isYes', schema: { type: 'boolean' } },
      ...toClient,
    },
    { name: 'note', params: [{ name: 'text', required: true, schema: { type: 'string' } }], ...toClient },
    {
      name: 'count',
      paramStructure: 'by-name',
      params: [{ name: 'to', required: true, schema: integer }],
      result: id,
      'x-subscription': { notification: 'counted', unsubscribe: 'stopCounting', end: 'countEnded' },
    },
    { name: 'counted', paramStructure: 'by-position', params: [id, item], ...toClient },
    { name: 'countEnded', paramStructure: 'by-position', params: [id], ...toClient },
    { name: 'stopCounting', paramStructure: 'by-position', params: [id], result: stopped },
    {
      name: 'watch',
      params: [{ name: 'topic', required: true, schema: { type: 'string', maxLength: 10 } }],
      result: id,
      'x-subscription': { notification: 'watched', unsubscribe: 'unwatch' },
    },
    { name: 'watched', paramStructure: 'by-name', params: [id, item], ...toClient },
    { name: 'unwatch', paramStructure: 'by-name', params: [id], result: stopped },
  ],
}

const contract = parseContract(JSON.stringify(document))
const methods = await loadMethods(contract)

/** The generated client, loaded from a temporary folder. */
export async function generatedConnect(t: Test): Promise<Connect> {
  const folder = await temporaryFolder(t)
  const { files } = generate(contract, tool, { only: ['types', 'client', 'web-socket'] })
  await write(folder, { path: 'package.json', content: '{"type":"module"}' })
  for (const file of files) await write(folder, file)
  const { connect } = await import(pathToFileURL(join(folder, 'web-socket.ts')).href)
  return connect
}

/** The generated function; `handlers` are those of the contract's methods for the client. */
type Connect = (url: string, options?: ConnectOptions) => Promise<CounterClient>

/** A running server. */
export interface CounterServer {
  readonly port: number
  readonly url: string
  /**
   * Emits `watch` with the topic when a subscription begins, and `unwatch` when it ends; `forever` when such a call
   * begins, and `ended` with its id and the reason of its signal.
   */
  readonly events: EventEmitter
  readonly watching: () => number
  /** Sends an item to all subscriptions of `watch`. */
  publish(item: number): void
  /** Destroys all connections and frees the port. */
  kill(): Promise<void>
}

async function* numbers(to: number) {
  for (let at = 1; at <= to; at++) yield at
}

/** Serves the contract over WebSockets, with a real HTTP server. */
export async function startCounters(
  t: Test,
  port = 0,
  { refuse = false }: { readonly refuse?: boolean } = {},
): Promise<CounterServer> {
  const events = new EventEmitter().setMaxListeners(0)
  const server = createServer()
  let watching = 0
  const handlers = {
    'math.add': ({ a, b }: { a: number; b: number }) => {
      if (a + b > 100) throw new RpcError({ code: 7, message: 'Too large', data: a + b })
      return a + b
    },
    async forever(_: object, __: unknown, { id, signal }: HandlerCall) {
      events.emit('forever')
      await once(signal, 'abort')
      events.emit('ended', id, signal.reason.message)
      return null
    },
    close: ({ code }: { code: number }) => {
      for (const socket of endpoint.connections) socket.close(code)
    },
    ask: ({ question }: { question: string }, _: unknown, { peer }: HandlerCall<MethodTypes>) => {
      peer.notify('note', { text: question })
      return peer.request('confirm', { question }).catch((error: RpcError) => [error.code, error.message])
    },
    count({ to }: { to: number }) {
      if (refuse) throw new RpcError({ code: -32602, message: 'Not any more' })
      return numbers(to)
    },
    async *watch(_: object, __: unknown, { signal }: HandlerCall) {
      watching += 1
      events.emit('watch')
      try {
        for await (const [item] of on(events, 'item', { signal })) yield item
      } finally {
        watching -= 1
        events.emit('unwatch')
      }
    },
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const service = createService({ methods, handlers: handlers as never, log })
  const endpoint = mountWebSocket(server, { service, path: '/' })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const kill = async () => {
    for (const socket of endpoint.connections) socket.terminate()
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  t.teardown(kill)
  const { port: taken } = server.address() as AddressInfo
  return {
    port: taken,
    url: `ws://127.0.0.1:${taken}/`,
    events,
    watching: () => watching,
    publish: (item) => events.emit('item', item),
    kill,
  }
}

/** The client of the contract, as its generated code types it. */
export interface CounterClient {
  readonly math: { add(a: number, b: number, options?: object): Promise<number> }
  forever(options?: object): Promise<null>
  readonly close: (code: number) => Promise<void>
  ask(question: string): Promise<unknown>
  count(params: { to: number }, options?: SubscriptionOptions): AsyncIterableIterator<number>
  watch(topic: string, options?: SubscriptionOptions): AsyncIterableIterator<number>
  request(method: string, params?: unknown): Promise<unknown>
  readonly state: string
  close_(): Promise<void>
}

/** The option for a WebSocket of the package ws. */
export const ws = { webSocket: (url: string) => new WebSocket(url) } satisfies ConnectOptions
