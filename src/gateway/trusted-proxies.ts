import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { EdgeMessage } from '../server/index.js'

/**
 * Says which addresses are those of proxies that are believed: from the right of `X-Forwarded-For` the first address
 * that is none of them is the client's.
 * @param networks IP addresses and networks (CIDR)
 */
export function createProxyTrust(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network): readonly [ipaddr.IPv4 | ipaddr.IPv6, number] => {
    if (network.includes('/')) return ipaddr.parseCIDR(network)
    const address = ipaddr.parse(network)
    return [address, address.toByteArray().length * 8]
  })
  return (text) => {
    // The package reads more than addresses: `1.2.3` is `1.2.0.3` to it.
    if (isIP(text) === 0) return false
    // An IPv4 address may come as an IPv6 one, where a server listens for both.
    const address = ipaddr.process(text)
    return ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
  }
}

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
