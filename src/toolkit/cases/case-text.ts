import type { Method } from '../contract/index.js'
import { oneLine } from '../text/index.js'

/** Returns the name of a method for the sentence of a case. */
export function called({ name }: Method): string {
  return `\`${oneLine(name)}\``
}

/**
 * Encodes a name as one segment of an id. Blanks become `-`; characters other than letters, digits, `-`, `_`,
 * `.`, `[` and `]` are percent-encoded.
 */
export function segment(name: string): string {
  const words = name.trim().replaceAll(/\s+/g, '-')
  const characters = words === '' ? ['-'] : [...words]
  return characters
    .map((character) => (/[\p{L}\p{N}\-_.[\]]/u.test(character) ? character : encoded(character)))
    .join('')
}

/** Unpaired surrogates cannot be percent-encoded. */
function encoded(character: string): string {
  const isHalf = /^[\ud800-\udfff]$/.test(character)
  return isHalf
    ? `%u${character.charCodeAt(0).toString(16)}`
    : encodeURIComponent(character).replaceAll(/[!'()*~]/g, percent)
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
