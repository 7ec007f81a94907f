import { Pool } from 'undici'
import type { NodeSettings } from '../node-settings.js'
import type { Exchange } from './exchange.js'
import { decoded } from './node-secrets.js'
import type { PoolSettings } from './pool-settings.js'

/** Keeps connections to one node, over http or https; a certificate has to be one that Node.js trusts. */
export class HttpNode {
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Record<string, string>

  constructor(
    { url, headers }: Pick<NodeSettings, 'url' | 'headers'>,
    { connections, connectMs }: Pick<PoolSettings, 'connections' | 'connectMs'>,
  ) {
    const { origin, pathname, search, username, password } = new URL(url)
    // Deadlines are kept for each call: undici's own would cut exchanges that other calls share.
    const timeouts = { connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 }
    this.#pool = new Pool(origin, { connections, ...timeouts })
    this.#path = pathname + search
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username === '' && password === '' ? {} : { authorization: basic(username, password) }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    }
  }

  /** Sends an exchange's body; the exchange is told how that ends. */
  post(exchange: Exchange): void {
    const { body, traceparent } = exchange
    const headers = traceparent === undefined ? this.#headers : { ...this.#headers, traceparent }
    this.#pool.dispatch({ path: this.#path, method: 'POST', headers, body }, exchange)
  }

  /** Cuts the connections. */
  close(): Promise<void> {
    return this.#pool.destroy()
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
