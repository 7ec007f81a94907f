import { type Dispatcher, Pool } from 'undici'
import { decoded } from './node-secrets.js'
import type { NodeSettings } from './node-settings.js'
import type { PoolSettings } from './pool-settings.js'

/** One POST to a node. */
export interface NodePost {
  readonly body: string
  /** True for calls of constant cost and checks: they never wait for a connection behind calls of unknown cost. */
  readonly isShort: boolean
  /** Header of the trace that the request belongs to. */
  readonly traceparent: string | undefined
  /** Cuts the connection when it is aborted. */
  readonly signal: AbortSignal
}

/** The connections of one node, over http or https. A certificate has to be one that Node.js trusts. */
export class HttpNode {
  readonly #open: () => Pool
  readonly #path: string
  readonly #headers: Record<string, string>
  #pools: readonly [short: Pool, other: Pool]
  #openedAt = 0
  /** Pools that finish their requests and take no more. */
  readonly #retired = new Set<Pool>()

  constructor(
    { url, headers }: Pick<NodeSettings, 'url' | 'headers'>,
    { connections, connectMs }: Pick<PoolSettings, 'connections' | 'connectMs'>,
  ) {
    const { origin, pathname, search, username, password } = new URL(url)
    // The pool of nodes keeps the deadline of each call; undici's own would end requests that other calls share.
    const timeouts = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 }
    this.#open = () => new Pool(origin, { connections, ...timeouts })
    this.#pools = [this.#open(), this.#open()]
    this.#path = pathname + search
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username === '' && password === '' ? {} : { authorization: basic(username, password) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    }
  }

  /** Sends a request; rejects when there is no response, or the signal aborts before it begins. */
  post({ body, isShort, traceparent, signal }: NodePost): Promise<Dispatcher.ResponseData> {
    const headers = traceparent === undefined ? this.#headers : { ...this.#headers, traceparent }
    const pool = this.#pools[isShort ? 0 : 1]
    return pool.request({ path: this.#path, method: 'POST', headers, body, signal })
  }

  /**
   * Sends all further requests over new connections: one of the present ones is out of step, and brings answers to
   * other requests.
   * @param sentAt when the request left that shows it, in milliseconds of a clock that does not go back
   */
  reconnect(sentAt: number): void {
    if (sentAt < this.#openedAt) return
    const pools = this.#pools
    this.#openedAt = performance.now()
    this.#pools = [this.#open(), this.#open()]
    for (const pool of pools) {
      this.#retired.add(pool)
      pool.close().finally(() => this.#retired.delete(pool))
    }
  }

  /** Cuts the connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#pools, ...this.#retired].map((pool) => pool.destroy()))
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
