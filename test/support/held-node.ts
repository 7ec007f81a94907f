import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A node that holds its answers until the test releases them. */
export interface HeldNode {
  readonly url: string
  /** Resolves once a call of the method has arrived and is held. */
  arrived(method: string): Promise<void>
  /** Answers every call of the method, held ones and later ones. */
  release(method: string, result: unknown): void
  /** Number of calls of the method that are held. Calls whose connections were closed count, too. */
  held(method: string): number
  /** Number of connections over which calls of the method have arrived. */
  connections(method: string): number
  close(): void
}

/** Starts the node. Methods in `answers` are answered immediately, and it is not syncing. */
export async function startHeldNode(answers: Readonly<Record<string, unknown>>): Promise<HeldNode> {
  const known = new Map<string, unknown>([['eth_syncing', false], ...Object.entries(answers)])
  const waiting = new Map<string, (() => void)[]>()
  const arrivals = new Map<string, (() => void)[]>()
  const connections = new Map<string, Set<Socket>>()
  /** Answers a call once its method is released. */
  const answerTo = async ({ id, method }: { id: unknown; method: string }) => {
    if (!known.has(method)) {
      await new Promise<void>((resolve) => {
        waiting.set(method, [...(waiting.get(method) ?? []), resolve])
        for (const tell of arrivals.get(method) ?? []) tell()
      })
    }
    return { jsonrpc: '2.0', id, result: known.get(method) }
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const body = JSON.parse(text)
    for (const { method } of [body].flat())
      connections.set(method, (connections.get(method) ?? new Set()).add(request.socket))
    const answer = Array.isArray(body) ? await Promise.all(body.map(answerTo)) : await answerTo(body)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: (method) =>
      new Promise((resolve) => {
        if (waiting.has(method)) resolve()
        else arrivals.set(method, [...(arrivals.get(method) ?? []), resolve])
      }),
    release(method, result) {
      known.set(method, result)
      for (const answer of waiting.get(method) ?? []) answer()
      waiting.delete(method)
    },
    held: (method) => waiting.get(method)?.length ?? 0,
    connections: (method) => connections.get(method)?.size ?? 0,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
