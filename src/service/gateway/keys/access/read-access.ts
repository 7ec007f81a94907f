import { methods } from '@concordat/node-access-contract/methods'
import type { AccessRules, JwtKey } from '../../store/index.js'
import { OperatorError, withoutFinalDot } from '../../util/index.js'
import { PropertyReader } from '../invalid-properties.js'
import { readAddressRange } from './address-range.js'
import { type GivenJwtKey, type JwtKeyLimits, readJwtKey } from './read-jwt-key.js'

/** The contract's bounds for access rules. */
export interface AccessLimits extends JwtKeyLimits {
  readonly allowListEntries: number
  readonly jwtKeysPerKey: number
}

/** Changes of a key's access rules. Null removes a rule; an absent member leaves it as it is. */
export type AccessChanges = { readonly [Member in keyof AccessRules]?: AccessRules[Member] | null }

/** Largest value of the database column. */
const MOST_REQUESTS = 2_147_483_647
/** Invalid entries of a list that an error message quotes, and characters of each. */
const QUOTED_ENTRIES = 5
const QUOTED_CHARACTERS = 80

/**
 * Validates a limit of requests; null means no limit (specification 8).
 * @param what name of the limit in error messages
 * @throws OperatorError `invalid_input`
 */
export function readLimit(what: string, limit: unknown): number | null {
  if (limit === null) return null
  if (Number.isInteger(limit) && Number(limit) >= 1 && Number(limit) <= MOST_REQUESTS) return Number(limit)
  throw invalid(`${what} must be a whole number from 1 to ${MOST_REQUESTS}, or null for no limit`)
}

/**
 * Validates changes of a key's access rules and converts them to canonical form (specification 5.5). That is CIDR
 * notation for addresses, what browsers send for origins, lower case for contract addresses, and PEM for public keys.
 * @throws OperatorError `invalid_input`; InvalidProperties with the reasons by rule
 */
export function readAccess(changes: unknown, limits: AccessLimits): AccessChanges {
  if (typeof changes !== 'object' || changes === null)
    throw invalid('The access rules of a key must be an object')
  const { addresses, origins, contracts, methods, jwt, ...others } = changes as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`Unknown access rule ${JSON.stringify(unknown)}`)
  const reader = new PropertyReader()
  const rule = (name: string, given: unknown, read: (given: unknown) => unknown) =>
    given == null ? given : reader.read(name, () => read(given))
  const list = (name: string, what: string, given: unknown, read: (entry: string) => ReadEntry) =>
    rule(name, given, (entries) => readList(what, entries, read, limits.allowListEntries))
  const rules = {
    addresses: list('addresses', 'client addresses', addresses, readAddressRange),
    origins: list('origins', 'origins', origins, readOrigin),
    contracts: list('contracts', 'contract addresses', contracts, readContract),
    methods: list('methods', 'methods', methods, readMethod),
    jwt: rule('jwt', jwt, (given) => ({ keys: readJwtKeys(given, limits) })),
  }
  reader.requireValid()
  return withoutUndefined(rules)
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
    throw invalid(`The list of ${what} must have at least one entry, or be null to remove it`)
  if (given.length > most)
    throw invalid(`The list of ${what} has ${given.length} entries; at most ${most} are allowed`)
  const problems: string[] = []
  const entries = new Set<string>()
  for (const each of given as readonly unknown[]) {
    const found: ReadEntry = typeof each === 'string' ? read(each.trim()) : { why: 'expected a string' }
    if ('entry' in found) entries.add(found.entry)
    else problems.push(`${shortened(each)} (${found.why})`)
  }
  if (problems.length === 0) return [...entries]
  const rest = problems.length - QUOTED_ENTRIES
  const quoted = [...problems.slice(0, QUOTED_ENTRIES), ...(rest > 0 ? [`and ${rest} more`] : [])]
  throw invalid(`Invalid ${what}: ${quoted.join('; ')}`)
}

function shortened(entry: unknown): string {
  const text = JSON.stringify(entry) ?? String(entry)
  return text.length <= QUOTED_CHARACTERS ? text : `${text.slice(0, QUOTED_CHARACTERS)}…`
}

function readJwtKeys(jwt: unknown, limits: AccessLimits): readonly JwtKey[] {
  const keys = typeof jwt === 'object' && jwt !== null && 'keys' in jwt ? jwt.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0)
    throw invalid('The list of public keys must have at least one entry, or be null to remove it')
  if (keys.length > limits.jwtKeysPerKey) {
    throw invalid(`There are ${keys.length} public keys; at most ${limits.jwtKeysPerKey} are allowed`)
  }
  const read = keys.map((key: unknown) => readJwtKey((key ?? {}) as Partial<GivenJwtKey>, limits))
  if (new Set(read.map(({ id }) => id)).size < read.length) throw invalid('Two public keys have the same id')
  return read
}

function invalid(message: string): OperatorError {
  return new OperatorError('invalid_input', message)
}

/** An entry of an allow list in canonical form, or why it is invalid. */
export type ReadEntry = { readonly entry: string } | { readonly why: string }

const knownMethods = new Set<string>(Object.values(methods).map(({ name }) => name))

/** Reads an origin, in the form that browsers send (RFC 6454). */
function readOrigin(text: string): ReadEntry {
  if (text === '*') return { why: 'leave the list empty to allow every origin' }
  if (text.includes('*')) return { why: 'wildcards are not supported; list each origin' }
  if (/^https?:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined) return { why: 'expected an origin such as https://example.com' }
    if (url.href === `${url.origin}/`) return { entry: withoutFinalDot(url.origin) }
    return { why: `an origin has no path; use ${url.origin}` }
  }
  // Browser extensions and applications use other schemes.
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+$/.test(text)) return { entry: text }
  return { why: 'an origin starts with https:// or http://' }
}

/** Reads a contract address, in lower case. */
function readContract(text: string): ReadEntry {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { entry: text.toLowerCase() }
  return { why: 'an address is 0x followed by 40 hexadecimal digits' }
}

/** Reads the name of a method of the contract. */
function readMethod(text: string): ReadEntry {
  return knownMethods.has(text) ? { entry: text } : { why: 'unknown method' }
}
