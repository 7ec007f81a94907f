import { TransportError } from '@concordat/client'

/** The head of an endpoint is lower than a head that was already returned. */
export class HeadBehind extends TransportError {}

/** How long a head is remembered, in milliseconds. A chain that never reaches it again has replaced its blocks. */
const headMilliseconds = 60_000

/**
 * Keeps the head of the chain from going back between two endpoints. A head that goes back at the same endpoint is a
 * reorganization.
 */
export class ChainHeads {
  #number = 0
  #owner: object | undefined
  #seenAt = Number.NEGATIVE_INFINITY

  /**
   * Records the head in a result.
   * @param owner the endpoint that returned the result
   * @param origin origin of the endpoint, for the error
   * @throws HeadBehind if another endpoint has recently returned a higher head
   */
  check(owner: object, origin: string, method: string, params: object, result: unknown): void {
    const number = headIn(method, params, result)
    if (number === undefined) return
    const now = performance.now()
    if (owner !== this.#owner && number < this.#number && now - this.#seenAt < headMilliseconds) {
      const message = `${method}: the head of ${origin} is block ${number}, and block ${this.#number} was seen. It will catch up.`
      throw new HeadBehind({ kind: 'network', method, message })
    }
    this.#number = number
    this.#owner = owner
    this.#seenAt = now
  }
}

/** The number of the head, if the result states it. */
function headIn(method: string, params: object, result: unknown): number | undefined {
  if (method === 'eth_blockNumber') return Number(result)
  const [selector] = Object.values(params)
  if (method !== 'eth_getBlockByNumber' || selector !== 'latest') return undefined
  const { number } = Object(result) as { readonly number?: unknown }
  return typeof number === 'string' ? Number(number) : undefined
}
