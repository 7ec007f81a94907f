import { createPublicKey, type KeyObject } from 'node:crypto'
import type { JWTVerifyOptions } from 'jose'
import { limits } from '../../../../generated/contract.js'
import type { AccessRules, JwtKey } from '../../store/access-rules.js'
import { loadOptional } from '../../store/optional-dependency.js'

/** Tokens of one key that are remembered once they were found good … */
const rememberedTokens = 1_000
/** … where they have at most so many characters: whoever signs longer ones does not fill the memory with them. */
const rememberedCharacters = 2_048
const millisecondsPerSecond = 1_000
const bearer = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i

/** Says whether an `Authorization` header holds a token that the key takes; at once for one that it took before. */
export type TokenCheck = (authorization: string | undefined) => boolean | Promise<boolean>

interface Verifier {
  readonly id: string
  readonly key: KeyObject
  readonly options: JWTVerifyOptions
}

/**
 * Makes the check of the JSON Web Tokens of a key (RFC 7519; specification 5.5). The algorithm is the registered one,
 * whatever a token says; `exp` is required, `aud` is matched where one is registered, and `jwtLeewaySeconds` are
 * forgiven between clocks.
 * @param now the time, in milliseconds since 1970
 */
export function createTokenCheck({ keys }: NonNullable<AccessRules['jwt']>, now: () => number): TokenCheck {
  const verifiers = keys.map(verifierOf)
  /** When each good token stops being one, in milliseconds since 1970; the oldest first. */
  const good = new Map<string, number>()

  async function verify(token: string): Promise<boolean> {
    const { decodeProtectedHeader, jwtVerify } = await loadOptional(() => import('jose'))
    const kid = keyIdOf(() => decodeProtectedHeader(token))
    const named = verifiers.filter(({ id }) => id === kid)
    for (const { key, options } of named.length > 0 ? named : verifiers) {
      const payload = await jwtVerify(token, key, { ...options, currentDate: new Date(now()) }).then(
        (verified) => verified.payload,
        () => undefined,
      )
      if (payload?.exp === undefined) continue
      if (token.length > rememberedCharacters) return true
      const [oldest] = good.keys()
      if (oldest !== undefined && good.size >= rememberedTokens) good.delete(oldest)
      good.set(token, (payload.exp + limits.jwtLeewaySeconds) * millisecondsPerSecond)
      return true
    }
    return false
  }

  return (authorization) => {
    const token = bearer.exec(authorization ?? '')?.[1]
    if (token === undefined) return false
    const until = good.get(token)
    if (until !== undefined) {
      if (now() < until) return true
      good.delete(token)
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
      // Ed25519 is EdDSA's name since RFC 9864.
      algorithms: algorithm === 'EdDSA' ? ['EdDSA', 'Ed25519'] : [algorithm],
      clockTolerance: limits.jwtLeewaySeconds,
      requiredClaims: ['exp'],
      ...(audience === undefined ? {} : { audience }),
    },
  }
}

function keyIdOf(read: () => { readonly kid?: string | undefined }): string | undefined {
  try {
    return read().kid
  } catch {
    return undefined
  }
}
