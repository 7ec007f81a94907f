import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { RegisteredRpc } from './register-rpc.js'

/** What is to be stopped, and how long it may take. */
export interface StopOptions {
  readonly app: FastifyInstance
  readonly rpc: RegisteredRpc
  /** Milliseconds after which connections that still wait for an answer are cut. */
  readonly deadlineMilliseconds: number
}

/** How a stop went. */
export interface StopReport {
  /** True when every request in flight was answered. */
  readonly clean: boolean
}

/** Part of the deadline in which callers on kept-alive connections learn of the stop from an answer. */
const FAREWELL_SHARE = 0.025
/** The same where callers go on sending. */
const LONGEST_FAREWELL_SHARE = 0.1
const CHECK_EVERY_MILLISECONDS = 20
/** Looks in a row that find nothing new, after which nobody is taken to go on sending. */
const QUIET_LOOKS = 4

/**
 * Stops a server without losing a request. New requests are answered `draining` and their connections end. After a
 * moment in which busy clients get that answer, idle connections are closed and no new ones are taken; what is in
 * flight ends. At the deadline the rest is cut. Then Fastify's own `close` hooks run.
 */
export async function stopGracefully(options: StopOptions): Promise<StopReport> {
  const { app, rpc, deadlineMilliseconds } = options
  const begun = performance.now()
  rpc.drain()
  await farewell(rpc, begun, deadlineMilliseconds)
  const closed = app.close()
  const closeIdle = createCloseIdle(options)
  const clean = await untilNoConnections(rpc, begun + deadlineMilliseconds, closeIdle)
  if (!clean) for (const socket of rpc.connections) socket.destroy()
  await closed
  return { clean }
}

/**
 * Waits until busy callers have had their answer: until nothing has come for some looks. A machine that is short of
 * time would else close connections whose next request lies unread. Where nobody is, one look more is taken: a client
 * may have sent its request on a connection that the server has not been given yet, which would be reset.
 */
async function farewell({ connections }: RegisteredRpc, begun: number, deadline: number): Promise<void> {
  let before = -1
  let quietLooks = 0
  for (;;) {
    // A new connection counts as something that came, also before its first byte.
    let come = 0
    for (const { bytesRead } of connections) come += bytesRead + 1
    if (come === 0 && before === 0) return
    const elapsed = performance.now() - begun
    quietLooks = come === before ? quietLooks + 1 : 0
    const isQuiet = quietLooks >= QUIET_LOOKS && elapsed >= deadline * FAREWELL_SHARE
    if (isQuiet || elapsed >= deadline * LONGEST_FAREWELL_SHARE) return
    before = come
    await nextLook(CHECK_EVERY_MILLISECONDS)
  }
}

/** Waits for a time, and until what has arrived meanwhile is read: a timer that is late runs before that. */
async function nextLook(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until the last connection is gone; false when the time comes first. */
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
 * Makes the closing of connections that wait for a request. Node does not count those that have never sent one:
 * they are closed when they are still silent at the next look.
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
