import { Client } from 'undici'
import type { JsonValue } from '../../rpc/index.js'
import { EmbeddedChainError } from './embedded-chain-error.js'

/** Calls of anvil while it is being seeded: in order, one at a time, every error an end. */
export interface AnvilClient {
  call(method: string, ...params: JsonValue[]): Promise<JsonValue>
  close(): Promise<void>
}

/**
 * Opens a connection to anvil for seeding it.
 * @param url where it answers
 */
export function createAnvilClient(url: string): AnvilClient {
  const client = new Client(url)
  const headers = { 'content-type': 'application/json' }
  return {
    async call(method, ...params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await client.request({ path: '/', method: 'POST', headers, body })
      const answer = (await response.body.json()) as { result?: JsonValue; error?: { message: string } }
      if (answer.error !== undefined) throw new EmbeddedChainError(`${method}: ${answer.error.message}`)
      return answer.result ?? null
    },
    close: () => client.close(),
  }
}
