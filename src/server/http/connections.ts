import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpEdge } from './http-edge.js'

/** The connections of served routes. */
export interface RegisteredRpc extends Pick<HttpEdge, 'drain'> {
  /** The open connections, including those that have not sent anything yet. */
  readonly connections: ReadonlySet<Socket>
  /** Closes idle connections. */
  closeIdle(): void
}

/** Returns the open connections of a server, from now on. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}
