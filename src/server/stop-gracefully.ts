import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { RegisteredRpc } from './register-rpc.js'

/** What is to be stopped, and how long it may take. */
export interface StopOptions {
  readonly app: FastifyInstance
  readonly rpc: Pick<RegisteredRpc, 'drain'>
  /** Milliseconds after which connections that still wait for an answer are cut. */
  readonly deadlineMilliseconds: number
}

/** How a stop went. */
export interface StopReport {
  /** True when every request in flight was answered. */
  readonly clean: boolean
}

/** Part of the deadline in which callers on kept-alive connections learn of the stop from an answer. */
const FAREWELL_SHARE = 0.05
const CHECK_EVERY_MILLISECONDS = 25

/**
 * Stops a server without losing a request. New requests are answered `draining` and their connections end. After a
 * moment in which busy clients get that answer, idle connections are closed and no new ones are taken; what is in
 * flight ends. At the deadline the rest is cut. Then Fastify's own `close` hooks run.
 */
export async function stopGracefully(options: StopOptions): Promise<StopReport> {
  const { app, rpc, deadlineMilliseconds } = options
  const { server } = app
  const begun = performance.now()
  const leftOf = (milliseconds: number): number => begun + milliseconds - performance.now()
  rpc.drain()
  await untilNoConnections(server, () => leftOf(deadlineMilliseconds * FAREWELL_SHARE))
  const closed = app.close()
  const clean = await untilNoConnections(server, () => leftOf(deadlineMilliseconds))
  if (!clean) server.closeAllConnections()
  await closed
  return { clean }
}

/** Waits until the last connection is gone; false when time runs out first. */
async function untilNoConnections(server: Server, millisecondsLeft: () => number): Promise<boolean> {
  while ((await openConnections(server)) > 0) {
    const left = millisecondsLeft()
    if (left <= 0) return false
    await new Promise((resolve) => setTimeout(resolve, Math.min(CHECK_EVERY_MILLISECONDS, left)))
    if (!server.listening) server.closeIdleConnections()
  }
  return true
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error ? 0 : count))
  })
}
