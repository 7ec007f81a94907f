import ipaddr from 'ipaddr.js'
import { methods } from '../../../generated/methods.js'

/** An entry in its one form, or why it cannot be one. */
export type ReadEntry = { readonly entry: string } | { readonly why: string }

const IPV4_BITS = 32
const IPV6_BITS = 128
/** What stands before an IPv4 address that is written as an IPv6 one (RFC 4291, 2.5.5.2). */
const MAPPED_BITS = IPV6_BITS - IPV4_BITS
const knownMethods = new Set<string>(Object.values(methods).map(({ name }) => name))

/** A network of client addresses, as CIDR; a single address is a network of one. */
export function readCidr(text: string): ReadEntry {
  const [address = '', bits, ...more] = text.split('/')
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  // The library also takes forms such as `127.1` and `010.0.0.1`, which mean different things to different people.
  if (!isIpv4 && !(ipaddr.IPv6.isValid(address) && !address.includes('%')))
    return { why: 'it is no IP address, such as 203.0.113.7, and no network, such as 10.0.0.0/8' }
  const most = isIpv4 ? IPV4_BITS : IPV6_BITS
  const length = bits === undefined ? most : Number(bits)
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || length > most)
    return { why: `behind the slash stands a number from 0 to ${most}` }
  // A client at such an address is known by its IPv4 one.
  const parsed = ipaddr.parse(address)
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && length >= MAPPED_BITS
  if (isMapped) return { entry: `${parsed.toIPv4Address().toString()}/${length - MAPPED_BITS}` }
  return { entry: `${parsed.toString()}/${length}` }
}

/** An origin, as browsers send it (RFC 6454). */
export function readOrigin(text: string): ReadEntry {
  if (text === '*') return { why: 'a list that is empty allows every origin' }
  if (text.includes('*')) return { why: 'each origin is written out, and an asterisk stands for nothing' }
  if (/^https?:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined) return { why: 'it is no address of a site, such as https://example.com' }
    if (url.href === `${url.origin}/`) return { entry: url.origin }
    return { why: `an origin ends behind its host and port: ${url.origin}` }
  }
  // Extensions of browsers and applications have origins of their own.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+$/.test(text)) return { entry: text }
  return { why: 'an origin begins with https:// or http://, as browsers send it' }
}

/** The address of a contract, in lower case. */
export function readContract(text: string): ReadEntry {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { entry: text.toLowerCase() }
  return { why: 'an address is 0x and 40 hexadecimal digits' }
}

/** A method of the contract. */
export function readMethod(text: string): ReadEntry {
  return knownMethods.has(text) ? { entry: text } : { why: 'the service has no such method' }
}
