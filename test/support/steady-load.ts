import { setTimeout as delay } from 'node:timers/promises'

/** JSON-RPC answers by error code, 0 for a result, and HTTP answers by status. */
export interface SteadyOutcome {
  readonly codes: Readonly<Record<number, number>>
  readonly statuses: Readonly<Record<number, number>>
  /** The errors, without equal ones. */
  readonly errors: readonly string[]
}

/** Calls at a constant rate. */
export interface SteadyLoad {
  /** The number of answers so far. */
  readonly answered: () => number
  /**
   * The most requests that a URL can have handled within one second: those whose time from sending to the answer meets
   * that second. On a busy machine they are more than the constant rate, because requests come in bursts.
   */
  mostWithinSecond(url: string): number
  /** Sends no more calls, and waits for the answers. Rejects if a call got no answer. */
  stop(): Promise<SteadyOutcome>
}

const request = (params: readonly unknown[]) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_chainId',
  params,
})
/** A call, a call that fails, and a batch. The service answers them without a node. */
const mixed = [request([]), request([1]), [request([]), request([1]), request([])]]

/**
 * Calls URLs in turn until it is stopped.
 * @param perSecond HTTP requests a second, to all URLs together
 * @param bodies of the requests; by default those of calls that succeed, calls that fail and batches
 * @param closes true behind HAProxy, which closes the connection of a call that it is just connecting to a service when
 * it marks that one down. Such a call is sent again, once
 */
export function startSteadyLoad(
  urls: readonly string[],
  perSecond: number,
  bodies: readonly object[] = mixed,
  closes = false,
): SteadyLoad {
  const codes: Record<number, number> = {}
  const statuses: Record<number, number> = {}
  const calls: Promise<void>[] = []
  const times: { readonly url: string; readonly sentAt: number; readonly answeredAt: number }[] = []
  const errors = new Set<string>()
  let answered = 0
  let hasEnded = false
  const count = (counts: Record<number, number>, key: number) => {
    counts[key] = (counts[key] ?? 0) + 1
  }
  const call = async (at: number) => {
    const url = urls[at % urls.length] ?? ''
    const sentAt = performance.now()
    const send = () =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodies[at % bodies.length]),
      })
    const response = await send().catch(
      (error: TypeError & { readonly cause?: { readonly code?: string } }) => {
        if (closes && error.cause?.code === 'UND_ERR_SOCKET') return send()
        throw error
      },
    )
    const answers = [(await response.json()) as { error?: { code: number } }].flat()
    times.push({ url, sentAt, answeredAt: performance.now() })
    for (const { error } of answers) {
      count(codes, error?.code ?? 0)
      if (error !== undefined) errors.add(JSON.stringify(error))
    }
    count(statuses, response.status)
    answered += 1
  }
  const calling = (async () => {
    const began = performance.now()
    while (!hasEnded) {
      const due = ((performance.now() - began) * perSecond) / 1_000
      while (calls.length < due) {
        const called = call(calls.length)
        // `stop` reports it. A test that fails before must still end its services.
        called.catch(() => undefined)
        calls.push(called)
      }
      await delay(1_000 / perSecond, undefined, { ref: false })
    }
  })()
  return {
    answered: () => answered,
    mostWithinSecond(url) {
      const own = times.filter((time) => time.url === url)
      const within = (from: number) =>
        own.filter(({ sentAt, answeredAt }) => sentAt <= from + 1_000 && answeredAt >= from).length
      return Math.max(0, ...own.map(({ answeredAt }) => within(answeredAt)))
    },
    async stop() {
      hasEnded = true
      await calling
      const failed = (await Promise.allSettled(calls)).filter((each) => each.status === 'rejected')
      if (failed.length > 0) throw new Error(`${failed.length} calls without an answer`, { cause: failed[0] })
      return { codes, statuses, errors: [...errors] }
    },
  }
}
