import { hash } from 'node:crypto'
import { randomText } from '../store/new-id.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** A hyphen and the letter of the network. */
const SUFFIX_LENGTH = 2
const SHOWN_FIRST = 3
const SHOWN_LAST = 4

/** Makes and recognises the texts of keys (specification 5.6). */
export interface KeyTexts {
  /** A new key's text for a network with this suffix. */
  generate(suffix: string): string
  /** Characters of each. */
  readonly length: number
  /** True where a text can be a key at all. */
  matches(text: string): boolean
}

/** Key texts of the contract's `apiKeyPattern`, which also says how many random characters there are. */
export function createKeyTexts(apiKeyPattern: string): KeyTexts {
  const pattern = new RegExp(apiKeyPattern)
  const random = Number(/\{(\d+)\}/.exec(apiKeyPattern)?.[1])
  return {
    length: random + SUFFIX_LENGTH,
    generate: (suffix) => `${randomText(ALPHABET, random)}-${suffix}`,
    matches: (text) => pattern.test(text),
  }
}

/** What a key is looked up by: hashed first, so that no comparison takes longer the nearer a guess is. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** A key's text as it may be shown in lists. */
export function mask(text: string): string {
  return `${text.slice(0, SHOWN_FIRST)}…${text.slice(-SHOWN_LAST)}`
}
