import { methods } from '../../../../generated/methods.js'

/** An entry of an allow list in canonical form, or why it is invalid. */
export type ReadEntry = { readonly entry: string } | { readonly why: string }

const knownMethods = new Set<string>(Object.values(methods).map(({ name }) => name))

/** Reads an origin, in the form that browsers send (RFC 6454). */
export function readOrigin(text: string): ReadEntry {
  if (text === '*') return { why: 'leave the list empty to allow every origin' }
  if (text.includes('*')) return { why: 'wildcards are not supported; list each origin' }
  if (/^https?:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined) return { why: 'expected an origin such as https://example.com' }
    if (url.href === `${url.origin}/`) return { entry: url.origin }
    return { why: `an origin has no path; use ${url.origin}` }
  }
  // Browser extensions and applications use other schemes.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+$/.test(text)) return { entry: text }
  return { why: 'an origin starts with https:// or http://' }
}

/** Reads a contract address, in lower case. */
export function readContract(text: string): ReadEntry {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { entry: text.toLowerCase() }
  return { why: 'an address is 0x followed by 40 hexadecimal digits' }
}

/** Reads the name of a method of the contract. */
export function readMethod(text: string): ReadEntry {
  return knownMethods.has(text) ? { entry: text } : { why: 'unknown method' }
}
