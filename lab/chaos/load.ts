import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { JudgedCall } from './calls.js'
import { answered, type Exchange, noAnswer, type Verdict } from './judge.js'

/** Counts of the answers to a user's callers. */
export interface Tally {
  /** Number of HTTP requests. */
  readonly requests: number
  /** Number of HTTP requests by outcome. */
  readonly outcomes: ReadonlyMap<string, number>
  /** Number of results. */
  readonly results: number
  /** JSON-RPC requests that must have been charged, judging by the answers. */
  readonly billed: number
  /** JSON-RPC requests without an answer. */
  readonly unanswered: number
  /** Duration of the longest request, in milliseconds. */
  readonly longestMs: number
  /** End of the last failed request, by `performance.now()`. */
  readonly lastFailureAt: number
  /** End of the last answered request, by `performance.now()`. */
  readonly lastAnsweredAt: number
  readonly outside: readonly string[]
  readonly wrong: readonly string[]
}

/** Running callers. */
export interface Callers {
  readonly tally: Tally
  /** Stops sending, and waits for all answers. */
  stop(): Promise<void>
}

/**
 * Sends calls at a constant rate, whether or not earlier ones were answered.
 * @param perSecond HTTP requests a second
 * @param callsOf returns the calls of the request with this number. Several calls are sent as a batch
 * @param judge judges each answer
 */
export function startCallers(
  url: string,
  perSecond: number,
  callsOf: (number: number) => readonly JudgedCall[],
  judge: (exchange: Exchange) => Verdict,
): Callers {
  // No timeouts: the balancer ends each request.
  const agent = new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0, pipelining: 1 })
  const outcomes = new Map<string, number>()
  const tally = {
    requests: 0,
    outcomes,
    results: 0,
    billed: 0,
    unanswered: 0,
    longestMs: 0,
    lastFailureAt: 0,
    lastAnsweredAt: 0,
    outside: [] as string[],
    wrong: [] as string[],
  }
  const open = new Set<Promise<void>>()

  const answerTo = async (body: string): Promise<Exchange['answer']> => {
    try {
      const headers = { 'content-type': 'application/json' }
      const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent })
      const type = String(answer.headers['content-type'])
      return { status: answer.statusCode, type, text: await answer.body.text() }
    } catch {
      return undefined
    }
  }
  const send = async (number: number) => {
    const calls = callsOf(number)
    const id = number * 10
    const items = calls.map(({ method, params }, at) => ({ jsonrpc: '2.0', id: id + at, method, params }))
    const sentAt = performance.now()
    const answer = await answerTo(JSON.stringify(items.length === 1 ? items[0] : items))
    const endedAt = performance.now()
    const verdict = judge({ calls, id, sentAt, endedAt, answer })
    outcomes.set(verdict.outcome, (outcomes.get(verdict.outcome) ?? 0) + 1)
    tally.results += verdict.results
    tally.billed += verdict.billed
    if (verdict.outcome === noAnswer) tally.unanswered += calls.length
    if (verdict.outcome === answered) tally.lastAnsweredAt = endedAt
    else tally.lastFailureAt = endedAt
    tally.longestMs = Math.max(tally.longestMs, endedAt - sentAt)
    tally.outside.push(...verdict.outside)
    tally.wrong.push(...verdict.wrong)
  }

  let isOver = false
  const sending = (async () => {
    const began = performance.now()
    while (!isOver) {
      const due = ((performance.now() - began) * perSecond) / 1_000
      // The first request is sent at once.
      while (tally.requests <= due) {
        const sent: Promise<void> = send(tally.requests++).finally(() => open.delete(sent))
        open.add(sent)
      }
      await delay(1_000 / perSecond)
    }
  })()
  return {
    tally,
    async stop() {
      isOver = true
      await sending
      await Promise.all(open)
      await agent.close()
    },
  }
}
