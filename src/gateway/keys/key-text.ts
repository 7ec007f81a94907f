import { hash } from 'node:crypto'
import { limits } from '../../../generated/contract.js'
import { networkNames, networks } from '../networks/network.js'
import { randomText } from '../store/new-id.js'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const SHOWN_FIRST = 3
const SHOWN_LAST = 4
const { apiKeyCharacters } = limits
const suffixes = networkNames.map((name) => networks[name].keySuffix).join('')
const pattern = new RegExp(`^[A-Za-z0-9]{${apiKeyCharacters}}-[${suffixes}]$`)

/** Characters of every key: the random ones, a hyphen and the suffix of the network. */
export const keyLength = apiKeyCharacters + 2

/** A new key's text for a network with this suffix (specification 5.6). */
export const generateKey = (suffix: string): string => `${randomText(ALPHABET, apiKeyCharacters)}-${suffix}`

/** True where a text has the form of a key of the contract's networks (specification 5.6). */
export const isKeyText = (text: string): boolean => pattern.test(text)

/** What a key is looked up by: hashed first, so that no comparison takes longer the nearer a guess is. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** A key's text as it may be shown in lists. */
export function mask(text: string): string {
  return `${text.slice(0, SHOWN_FIRST)}…${text.slice(-SHOWN_LAST)}`
}
