import { randomInt } from 'node:crypto'

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
/** 82 random bits, enough to rule out collisions. */
const ID_CHARACTERS = 16

/** Generates an id such as `key_4t1r…`. Ids are not secret; they appear in lists, logs and metrics. */
export function newId(prefix: 'key' | 'usr' | 'evt' | 'fail'): string {
  return `${prefix}_${randomText(ID_ALPHABET, ID_CHARACTERS)}`
}

/** Generates random text with the system's CSPRNG; `randomInt` has no modulo bias. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
