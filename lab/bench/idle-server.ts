/**
 * A server of WebSockets in a process of its own. Takes the name of the server. It sends its port,
 * and for each message its number of connections and its memory after a garbage collection.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createService, type Methods } from '@concordat/server'
import { mountWebSocket } from '@concordat/server/web-socket'
import { WebSocketServer } from 'ws'

/** Memory of a server. */
export interface IdleMemory {
  readonly connections: number
  /** Resident memory of the process, in bytes. */
  readonly residentBytes: number
  /** Memory of objects and buffers, in bytes. */
  readonly heapBytes: number
}

const isValid = () => []
function method(
  name: string,
  params: readonly string[],
  extensions: Methods[string]['extensions'] = {},
): Methods[string] {
  return {
    name,
    params: params.map((param) => ({ name: param, required: true })),
    paramStructure: 'by-position',
    notification: extensions['x-direction'] !== undefined,
    extensions,
    validateParams: isValid,
    validateResult: isValid,
  }
}

/** A method, and a subscription. */
const methods: Methods = {
  ping: method('ping', []),
  count: method('count', ['characters', 'perSecond'], {
    'x-subscription': { notification: 'counted', unsubscribe: 'stop' },
  }),
  stop: method('stop', ['subscription']),
  counted: method('counted', ['subscription', 'item'], { 'x-direction': 'serverToClient' }),
}

interface Counting {
  readonly characters: number
  readonly perSecond: number
}

/** Counts with a text in each item. Items for a slow caller are late, and not left out. */
async function* count({ characters, perSecond }: Counting): AsyncGenerator<[number, string]> {
  const text = 'x'.repeat(characters)
  const begun = performance.now()
  for (let number = 0; ; number++) {
    while (((performance.now() - begun) / milliseconds) * perSecond < number) await nextTick()
    yield [number, text]
  }
}

const milliseconds = 1_000
const tickMilliseconds = 10
/** The subscriptions that wait for the next tick. */
const waiting: (() => void)[] = []
const nextTick = () => new Promise<void>((resolve) => waiting.push(resolve))
setInterval(() => {
  for (const resolve of waiting.splice(0)) resolve()
}, tickMilliseconds)

const path = '/rpc'
const server = createServer()
const [name] = process.argv.slice(2)

function connectionsOfOurs(): ReadonlySet<unknown> {
  const handlers = { ping: () => 'pong', count }
  const service = createService({ methods, handlers: handlers as never })
  return mountWebSocket(server, { service, path }).connections
}

function connectionsOfWs(): ReadonlySet<unknown> {
  const sockets = new WebSocketServer({ server, path, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined)
    socket.on('message', (data) => socket.send(data))
  })
  return sockets.clients
}

const connections = name === 'ws' ? connectionsOfWs() : connectionsOfOurs()
// Connections that wait in the queue of the operating system would be refused beyond the default of 511.
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 })
await once(server, 'listening')
process.on('message', () => {
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  const memory: IdleMemory = {
    connections: connections.size,
    residentBytes: rss,
    heapBytes: heapUsed + external,
  }
  process.send?.(memory)
})
process.on('disconnect', () => process.exit(0))
process.send?.((server.address() as AddressInfo).port)
