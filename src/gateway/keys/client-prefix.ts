import ipaddr from 'ipaddr.js'

/** An IPv6 client usually has a whole /64. */
const ipv6PrefixBytes = 8

/**
 * Returns the unit by which clients are counted: the IPv4 address, or the /64 of an IPv6 address. IPv4-mapped IPv6
 * addresses count as IPv4. Other texts are returned unchanged.
 */
export function clientPrefixOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : Buffer.from(parsed.toByteArray().slice(0, ipv6PrefixBytes)).toString('hex')
}
