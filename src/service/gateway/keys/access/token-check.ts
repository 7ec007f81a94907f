import { createPublicKey, type KeyObject } from 'node:crypto'
import { limits } from '@concordat/node-access-contract/contract'
import type { JWTVerifyOptions } from 'jose'
import type { AccessRules, JwtKey } from '../../store/index.js'
import { loadOnce } from '../../util/index.js'

const loadJose = loadOnce(() => import('jose'))

/** Verified tokens that are cached per API key. */
const cachedTokens = 1_000
/** Longest token that is cached, in characters. The bound limits the memory that long tokens can take. */
const cachedTokenCharacters = 2_048
const millisecondsPerSecond = 1_000
const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i

/** Returns true if an `Authorization` header has a valid token for the key; synchronously for a cached token. */
export type TokenCheck = (authorization: string | undefined) => boolean | Promise<boolean>

interface Verifier {
  readonly id: string
  readonly key: KeyObject
  readonly options: JWTVerifyOptions
}

/**
 * Creates the check of a key's JSON Web Tokens (RFC 7519; specification 5.5). The registered algorithm applies,
 * whatever the token's header says. `exp` is required, and `aud` is matched if an audience is registered. The clocks
 * of issuer and service may differ by `jwtLeewaySeconds`.
 * @param now clock, in milliseconds since 1970
 */
export function createTokenCheck({ keys }: NonNullable<AccessRules['jwt']>, now: () => number): TokenCheck {
  const verifiers = keys.map(verifierOf)
  /** Expiry of each valid token, in milliseconds since 1970, in the order of insertion. */
  const validUntil = new Map<string, number>()

  async function verify(token: string): Promise<boolean> {
    const { decodeJwt, decodeProtectedHeader, jwtVerify } = await loadJose()
    // A signature costs more to verify than the rest of the request, so expired tokens are refused before.
    const exp = decoded(() => decodeJwt(token))?.exp
    if (typeof exp !== 'number' || expiryOf(exp) <= now()) return false
    const kid = decoded(() => decodeProtectedHeader(token))?.kid
    const named = verifiers.filter(({ id }) => id === kid)
    for (const { key, options } of named.length > 0 ? named : verifiers) {
      const payload = await jwtVerify(token, key, { ...options, currentDate: new Date(now()) }).then(
        (verified) => verified.payload,
        () => undefined,
      )
      if (payload?.exp === undefined) continue
      if (token.length > cachedTokenCharacters) return true
      const [oldest] = validUntil.keys()
      if (oldest !== undefined && validUntil.size >= cachedTokens) validUntil.delete(oldest)
      validUntil.set(token, expiryOf(payload.exp))
      return true
    }
    return false
  }

  return (authorization) => {
    const token = bearer.exec(authorization ?? '')?.[1]
    if (token === undefined) return false
    const until = validUntil.get(token)
    if (until !== undefined) {
      if (now() < until) return true
      validUntil.delete(token)
      return false
    }
    return verify(token)
  }
}

function verifierOf({ id, algorithm, publicKey, audience }: JwtKey): Verifier {
  const key =
    typeof publicKey === 'string'
      ? createPublicKey(publicKey)
      : createPublicKey({ key: { ...publicKey }, format: 'jwk' })
  return {
    id,
    key,
    options: {
      // RFC 9864 renamed EdDSA to Ed25519.
      algorithms: algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm],
      clockTolerance: limits.jwtLeewaySeconds,
      requiredClaims: ['exp'],
      ...(audience === undefined ? {} : { audience }),
    },
  }
}

/** When a token stops to be valid, in milliseconds since 1970. */
const expiryOf = (exp: number): number => (exp + limits.jwtLeewaySeconds) * millisecondsPerSecond

function decoded<Part>(read: () => Part): Part | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
