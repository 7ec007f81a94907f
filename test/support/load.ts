import { request } from 'undici'

/** The outcome of a load run. */
export interface LoadOutcome {
  /** JSON-RPC requests that were answered with a result. */
  readonly admitted: number
  /** JSON-RPC requests that a limit refused. */
  readonly refused: number
  /** JSON-RPC requests with an unknown outcome: closed connections and 5xx. */
  readonly unanswered: number
  readonly statuses: Readonly<Record<number, number>>
}

/** Options of a load run. */
export interface LoadOptions {
  readonly url: string
  /** Number of concurrent requests. */
  readonly atOnce: number
  /** The run ends after this many consecutive refusals by the limit. */
  readonly untilRefused: number
  /** Receives the number of admitted requests after each answer. */
  readonly onAdmitted?: (admitted: number) => void
  /** Receives the HTTP status of each answer. */
  readonly onStatus?: (status: number) => void
}

const limitExceeded = -32005
const batchSize = 5

/** Calls `eth_chainId`, alternating single requests and batches of five, until the limit refuses everything. */
export async function spendAll(options: LoadOptions): Promise<LoadOutcome> {
  const { url, atOnce, untilRefused, onAdmitted, onStatus } = options
  let [admitted, refused, unanswered, refusedInARow, sent] = [0, 0, 0, 0, 0]
  const statuses: Record<number, number> = {}
  const single = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
  const bodies = [single, Array.from({ length: batchSize }, (_, id) => ({ ...single, id }))].map((body) => ({
    text: JSON.stringify(body),
    items: Array.isArray(body) ? batchSize : 1,
  }))

  async function callOnce(): Promise<void> {
    sent += 1
    const { text, items } = bodies[sent % bodies.length] as (typeof bodies)[number]
    try {
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1
      onStatus?.(statusCode)
      const answer = await body.text()
      if (statusCode !== 200 && statusCode !== 429) {
        unanswered += items
        return
      }
      const all = [JSON.parse(answer)].flat() as { result?: unknown; error?: { code: number } }[]
      const ok = all.filter(({ result }) => result !== undefined).length
      if (!all.every(({ result, error }) => result !== undefined || error?.code === limitExceeded)) {
        throw new TypeError(`unexpected answer: ${answer}`)
      }
      admitted += ok
      refused += statusCode === 429 ? items : all.length - ok
      refusedInARow = ok === 0 ? refusedInARow + 1 : 0
      onAdmitted?.(admitted)
    } catch (error) {
      if (error instanceof TypeError) throw error
      unanswered += items
    }
  }
  async function callAgainAndAgain(): Promise<void> {
    while (refusedInARow < untilRefused) await callOnce()
  }
  await Promise.all(Array.from({ length: atOnce }, callAgainAndAgain))
  return { admitted, refused, unanswered, statuses }
}
