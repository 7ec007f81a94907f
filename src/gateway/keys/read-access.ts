import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { methods } from '../../../generated/methods.js'
import type { AccessRules, JwtKey } from '../access-rules.js'
import { OperatorError, reasonOf } from '../store/operator-error.js'

/** The contract's bounds for what a key is restricted to. */
export interface AccessLimits {
  readonly allowListEntries: number
  readonly jwtKeysPerKey: number
  /** Bytes. */
  readonly jwtPublicKeyBytes: number
  /** Bits. */
  readonly jwtRsaBits: number
}

/** What is to be changed of a key's rules: a member that is null is lifted, one that is absent stays. */
export type AccessChanges = { readonly [Member in keyof AccessRules]?: AccessRules[Member] | null }

/** What the table's column holds. */
const MOST_REQUESTS = 2_147_483_647
const JWT_KEY_ID_CHARACTERS = 64
const AUDIENCE_CHARACTERS = 256
const knownMethods = new Set<string>(Object.values(methods).map(({ name }) => name))

/**
 * A limit of requests, null for none (specification 8).
 * @throws OperatorError `invalid_input`
 */
export function readLimit(limit: unknown): number | null {
  if (limit === null) return null
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MOST_REQUESTS) return Number(limit)
  throw invalid(`A limit must be a whole number from 1 to ${MOST_REQUESTS}, or none`)
}

/**
 * Checks changes of a key's rules, and writes each in its one form: addresses as CIDR, origins as browsers send them,
 * contract addresses in lower case, public keys as PEM (specification 5.5).
 * @throws OperatorError `invalid_input`
 */
export function readAccess(changes: unknown, limits: AccessLimits): AccessChanges {
  if (typeof changes !== 'object' || changes === null) throw invalid('The rules of a key are an object')
  const { addresses, origins, contracts, methods, jwt, ...others } = changes as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`A key has no rule ${JSON.stringify(unknown)}`)
  const list = (what: string, given: unknown, read: (entry: string) => string | undefined) =>
    given == null ? given : readList(what, given, read, limits.allowListEntries)
  return withoutUndefined({
    addresses: list('client addresses', addresses, readCidr),
    origins: list('origins', origins, readOrigin),
    contracts: list('contract addresses', contracts, readContract),
    methods: list('methods', methods, (name) => (knownMethods.has(name) ? name : undefined)),
    jwt: jwt == null ? (jwt as null | undefined) : { keys: readJwtKeys(jwt, limits) },
  })
}

function withoutUndefined(changes: Record<string, unknown>): AccessChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function readList(
  what: string,
  given: unknown,
  read: (entry: string) => string | undefined,
  most: number,
): readonly string[] {
  if (!Array.isArray(given) || given.length === 0)
    throw invalid(`The list of ${what} must name some, or be none`)
  if (given.length > most)
    throw invalid(`The list of ${what} has ${given.length} entries, and at most ${most} are allowed`)
  const entries = given.map((entry: unknown) => {
    const text = typeof entry === 'string' ? read(entry.trim()) : undefined
    if (text === undefined) throw invalid(`${JSON.stringify(entry)} cannot be one of the ${what}`)
    return text
  })
  return [...new Set(entries)]
}

function readCidr(text: string): string | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text)
    return `${address.toString()}/${bits}`
  }
  // Forms such as `127.1` are taken by the library, and mean something else to some people.
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return undefined
  const address = ipaddr.parse(text)
  return `${address.toString()}/${address.kind() === 'ipv4' ? 32 : 128}`
}

function readOrigin(text: string): string | undefined {
  if (/^https?:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    return url !== undefined && url.href === `${url.origin}/` ? url.origin : undefined
  }
  // Extensions of browsers and applications have origins of their own.
  return /^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+$/.test(text) ? text : undefined
}

const readContract = (text: string) => (/^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : undefined)

function readJwtKeys(jwt: unknown, limits: AccessLimits): readonly JwtKey[] {
  const keys = typeof jwt === 'object' && jwt !== null && 'keys' in jwt ? jwt.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalid('The public keys of tokens must name some, or be none')
  if (keys.length > limits.jwtKeysPerKey) {
    throw invalid(`There are ${keys.length} public keys, and at most ${limits.jwtKeysPerKey} are allowed`)
  }
  const read = keys.map((key: unknown) => readJwtKey(key as Partial<JwtKey>, limits))
  if (new Set(read.map(({ id }) => id)).size < read.length) throw invalid('Two public keys have the same id')
  return read
}

function readJwtKey({ id, publicKey, audience }: Partial<JwtKey>, limits: AccessLimits): JwtKey {
  if (typeof id !== 'string' || id === '' || id.length > JWT_KEY_ID_CHARACTERS) {
    throw invalid(`A public key needs an id of at most ${JWT_KEY_ID_CHARACTERS} characters`)
  }
  if (audience !== undefined && (typeof audience !== 'string' || audience.length > AUDIENCE_CHARACTERS)) {
    throw invalid(`The audience of tokens is a text of at most ${AUDIENCE_CHARACTERS} characters`)
  }
  const key = readPublicKey(id, publicKey, limits)
  return {
    id,
    algorithm: algorithmOf(id, key, limits),
    publicKey: key.export({ type: 'spki', format: 'pem' }).toString(),
    ...(audience === undefined ? {} : { audience }),
  }
}

function readPublicKey(id: string, publicKey: unknown, { jwtPublicKeyBytes }: AccessLimits): KeyObject {
  const text = typeof publicKey === 'string' ? publicKey : JSON.stringify(publicKey ?? null)
  if (Buffer.byteLength(text) > jwtPublicKeyBytes) {
    throw invalid(`The public key ${JSON.stringify(id)} has more than ${jwtPublicKeyBytes} bytes`)
  }
  const jwk = readJwk(publicKey)
  if (/PRIVATE KEY/.test(text) || jwk?.d !== undefined || jwk?.k !== undefined) {
    throw invalid(`${JSON.stringify(id)} is a private key: it belongs to whoever signs; give the public one`)
  }
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
function algorithmOf(id: string, key: KeyObject, { jwtRsaBits }: AccessLimits): JwtKey['algorithm'] {
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.asymmetricKeyType === 'ed25519') return 'EdDSA'
  if (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  if (key.asymmetricKeyType === 'rsa') {
    if (modulusLength >= jwtRsaBits) return 'RS256'
    throw invalid(`The RSA key ${JSON.stringify(id)} has ${modulusLength} bits, and ${jwtRsaBits} are needed`)
  }
  throw invalid(`The public key ${JSON.stringify(id)} must be RSA, P-256 or Ed25519`)
}

function invalid(message: string): OperatorError {
  return new OperatorError('invalid_input', message)
}
