import { Pool } from 'undici'
import { NodeResponse } from './node-response.js'
import { decoded } from './node-secrets.js'
import type { NodeSettings } from './node-settings.js'
import type { PoolSettings } from './pool/pool-settings.js'

/** One POST to a node. */
export interface NodePost {
  readonly body: string
  /**
   * True for checks and calls of constant cost. They have their own connections, so slower calls never delay
   * them.
   */
  readonly isShort: boolean
  /** The `traceparent` header of the request's trace. */
  readonly traceparent: string | undefined
}

/** The connections to one node over http or https. Node.js has to trust the node's certificate. */
export class HttpNode {
  readonly #open: () => readonly [short: Pool, other: Pool]
  readonly #path: string
  readonly #headers: Record<string, string>
  #pools: readonly [short: Pool, other: Pool]
  #openedAt = 0
  /** Replaced pools that finish their requests and accept no new ones. */
  readonly #retired = new Set<Pool>()

  constructor(
    { url, headers }: Pick<NodeSettings, 'url' | 'headers'>,
    { connections, connectMs }: Pick<PoolSettings, 'connections' | 'connectMs'>,
  ) {
    const { origin, pathname, search, username, password } = new URL(url)
    // The node pool enforces the deadline of each call. undici's own timeouts would end requests that other
    // calls share.
    const timeouts = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 }
    // The turns of users bound the requests. A check needs no turn, and has two requests at a time.
    this.#open = () => [
      new Pool(origin, { connections: connections + 2, ...timeouts }),
      new Pool(origin, { connections, ...timeouts }),
    ]
    this.#pools = this.#open()
    this.#path = pathname + search
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username === '' && password === '' ? {} : { authorization: basic(username, password) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    }
  }

  /** Sends a request. */
  post({ body, isShort, traceparent }: NodePost): NodeResponse {
    const headers = traceparent === undefined ? this.#headers : { ...this.#headers, traceparent }
    const response = new NodeResponse()
    this.#pools[isShort ? 0 : 1].dispatch({ path: this.#path, method: 'POST', headers, body }, response)
    return response
  }

  /**
   * Moves all further requests to new connections, because a current one delivers answers to the wrong
   * requests.
   * @param sentAt when the affected request was sent, in milliseconds of a monotonic clock
   */
  reconnect(sentAt: number): void {
    if (sentAt < this.#openedAt) return
    const pools = this.#pools
    this.#openedAt = performance.now()
    this.#pools = this.#open()
    for (const pool of pools) {
      this.#retired.add(pool)
      pool.close().finally(() => this.#retired.delete(pool))
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools, ...this.#retired].map((pool) => pool.destroy()))
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
