import { Pool } from 'undici'
import type { NodeSettings } from '../node-settings.js'
import type { Exchange } from './exchange.js'
import { decoded } from './node-secrets.js'
import { PlainConnections } from './plain-connections.js'
import type { PoolSettings } from './pool-settings.js'

/** Keeps connections to one node, over http or https; a certificate has to be one that Node.js trusts. */
export class HttpNode {
  readonly #pool: Pool
  readonly #path: string
  readonly #headers: Record<string, string>
  readonly #plain: PlainConnections

  constructor(
    { url, headers }: Pick<NodeSettings, 'url' | 'headers'>,
    {
      connections,
      smallConnections,
      connectMs,
    }: Pick<PoolSettings, 'connections' | 'smallConnections' | 'connectMs'>,
  ) {
    const target = new URL(url)
    const { origin, pathname, search, username, password } = target
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
    const again = (exchange: Exchange) => this.#dispatch(exchange)
    this.#plain = new PlainConnections({
      url: target,
      headers: this.#headers,
      connectMs,
      connections: smallConnections,
      again,
    })
  }

  /** Sends an exchange's body; the exchange is told how that ends. */
  post(exchange: Exchange): void {
    if (!exchange.isSmall || !this.#plain.post(exchange)) this.#dispatch(exchange)
  }

  #dispatch(exchange: Exchange): void {
    const { body, traceparent } = exchange
    const headers = traceparent === undefined ? this.#headers : { ...this.#headers, traceparent }
    this.#pool.dispatch({ path: this.#path, method: 'POST', headers, body }, exchange)
  }

  /** Cuts the connections. */
  close(): Promise<void> {
    this.#plain.close()
    return this.#pool.destroy()
  }
}

const basic = (username: string, password: string) =>
  `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}`
