import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

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
