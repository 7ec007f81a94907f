/**
 * Sends a burst of parallel `fetch` calls for each message of its parent. A separate process does not delay the
 * measurements. Answers each message with the number of results and the time that they took.
 */
import type { Burst, BurstOutcome } from './queue.js'
import { balance } from './work.js'

process.on('message', async ({ url, calls, first }: Burst) => {
  const startedAt = performance.now()
  const results = await Promise.all(
    Array.from({ length: calls }, async (_, call) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: balance(first + call),
      })
      const text = await response.text()
      return response.status === 200 && text.includes('"result"')
    }),
  )
  const outcome: BurstOutcome = {
    succeeded: results.filter(Boolean).length,
    milliseconds: performance.now() - startedAt,
  }
  process.send?.(outcome)
})
