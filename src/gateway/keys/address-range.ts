import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const IPV4_BITS = 32
const IPV6_BITS = 128
/** What stands before an IPv4 address that is written as an IPv6 one (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS

/**
 * Reads a network of IP addresses; a single address is a network of one. An IPv4 network that is written as an IPv6 one
 * becomes what it is: a client at such an address is known by its IPv4 one.
 * @returns the network as CIDR (RFC 4632), or why there is none
 */
export function readAddressRange(text: string): { readonly entry: string } | { readonly why: string } {
  const [address = '', bits, ...more] = text.split('/')
  // The library also takes forms such as `10/8` and `010.0.0.1`, which mean different things to different people.
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!isIpv4 && !(ipaddr.IPv6.isValid(address) && !address.includes('%')))
    return { why: 'it is no IP address, such as 203.0.113.7, and no network, such as 10.0.0.0/8' }
  const most = isIpv4 ? IPV4_BITS : IPV6_BITS
  const length = bits === undefined ? most : Number(bits)
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || length > most)
    return { why: `behind the slash stands a number from 0 to ${most}` }
  const parsed = ipaddr.parse(address)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_BITS
  if (isMapped) return { entry: `${parsed.toIPv4Address().toString()}/${length - MAPPED_BITS}` }
  return { entry: `${parsed.toString()}/${length}` }
}

/**
 * Makes what tells whether an address is in one of some networks; a text that is no address is in none.
 * @param networks as {@link readAddressRange} takes them; others have no addresses
 */
export function createAddressMatch(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.flatMap((network) => {
    const range = readAddressRange(network)
    return 'entry' in range ? [ipaddr.parseCIDR(range.entry)] : []
  })
  return (text) => {
    // The package reads more than addresses: `1.2.3` is `1.2.0.3` to it.
    if (isIP(text) === 0) return false
    // An IPv4 address may come as an IPv6 one, where a server listens for both.
    const address = ipaddr.process(text)
    return ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
  }
}
