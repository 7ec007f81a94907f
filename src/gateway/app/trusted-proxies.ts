import type { EdgeMessage } from '../../server/index.js'

/**
 * Tells the address of a request's client: its connection's, and where that is a believed proxy's, the first one from
 * the right of `X-Forwarded-For` that is not.
 * @param isProxy true for the address of a proxy that is believed
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
