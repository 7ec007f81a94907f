import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** An answer of the service, before its headers are written. */
export interface Counted {
  /** Number of the request, from 1. */
  readonly number: number
  /** Calls of the request; undefined for a single request. */
  readonly batch: number | undefined
  readonly left: number
  readonly limit: number
  /** Seconds until the reset at 00:00 UTC. */
  readonly seconds: number
}

/** What a service does differently. */
export interface Behaviour {
  /** Charge of a request, by default its number of calls. */
  readonly charge?: (counted: Omit<Counted, 'left'>) => number
  /** Requests of others that are charged before a request. */
  readonly others?: (number: number) => number
  /** Changes what the headers state. */
  readonly stated?: (counted: Counted) => Counted
  /** Number of processes, each of which counts its own share and takes requests in turn. */
  readonly processes?: number
}

/** Starts a service that answers every call with a number, and counts a daily limit in its headers. */
export async function startCountingService(t: Test, behaviour: Behaviour): Promise<string> {
  const { charge, others, stated = (counted) => counted, processes = 1 } = behaviour
  const limit = 10_000
  const used = Array.from({ length: processes }, (_, at) => 700 * at)
  let number = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const calls = JSON.parse(Buffer.concat(chunks).toString()) as { id: number } | { id: number }[]
    number++
    const batch = Array.isArray(calls) ? calls.length : undefined
    const now = Date.now() / 1000
    const seconds = 86_400 - (Math.floor(now) % 86_400)
    const counted = { number, batch, limit, seconds }
    const process = number % processes
    used[process] = (used[process] ?? 0) + (others?.(number) ?? 0) + (charge?.(counted) ?? batch ?? 1)
    const { left, ...told } = stated({ ...counted, left: limit - (used[process] ?? 0) })
    const answers = [calls].flat().map(({ id }) => ({ jsonrpc: '2.0', id, result: 7 }))
    response.writeHead(200, {
      'content-type': 'application/json',
      'ratelimit-policy': `"daily";q=${told.limit};w=86400`,
      ratelimit: `"daily";r=${left};t=${told.seconds}`,
    })
    response.end(JSON.stringify(Array.isArray(calls) ? answers : answers[0]))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
