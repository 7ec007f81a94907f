import type { JsonValue } from '@concordat/rpc'
import { Client } from 'undici'
import { EmbeddedChainError } from '../embedded-chain-error.js'

/** JSON-RPC client for seeding anvil. Each error aborts the seeding. */
export interface AnvilClient {
  call(method: string, ...params: JsonValue[]): Promise<JsonValue>
  close(): Promise<void>
}

/** Number of requests in flight. anvil processes the requests of a connection in order. */
const requestsAhead = 64

/**
 * Creates a client for seeding anvil.
 * @param url anvil's JSON-RPC URL
 */
export function createAnvilClient(url: string): AnvilClient {
  const client = new Client(url, { pipelining: requestsAhead })
  const headers = { 'content-type': 'application/json' }
  return {
    async call(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await client.request({ path: '/', method: 'POST', idempotent: true, headers, body })
      const answer = (await response.body.json()) as { result?: JsonValue; error?: { message: string } }
      if (answer.error !== undefined) throw new EmbeddedChainError(`${method}: ${answer.error.message}`)
      return answer.result ?? null
    },
    close: () => client.close(),
  }
}
