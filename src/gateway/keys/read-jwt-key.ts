import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JwtKey } from '../store/access-rules.js'
import { OperatorError, reasonOf } from '../store/operator-error.js'
import { UNPRINTABLE } from './key-input.js'

/** The contract's bounds for public keys of tokens. */
export interface JwtKeyLimits {
  /** Bytes. */
  readonly jwtPublicKeyBytes: number
  /** Bits. */
  readonly jwtRsaBits: number
}

const ID_CHARACTERS = 64
const AUDIENCE_CHARACTERS = 256

/** A public key as somebody registers it. */
export interface GivenJwtKey {
  readonly id: string
  /** A JWK (RFC 7517), also as text, or PEM text (RFC 7468). */
  readonly publicKey: unknown
  /** What its tokens are signed with; where it is given, it must be what the kind of the key says. */
  readonly algorithm?: string
  readonly audience?: string
}

/**
 * Checks a public key that tokens may be signed with, and writes it as PEM with its algorithm (specification 5.5).
 * @throws OperatorError `invalid_input`
 */
export function readJwtKey(given: Partial<GivenJwtKey>, limits: JwtKeyLimits): JwtKey {
  const { id, publicKey, audience } = given
  if (!isShortText(id, ID_CHARACTERS) || id === '') {
    throw invalid(`A public key needs an id of at most ${ID_CHARACTERS} printable characters`)
  }
  if (audience !== undefined && !isShortText(audience, AUDIENCE_CHARACTERS)) {
    throw invalid(`The audience of tokens is a text of at most ${AUDIENCE_CHARACTERS} printable characters`)
  }
  const key = readPublicKey(id, publicKey, limits)
  const algorithm = algorithmOf(id, key, limits)
  for (const asked of [given.algorithm, readJwk(publicKey)?.['alg']]) {
    if (asked !== undefined && asked !== algorithm && !(asked === 'Ed25519' && algorithm === 'EdDSA'))
      throw invalid(
        `The public key ${JSON.stringify(id)} is of a kind that signs with ${algorithm}, not with ${JSON.stringify(asked)}`,
      )
  }
  return {
    id,
    algorithm,
    publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
    ...(audience === undefined ? {} : { audience }),
  }
}

function readPublicKey(id: string, publicKey: unknown, { jwtPublicKeyBytes }: JwtKeyLimits): KeyObject {
  const text = typeof publicKey === 'string' ? publicKey : JSON.stringify(publicKey ?? null)
  if (Buffer.byteLength(text) > jwtPublicKeyBytes) {
    throw invalid(`The public key ${JSON.stringify(id)} has more than ${jwtPublicKeyBytes} bytes`)
  }
  const jwk = readJwk(publicKey)
  if (/PRIVATE KEY/.test(text) || jwk?.d !== undefined || jwk?.k !== undefined) {
    throw invalid(
      `The public key ${JSON.stringify(id)} is a private key: it belongs to whoever signs; give the public one`,
    )
  }
  if (jwk !== undefined && 'keys' in jwk)
    throw invalid(`The public key ${JSON.stringify(id)} is a set of keys: give one of them`)
  try {
    return createPublicKey(jwk === undefined ? text : { key: jwk, format: 'jwk' })
  } catch (error) {
    throw invalid(`The public key ${JSON.stringify(id)} cannot be read as PEM or JWK: ${reasonOf(error)}`)
  }
}

/** A JWK, also as text; undefined for what is no JSON object. */
function readJwk(publicKey: unknown): JsonWebKey | undefined {
  if (typeof publicKey !== 'string') return (publicKey ?? {}) as JsonWebKey
  if (!publicKey.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(publicKey) as JsonWebKey
  } catch {
    return undefined
  }
}

/** The algorithm is fixed by the kind of the key (RFC 8725, section 3.1). */
function algorithmOf(id: string, key: KeyObject, { jwtRsaBits }: JwtKeyLimits): JwtKey['algorithm'] {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength >= jwtRsaBits) return 'RS256'
    throw invalid(
      `The public key ${JSON.stringify(id)} is RSA with ${modulusLength} bits, and ${jwtRsaBits} are needed`,
    )
  }
  throw invalid(`The public key ${JSON.stringify(id)} must be RSA, P-256 or Ed25519`)
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && !UNPRINTABLE.test(value)
}

function invalid(message: string): OperatorError {
  return new OperatorError('invalid_input', message)
}
