import { methods } from '../../../generated/methods.js'

/** An entry in its one form, or why it cannot be one. */
export type ReadEntry = { readonly entry: string } | { readonly why: string }

const knownMethods = new Set<string>(Object.values(methods).map(({ name }) => name))

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
