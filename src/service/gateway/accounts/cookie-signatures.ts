import { createHmac, timingSafeEqual } from 'node:crypto'

/** The cookies of a request, signed with the current secret. */
export interface SignedCookies {
  /** The `Cookie` header. */
  readonly header: string
  /** Names and encoded values of the cookies that had another accepted signature. */
  readonly renewed: readonly (readonly [name: string, value: string])[]
}

/** A cookie of better-auth: its value, a dot and the signature in base64, percent-encoded. */
const SIGNED = /^(.+)\.([A-Za-z0-9+/]{43}=)$/

/**
 * Creates a function that replaces the signatures of cookies that other accepted secrets made. better-auth verifies only
 * those of one secret. Cookies without such a signature are left as they are.
 * @param secrets the current one, then the accepted ones
 */
export function createCookieSignatures(secrets: readonly string[]): (header: string) => SignedCookies {
  const [current = '', ...accepted] = secrets
  const renew = (pair: string): readonly [name: string, value: string] | undefined => {
    const at = pair.indexOf('=')
    const [, value = '', signature = ''] = SIGNED.exec(decoded(pair.slice(at + 1))) ?? []
    if (value === '' || !accepted.some((secret) => isEqual(signature, signatureOf(value, secret))))
      return undefined
    return [pair.slice(0, at).trim(), encodeURIComponent(`${value}.${signatureOf(value, current)}`)]
  }
  return (header) => {
    if (accepted.length === 0) return { header, renewed: [] }
    const pairs = header.split(';').map((pair) => ({ pair, renewed: renew(pair) }))
    return {
      header: pairs.map(({ pair, renewed }) => renewed?.join('=') ?? pair.trim()).join('; '),
      renewed: pairs.flatMap(({ renewed }) => (renewed === undefined ? [] : [renewed])),
    }
  }
}

const signatureOf = (value: string, secret: string) =>
  createHmac('sha256', secret).update(value).digest('base64')

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return ''
  }
}
