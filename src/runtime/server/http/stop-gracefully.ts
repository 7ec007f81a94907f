import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpEdge } from './http-edge.js'

/** The connections of served routes. */
export interface RegisteredRpc extends Pick<HttpEdge, 'drain'> {
  /** The open connections, including those that have not sent anything yet. */
  readonly connections: ReadonlySet<Socket>
  /** Closes the listening socket. Open connections stay open. */
  stopListening(): void
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

/** Options of a graceful shutdown. */
export interface StopOptions {
  /** The server to close. */
  readonly app: { close(): PromiseLike<unknown> }
  readonly rpc: RegisteredRpc
  /** Milliseconds after which connections with unanswered requests are closed. */
  readonly deadlineMilliseconds: number
}

/** The outcome of a shutdown. */
export interface StopReport {
  /** True if every request in flight was answered. */
  readonly clean: boolean
}

/** Share of the deadline in which clients on keep-alive connections learn of the shutdown from a response. */
const FAREWELL_SHARE = 0.025
/** The same share while clients keep sending. */
const LONGEST_FAREWELL_SHARE = 0.1
const CHECK_EVERY_MILLISECONDS = 20
/** Number of consecutive checks without new requests after which clients count as quiet. */
const QUIET_LOOKS = 4

/**
 * Stops a server without losing requests. First the listening socket is closed, so that load balancers send new
 * connections elsewhere. Requests on open connections are still answered, and each answer closes its connection. After
 * busy clients got such an answer, idle connections are closed, and requests in flight finish. At the deadline all other
 * connections are closed. Then the server's own clean-up runs.
 */
export async function stopGracefully(options: StopOptions): Promise<StopReport> {
  const { app, rpc, deadlineMilliseconds } = options
  const begun = performance.now()
  await acceptArrived(rpc, deadlineMilliseconds * FAREWELL_SHARE)
  rpc.stopListening()
  // Clients whose connections are closed connect again at once. They must find the socket closed.
  rpc.drain()
  await farewell(rpc, begun, deadlineMilliseconds)
  const closed = app.close()
  const closeIdle = createCloseIdle(options)
  const clean = await untilNoConnections(rpc, begun + deadlineMilliseconds, closeIdle)
  if (!clean) for (const socket of rpc.connections) socket.destroy()
  await closed
  return { clean }
}

/** Waits until no new connection is there. The system resets those that have arrived and are not accepted yet. */
async function acceptArrived({ connections }: RegisteredRpc, atMostMilliseconds: number): Promise<void> {
  const until = performance.now() + atMostMilliseconds
  for (;;) {
    const before = new Set(connections)
    await nextLook(0)
    const isNew = (socket: Socket) => !before.has(socket)
    if (![...connections].some(isNew) || performance.now() >= until) return
  }
}

/**
 * Waits until busy clients have received that answer, that is, until several checks find no new request.
 * Otherwise a slow machine would close connections with unread requests.
 */
async function farewell({ connections }: RegisteredRpc, begun: number, deadline: number): Promise<void> {
  let before = -1
  let quietLooks = 0
  for (;;) {
    // A new connection counts as a request, even before its first byte.
    let come = 0
    for (const { bytesRead } of connections) come += bytesRead + 1
    if (come === 0) return
    const elapsed = performance.now() - begun
    quietLooks = come === before ? quietLooks + 1 : 0
    const isQuiet = quietLooks >= QUIET_LOOKS && elapsed >= deadline * FAREWELL_SHARE
    if (isQuiet || elapsed >= deadline * LONGEST_FAREWELL_SHARE) return
    before = come
    await nextLook(CHECK_EVERY_MILLISECONDS)
  }
}

/** Waits for a time, and until data that arrived meanwhile was read. A late timer would run before that. */
async function nextLook(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until all connections are closed. Returns false if the time passes first. */
async function untilNoConnections(
  { connections }: RegisteredRpc,
  until: number,
  beforeEachLook: () => void = () => {},
): Promise<boolean> {
  while (connections.size > 0) {
    const left = until - performance.now()
    if (left <= 0) return false
    beforeEachLook()
    await nextLook(Math.min(CHECK_EVERY_MILLISECONDS, left))
  }
  return true
}

/**
 * Returns a function that closes idle connections. Node does not count connections that never sent a request.
 * They are closed if they are still silent at the next check.
 */
function createCloseIdle({ rpc }: StopOptions): () => void {
  const silent = new WeakSet<Socket>()
  return () => {
    rpc.closeIdle()
    for (const socket of rpc.connections) {
      if (socket.bytesRead > 0) continue
      if (silent.has(socket)) socket.destroy()
      else silent.add(socket)
    }
  }
}
