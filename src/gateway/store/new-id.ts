import { randomInt } from 'node:crypto'

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
/** 82 bits: ids never meet, on any number of machines. */
const ID_CHARACTERS = 16

/** A new id, such as `key_4t1r…`: no secret, shown in lists, logs and metrics. */
export function newId(prefix: 'key' | 'usr'): string {
  return `${prefix}_${randomText(ID_ALPHABET, ID_CHARACTERS)}`
}

/** Characters from the system's CSPRNG; `randomInt` has no modulo bias. */
export function randomText(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}
