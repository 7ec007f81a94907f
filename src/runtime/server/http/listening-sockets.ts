import cluster from 'node:cluster'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, type ListenOptions, Server as NetServer, type Socket } from 'node:net'

/** The sockets that listen for a server. */
export interface ListeningSockets {
  /** The port that the system chose, or the one that was asked for. */
  readonly port: number
  /** Closes the sockets. Open connections stay open. */
  close(): void
}

/**
 * Number of listening sockets. Node accepts one connection of each in a turn of the event loop (libuv, since 1.45). With
 * a single socket and long turns, a caller who keeps opening connections delays the others' new connections by seconds.
 */
const SOCKETS = 16
/**
 * Connections of a socket that the system completes before the server accepts them. With Node's 511, a busy event loop
 * makes the system drop new connections, which are tried again after a second and more. The system lowers it to its own
 * limit.
 */
const BACKLOG = 4_096

/**
 * Listens on a port with several sockets if the system can share it among them (`reusePort`: from Node 22.12, on Linux
 * and FreeBSD), otherwise with one.
 * @param connections the open connections of all sockets
 * @param address port 0 chooses a free port
 * @throws Error of Node's `listen`, such as `EADDRINUSE` if another program listens on the port
 */
export async function listenOn(
  server: Server,
  connections: ReadonlySet<Socket>,
  address: ListenOptions,
): Promise<ListeningSockets> {
  const options = { ...address, backlog: BACKLOG }
  if (cluster.isWorker) return listening([server], await portOf(server, options))
  // Sockets that share their port also share it with those of another program of the same user.
  if (options.port !== 0) await close(await listen(new NetServer(), options))
  const shared = { ...options, reusePort: true }
  const port = await portOf(server, shared).catch((error) => {
    if (error.code !== 'ENOTSUP') throw error
    return portOf(server, options)
  })
  const sockets: NetServer[] = [server]
  while (sockets.length < SOCKETS) {
    // The options that Node's HTTP server sets.
    const further = new NetServer({ allowHalfOpen: true, noDelay: true })
    further.on('connection', (socket: Socket) => server.emit('connection', socket))
    further.on('drop', (refused) => server.emit('drop', refused))
    const isShared = await listen(further, { ...shared, port }).then(
      () => true,
      () => false,
    )
    if (!isShared) break
    sockets.push(further)
  }
  if (sockets.length > 1) shareConnectionLimit(sockets, connections)
  return listening(sockets, port)
}

/** Makes `maxConnections` of the first socket limit the connections of all. Node counts those of each socket alone. */
function shareConnectionLimit([server, ...others]: NetServer[], connections: ReadonlySet<Socket>): void {
  if (server === undefined) return
  let most: number | undefined = server.maxConnections
  for (const socket of [server, ...others]) {
    Object.defineProperty(socket, 'maxConnections', {
      // With a limit of 0, Node drops each new connection.
      get: () => (most === undefined || connections.size < most ? most : 0),
      set: (value: number | undefined) => {
        most = value
      },
    })
  }
}

const listening = (sockets: readonly NetServer[], port: number): ListeningSockets => ({
  port,
  close() {
    for (const socket of sockets) closeSocket(socket)
  },
})

/** Closes the listening socket of a server. The `close` of an HTTP server would also close idle connections, at once. */
export function closeSocket(server: NetServer): void {
  NetServer.prototype.close.call(server)
}

async function listen<Kind extends NetServer>(server: Kind, options: ListenOptions): Promise<Kind> {
  server.listen(options)
  await once(server, 'listening')
  return server
}

const portOf = async (server: Server, options: ListenOptions) =>
  ((await listen(server, options)).address() as AddressInfo).port

async function close(server: NetServer): Promise<void> {
  server.close()
  await once(server, 'close')
}
