import { hash } from 'node:crypto'
import { limits } from '@concordat/node-access-contract/contract'
import { networkNames, networks } from '../profiles/index.js'
import { randomText } from '../store/index.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SHOWN_FIRST = 3
const SHOWN_LAST = 4
const { apiKeyCharacters } = limits
const suffixes = networkNames.map((name) => networks[name].keySuffix).join('')
/** The form of a key of one of the contract's networks (specification 5.6). */
export const keyPattern = new RegExp(`^[A-Za-z0-9]{${apiKeyCharacters}}-[${suffixes}]$`)

/** Generates the text of a key for a network with this suffix (specification 5.6). */
export const generateKey = (suffix: string): string => `${randomText(ALPHABET, apiKeyCharacters)}-${suffix}`

/** True if a text has the form of a key of one of the contract's networks (specification 5.6). */
export const isKeyText = (text: string): boolean => keyPattern.test(text)

/** Hashes a key's text. Lookups compare digests, so their duration says nothing about how close a guess is. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** Masks a key's text for lists: only the first and last characters remain. */
export function mask(text: string): string {
  return `${text.slice(0, SHOWN_FIRST)}…${text.slice(-SHOWN_LAST)}`
}
