import ipaddr from 'ipaddr.js'
import { parseAddress, readClientAddress } from '../ip-address.js'

const IPV4_BITS = 32
const IPV6_BITS = 128
/** Prefix length of IPv4-mapped IPv6 addresses (RFC 4291, section 2.5.5.2). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS

/**
 * Reads an IP network; a single address is a network of one address. IPv4-mapped IPv6 networks become IPv4 networks,
 * because clients are known by their IPv4 address.
 * @returns the network in CIDR notation (RFC 4632), or why the text is invalid
 */
export function readAddressRange(text: string): { readonly entry: string } | { readonly why: string } {
  const [address = '', bits, ...more] = text.split('/')
  // The library also takes ambiguous forms such as `10/8` and `010.0.0.1`.
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!isIpv4 && !(ipaddr.IPv6.isValid(address) && !address.includes('%')))
    return { why: 'expected an IP address such as 203.0.113.7 or a network such as 10.0.0.0/8' }
  const most = isIpv4 ? IPV4_BITS : IPV6_BITS
  const length = bits === undefined ? most : Number(bits)
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || length > most)
    return { why: `the prefix length after the slash must be a number from 0 to ${most}` }
  const parsed = parseAddress(address)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_BITS
  if (isMapped) return { entry: `${parsed.toIPv4Address().toString()}/${length - MAPPED_BITS}` }
  return { entry: `${parsed.toString()}/${length}` }
}

/**
 * Creates a function that returns true if an IP address is in one of the networks. It returns false for other texts.
 * @param networks as {@link readAddressRange} takes them; invalid ones are ignored
 */
export function createAddressMatch(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.flatMap((network) => {
    const range = readAddressRange(network)
    return 'entry' in range ? [ipaddr.parseCIDR(range.entry)] : []
  })
  return (text) => {
    const address = readClientAddress(text)
    if (address === undefined) return false
    return ranges.some(([range, bits]) => address.kind() === range.kind() && address.match(range, bits))
  }
}
