import type { EdgeMessage } from '../../server/index.js'

/**
 * Returns the client address of a request: the address of the connection, or behind trusted proxies the rightmost entry
 * of `X-Forwarded-For` that is not a trusted proxy.
 * @param isProxy true for the address of a trusted proxy
 */
export function createClientAddress(isProxy: (address: string) => boolean): (request: EdgeMessage) => string {
  return ({ socket, headers }) => {
    let address = socket.remoteAddress ?? ''
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return address
    for (const part of String(forwarded).split(',').reverse()) {
      const hop = part.trim()
      if (hop === '') continue
      if (!isProxy(address)) return address
      address = hop
    }
    return address
  }
}
