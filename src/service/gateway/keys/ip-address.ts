import { isIP } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** Bytes of the prefixes by which IPv6 clients are counted: a client usually has a whole /64, and a site a /48. */
const clientBytes = 8
const siteBytes = 6

/**
 * Parses an IP address. The library would take `::203.0.113.7` for an IPv4-mapped address, but it is an IPv6 address
 * (RFC 4291, section 2.5.5.1).
 * @throws Error for other texts
 */
export function parseAddress(text: string): IPv4 | IPv6 {
  return ipaddr.parse(text.replace(/^::(?=\d+\.)/, '0::'))
}

/**
 * Reads the address of a client. IPv4-mapped IPv6 addresses become IPv4 addresses, because a dual-stack socket reports
 * IPv4 clients with them.
 * @returns undefined for a text that is no IP address
 */
export function readClientAddress(text: string): IPv4 | IPv6 | undefined {
  // The library would read `1.2.3` as `1.2.0.3`.
  if (isIP(text) === 0) return undefined
  const address = parseAddress(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** The units by which the requests of a client are counted. */
export interface ClientPrefix {
  /** The IPv4 address, or the /64 of an IPv6 address. Texts that are no address are unchanged. */
  readonly client: string
  /** The /48 of an IPv6 address; undefined for other addresses. */
  readonly site: string | undefined
}

/** Returns the units by which the requests of an address are counted. */
export function clientPrefixOf(text: string): ClientPrefix {
  const address = readClientAddress(text)
  if (!(address instanceof ipaddr.IPv6)) return { client: address?.toString() ?? text, site: undefined }
  const hex = Buffer.from(address.toByteArray()).toString('hex')
  return { client: hex.slice(0, 2 * clientBytes), site: `${hex.slice(0, 2 * siteBytes)}/48` }
}
