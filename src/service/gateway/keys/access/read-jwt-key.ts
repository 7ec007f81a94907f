import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { JwtKey } from '../../store/index.js'
import { OperatorError, reasonOf } from '../../util/index.js'
import { UNPRINTABLE } from '../key-input.js'

/** The contract's bounds for public keys of tokens. */
export interface JwtKeyLimits {
  /** Bytes. */
  readonly jwtPublicKeyBytes: number
  /** Bits. */
  readonly jwtRsaBits: number
}

const ID_CHARACTERS = 64
const AUDIENCE_CHARACTERS = 256

/** Input for the registration of a public key. */
export interface GivenJwtKey {
  readonly id: string
  /** A JWK (RFC 7517), as an object or as text, or PEM text (RFC 7468). */
  readonly publicKey: unknown
  /** Signature algorithm of the tokens. If given, it must match the type of the key. */
  readonly algorithm?: string
  readonly audience?: string
}

/**
 * Validates a public key for tokens and converts it to PEM with its algorithm (specification 5.5).
 * @throws OperatorError `invalid_input`
 */
export function readJwtKey(given: Partial<GivenJwtKey>, limits: JwtKeyLimits): JwtKey {
  const { id, publicKey, audience } = given
  if (!isShortText(id, ID_CHARACTERS) || id === '') {
    throw invalid('jwtId', `A public key needs an id of at most ${ID_CHARACTERS} printable characters`)
  }
  if (audience !== undefined && !isShortText(audience, AUDIENCE_CHARACTERS)) {
    throw invalid(
      'jwtAudience',
      `The audience must be a string of at most ${AUDIENCE_CHARACTERS} printable characters`,
    )
  }
  const key = readPublicKey(id, publicKey, limits)
  const algorithm = algorithmOf(id, key, limits)
  for (const asked of [given.algorithm, readJwk(publicKey)?.['alg']]) {
    if (asked !== undefined && asked !== algorithm && !(asked === 'Ed25519' && algorithm === 'EdDSA'))
      throw invalidKey(id, `is for ${algorithm}, not for ${JSON.stringify(asked)}`)
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
    throw invalidKey(id, `has more than ${jwtPublicKeyBytes} bytes`)
  }
  const jwk = readJwk(publicKey)
  if (/PRIVATE KEY/.test(text) || jwk?.d !== undefined || jwk?.k !== undefined) {
    throw invalidKey(id, `is a private key. Paste the public key instead`)
  }
  if (jwk !== undefined && 'keys' in jwk) throw invalidKey(id, `is a key set. Paste a single key`)
  try {
    return createPublicKey(jwk === undefined ? text : { key: jwk, format: 'jwk' })
  } catch (error) {
    throw invalidKey(id, `cannot be read as PEM or JWK: ${reasonOf(error)}`)
  }
}

/** Reads a JWK from an object or from text; undefined for other input. */
function readJwk(publicKey: unknown): JsonWebKey | undefined {
  if (typeof publicKey !== 'string') return (publicKey ?? {}) as JsonWebKey
  if (!publicKey.trimStart().startsWith('{')) return undefined
  try {
    return JSON.parse(publicKey) as JsonWebKey
  } catch {
    return undefined
  }
}

/** Each type of key has one algorithm, whatever tokens claim (RFC 8725, section 3.1). */
function algorithmOf(id: string, key: KeyObject, { jwtRsaBits }: JwtKeyLimits): JwtKey['algorithm'] {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength >= jwtRsaBits) return 'RS256'
    throw invalidKey(id, `is RSA with ${modulusLength} bits; at least ${jwtRsaBits} are required`)
  }
  throw invalidKey(id, `must be RSA, P-256 or Ed25519`)
}

function isShortText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && !UNPRINTABLE.test(value)
}

const invalid = (field: string, message: string) => new OperatorError('invalid_input', message, { field })

const invalidKey = (id: string, problem: string) =>
  invalid('jwtPublicKey', `The public key ${JSON.stringify(id)} ${problem}`)
