/**
 * Loaded before tests: a password costs a tenth of a second of processor time, on purpose, and the tests of forms send
 * thousands within their own process. The hash stays scrypt, with a small cost. A product that asks for another cost than
 * the stated one fails, so every login in such a test checks that cost. Services that tests start as processes of their
 * own are the program as it ships, with its own cost.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto
const stated = { N: 16_384, r: 16, p: 1, keyLength: 64 }

crypto.scrypt = (password, salt, keyLength, { N, r, p }, done) => {
  const asked = { N, r, p, keyLength }
  for (const [name, value] of Object.entries(stated))
    if (asked[name] !== value) throw new TypeError(`scrypt: ${name} is ${asked[name]}, and must be ${value}`)
  scrypt(password, salt, keyLength, { N: 2, r: 1, p: 1 }, done)
}
syncBuiltinESMExports()
