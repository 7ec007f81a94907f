/**
 * A server with WebSockets and nothing else, in a process of its own. Takes the name of the server. It sends its port,
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
/** A method that clients call, and one that the server calls. */
const methods = {
  ping: {
    name: 'ping',
    params: [],
    paramStructure: 'by-position',
    notification: false,
    extensions: {},
    validateParams: isValid,
    validateResult: isValid,
  },
  changed: {
    name: 'changed',
    params: [],
    paramStructure: 'by-position',
    notification: true,
    extensions: { 'x-direction': 'serverToClient' },
    validateParams: isValid,
    validateResult: isValid,
  },
} as const satisfies Methods
const path = '/rpc'
const server = createServer()
const [name] = process.argv.slice(2)

function connectionsOfOurs(): ReadonlySet<unknown> {
  const service = createService({ methods, handlers: { ping: () => 'pong' } })
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
