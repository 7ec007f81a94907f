import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '../../../generated/contract.js'
import { UsageError } from '../io.js'

/** Times that one batch is sent to a service that cannot charge it for now: on a busy machine. */
const attempts = 10
const unavailable = 503
const millisecondsPerSecond = 1_000

/**
 * Spends requests of a key's limit, a batch after the other. A batch that is answered 503 was charged nothing: it is
 * sent again after the time that the service asks for.
 * @param requests how many
 * @throws UsageError for another answer, or one more 503
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
      throw new UsageError(`the embedded service answered ${answer.status} to what it was asked`)
    await wait(Number(answer.headers.get('retry-after') ?? 1) * millisecondsPerSecond)
  }
}
