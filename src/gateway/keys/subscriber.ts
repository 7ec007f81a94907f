import ipaddr from 'ipaddr.js'

/** Bytes of an IPv6 address that one subscriber holds: a /64. */
const subscriberBytes = 8

/**
 * Who is counted as one client: an IPv4 address as it is, also when it is written inside an IPv6 one; the /64 of any
 * other IPv6 address.
 */
export function subscriberOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : Buffer.from(parsed.toByteArray().slice(0, subscriberBytes)).toString('hex')
}
