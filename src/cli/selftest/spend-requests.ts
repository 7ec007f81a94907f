import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '@concordat/node-access-contract/contract'
import { UsageError } from '../io.js'

/** Maximum number of attempts for one batch while the service answers 503, as on a busy machine. */
const attempts = 10
const unavailable = 503
const millisecondsPerSecond = 1_000

/**
 * Spends requests of a key's limit in batches. A batch answered with 503 was not charged and is sent again
 * after the time in Retry-After.
 * @param url the service with the key
 * @param requests number of requests to spend
 * @throws UsageError for another error status, or after too many attempts
 */
export async function spendRequests(url: string, requests: number): Promise<void> {
  for (let left = requests; left > 0; left -= limits.batchItems) {
    const items = Array.from({ length: Math.min(left, limits.batchItems) }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_chainId',
      params: [],
    }))
    await send(url, JSON.stringify(items))
  }
}

async function send(url: string, body: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await answer.arrayBuffer()
    if (answer.ok) return
    if (answer.status !== unavailable || attempt === attempts)
      throw new UsageError(`the embedded service answered a batch with status ${answer.status}`)
    await wait(Number(answer.headers.get('retry-after') ?? 1) * millisecondsPerSecond)
  }
}
