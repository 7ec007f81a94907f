import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** Returns the code of an authenticator app (RFC 6238) for a secret in base32 (RFC 4648). */
export function timeCode(secret: string, at = Date.now()): string {
  const bits = [...secret.replace(/[\s=]/g, '').toUpperCase()]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)))
  const digest = createHmac('sha1', key).update(counter).digest()
  const offset = (digest.at(-1) ?? 0) & 0xf
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

/** Returns a code that is wrong now, and a few minutes before and after. */
export function wrongTimeCode(secret: string): string {
  const near = new Set(
    Array.from({ length: 21 }, (_, n) => timeCode(secret, Date.now() + (n - 10) * STEP_MS)),
  )
  return ['000000', '111111', ...Array.from({ length: 40 }, (_, n) => String(222_222 + n))].find(
    (code) => !near.has(code),
  ) as string
}
