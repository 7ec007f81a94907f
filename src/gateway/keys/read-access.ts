import type { AccessRules, JwtKey } from '../store/access-rules.js'
import { OperatorError } from '../store/operator-error.js'
import { readAddressRange } from './address-range.js'
import { type ReadEntry, readContract, readMethod, readOrigin } from './allow-list-entry.js'
import { type GivenJwtKey, type JwtKeyLimits, readJwtKey } from './read-jwt-key.js'

/** The contract's bounds for what a key is restricted to. */
export interface AccessLimits extends JwtKeyLimits {
  readonly allowListEntries: number
  readonly jwtKeysPerKey: number
}

/** What is to be changed of a key's rules: a member that is null is lifted, one that is absent stays. */
export type AccessChanges = { readonly [Member in keyof AccessRules]?: AccessRules[Member] | null }

/** What the table's column holds. */
const MOST_REQUESTS = 2_147_483_647
/** Entries of a list that are told to be wrong at once, and characters of each. */
const TOLD_ENTRIES = 5
const TOLD_CHARACTERS = 80

/**
 * A limit of requests, null for none (specification 8).
 * @param what names the limit where it is refused
 * @throws OperatorError `invalid_input`
 */
export function readLimit(what: string, limit: unknown): number | null {
  if (limit === null) return null
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MOST_REQUESTS) return Number(limit)
  throw invalid(`${what} must be a whole number from 1 to ${MOST_REQUESTS}, or none`)
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
  const list = (what: string, given: unknown, read: (entry: string) => ReadEntry) =>
    given == null ? given : readList(what, given, read, limits.allowListEntries)
  return withoutUndefined({
    addresses: list('client addresses', addresses, readAddressRange),
    origins: list('origins', origins, readOrigin),
    contracts: list('contract addresses', contracts, readContract),
    methods: list('methods', methods, readMethod),
    jwt: jwt == null ? (jwt as null | undefined) : { keys: readJwtKeys(jwt, limits) },
  })
}

function withoutUndefined(changes: Record<string, unknown>): AccessChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

function readList(
  what: string,
  given: unknown,
  read: (entry: string) => ReadEntry,
  most: number,
): readonly string[] {
  if (!Array.isArray(given) || given.length === 0)
    throw invalid(`The list of ${what} must name some, or be none`)
  if (given.length > most)
    throw invalid(`The list of ${what} has ${given.length} entries, and at most ${most} are allowed`)
  const problems: string[] = []
  const entries = new Set<string>()
  for (const each of given as readonly unknown[]) {
    const found: ReadEntry = typeof each === 'string' ? read(each.trim()) : { why: 'it is no text' }
    if ('entry' in found) entries.add(found.entry)
    else problems.push(`${shortened(each)} cannot be one of the ${what}: ${found.why}`)
  }
  if (problems.length === 0) return [...entries]
  const rest = problems.length - TOLD_ENTRIES
  throw invalid(
    [...problems.slice(0, TOLD_ENTRIES), ...(rest > 0 ? [`and ${rest} more are wrong`] : [])].join('; '),
  )
}

/** What was given, shortened. */
function shortened(entry: unknown): string {
  const text = JSON.stringify(entry) ?? String(entry)
  return text.length <= TOLD_CHARACTERS ? text : `${text.slice(0, TOLD_CHARACTERS)}…`
}

function readJwtKeys(jwt: unknown, limits: AccessLimits): readonly JwtKey[] {
  const keys = typeof jwt === 'object' && jwt !== null && 'keys' in jwt ? jwt.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalid('The public keys of tokens must name some, or be none')
  if (keys.length > limits.jwtKeysPerKey) {
    throw invalid(`There are ${keys.length} public keys, and at most ${limits.jwtKeysPerKey} are allowed`)
  }
  const read = keys.map((key: unknown) => readJwtKey((key ?? {}) as Partial<GivenJwtKey>, limits))
  if (new Set(read.map(({ id }) => id)).size < read.length) throw invalid('Two public keys have the same id')
  return read
}

function invalid(message: string): OperatorError {
  return new OperatorError('invalid_input', message)
}
