import { failures } from '@concordat/node-access-contract/errors'
import { and, eq, sql } from 'drizzle-orm'
import { isNetwork, type Network, networkNames, networks, type Served } from '../profiles/index.js'
import type { Database, OpenDatabase, Secret } from '../store/index.js'
import { apiKeys, createFormerUsers, isUser, newId, QueryError, type RunQuery } from '../store/index.js'
import { OperatorError } from '../util/index.js'
import type { AcceptedKey } from './accepted-key.js'
import { deleteJwtKey, insertJwtKey } from './access/jwt-key-store.js'
import { type AccessLimits, readAccess, readLimit } from './access/read-access.js'
import { type GivenJwtKey, readJwtKey } from './access/read-jwt-key.js'
import { DEVELOPMENT_USER, ensureDevelopmentKey } from './development-key.js'
import { PropertyReader } from './invalid-properties.js'
import {
  readDescription,
  readEmail,
  readName,
  readNetwork,
  readPurpose,
  type TextLimits,
} from './key-input.js'
import {
  announceChange,
  deleteKey,
  endGrace,
  ensureUser,
  findByDigests,
  insertKey,
  type KeyProperties,
  keyLimitOf,
  type NewKey,
  replaceSecret,
  type SealedText,
  selectKeys,
  selectSealed,
  selectUsedKeys,
  updateKey,
} from './key-store.js'
import type { KeySummary, UserOrigin } from './key-summary.js'
import { digestOf, generateKey, isKeyText, mask } from './key-text.js'
import { createKeyCache, type Lookup } from './lookup/key-cache.js'
import { createKeyFinder } from './lookup/key-finder.js'
import { createKeyWatch } from './lookup/key-watch.js'

/** Keys in the cache. With the state of other parts they take about 100 MB if all are in use. */
const CACHED_KEYS = 100_000

/** A key with its text, the last part of a caller's URL. */
export interface KeyWithText {
  readonly key: KeySummary
  readonly text: string
}

/** Input for a new key (specification 5.2, 4.3). */
export interface NewKeyRequest {
  /** An existing user, or an address whose user is created if missing. */
  readonly user: { readonly id: string } | { readonly origin: UserOrigin; readonly email: string }
  readonly network: string
  readonly name: string
  readonly description?: string | undefined
  readonly useCase?: string | undefined
  readonly nodeService?: string | undefined
}

/** Options of the key service; the limits come from the contract. */
export interface KeysOptions {
  readonly store: Pick<OpenDatabase, 'db' | 'server'>
  readonly secret: Secret
  readonly limits: TextLimits &
    AccessLimits & {
      readonly keysPerUser: number
      readonly keyDatabaseAbsenceSeconds: number
      readonly rotationGraceHours: number
      readonly loweredLimitsDays: number
    }
  /** Writes the counts of this process, so that lists show the current last use of keys. */
  readonly flushUsage?: (keyIds: readonly string[]) => Promise<void>
}

/** API keys (specification 5). Requests look them up; the command line and the dashboard change them. */
export interface Keys {
  /** Looks up the key with this text, synchronously if it is cached. */
  lookup(text: string): Lookup | Promise<Lookup>
  /** Returns the enabled key with this text if it is cached, without a query. */
  known(text: string): AcceptedKey | undefined
  create(request: NewKeyRequest): Promise<KeyWithText>
  list(filter?: { readonly userId?: string; readonly email?: string }): Promise<readonly KeySummary[]>
  /** Decrypts the text of a key. */
  show(id: string): Promise<KeyWithText>
  /**
   * Replaces the text of a key. The old text is accepted for the given time; one from before that stops working.
   * @param graceHours 0, the default, for none; at most the contract's `rotationGraceHours`
   */
  rotate(id: string, graceHours?: number): Promise<KeyWithText>
  /** Ends the grace period of the old text. */
  endGrace(id: string): Promise<KeySummary>
  /**
   * Changes the given properties.
   * @param unchangedSince `changedAt` of a summary. If the key has changed since, OperatorError `key_changed` is thrown
   */
  set(id: string, changes: Partial<KeyProperties>, unchangedSince?: string): Promise<KeySummary>
  /** Registers a public key for the tokens of an API key. */
  addJwtKey(id: string, given: GivenJwtKey): Promise<KeySummary>
  /** Removes a public key. Without public keys, an API key needs no token. */
  removeJwtKey(id: string, jwtKeyId: string): Promise<KeySummary>
  disable(id: string): Promise<KeySummary>
  enable(id: string): Promise<KeySummary>
  /** Disables a key for an operator, which the user cannot undo, or enables it again. */
  setDisabledByOperator(id: string, isDisabled: boolean): Promise<KeySummary>
  delete(id: string): Promise<KeySummary>
  /** Deletes every key of a user. */
  deleteAllOf(userId: string): Promise<void>
  /**
   * Returns the development user's first key of each network and creates missing keys. The keys are the same at every
   * start. A network gets no key if the user already has the maximum number of keys.
   * @param of networks, by default all
   */
  ensureDevelopmentKeys(of?: readonly Network[]): Promise<Served<KeyWithText>>
  /** Removes a key from the cache, because another process or a change of its user has changed it. */
  forget(id: string): void
  /** Polls for changed keys. Processes that share a database call it regularly. */
  catchUp(query: RunQuery): Promise<void>
}

/**
 * Creates the service's keys. Methods throw OperatorError: `invalid_input`, `key_changed`, `key_unknown`,
 * `key_limit_reached`, `secret_mismatch`. Errors of the database are passed on. Lookups reject with QueryError once the
 * database has not answered for `keyDatabaseAbsenceSeconds`.
 */
export function createKeys({ store: { db, server }, secret, limits, ...options }: KeysOptions): Keys {
  const formerUsers = createFormerUsers(db, secret, limits.loweredLimitsDays)
  const cache = createKeyCache(
    createKeyFinder((digests) => findByDigests(db, digests)),
    CACHED_KEYS,
  )
  const watch = createKeyWatch(cache.forget, limits.keyDatabaseAbsenceSeconds)

  const seal = (id: string, userId: string, text: string): SealedText => ({
    digest: digestOf(text),
    sealed: secret.seal(text, [id, userId]),
    secretVersion: secret.version,
    masked: mask(text),
  })
  const summaryOf = async (id: string): Promise<KeySummary> => {
    const [row] = await selectKeys(db, eq(apiKeys.id, id))
    return row === undefined ? unknown(id) : asSummary(row)
  }
  const show = async (id: string): Promise<KeyWithText> => {
    const key = await summaryOf(id)
    const row = await selectSealed(db, id)
    if (row?.sealed == null || row.secretVersion === null) return unknown(id)
    return { key, text: secret.open(row.sealed, row.secretVersion, [id, row.userId]) }
  }
  const newKey = (userId: string, details: KeyDetails) => {
    const id = newId('key')
    const text = generateKey(networks[details.network].keySuffix)
    return { text, row: { id, userId, ...details, ...seal(id, userId, text) } }
  }
  const userIdOf = async (origin: UserOrigin, typed: string) => {
    const email = readEmail(typed)
    return ensureUser(db, origin, email, await formerUsers.of(email))
  }
  const create = async ({ user, ...request }: NewKeyRequest): Promise<KeyWithText> => {
    const details = readDetails(request, limits)
    const userId = 'id' in user ? user.id : await userIdOf(user.origin, user.email)
    const { text, row } = newKey(userId, details)
    await insertWithin(db, row, limits.keysPerUser)
    return { key: await summaryOf(row.id), text }
  }
  const change = async (id: string, update: () => Promise<boolean>): Promise<void> => {
    if (!(await cache.changing(id, update))) unknown(id)
    if (server !== undefined) await announceChange(db, id)
  }
  const changed = async (id: string, update: () => Promise<boolean>): Promise<KeySummary> => {
    await change(id, update)
    return summaryOf(id)
  }
  return {
    lookup(text) {
      if (!isKeyText(text)) return undefined
      if (server !== undefined && watch.isStale()) return Promise.reject(databaseAbsent())
      return cache.lookup(digestOf(text))
    },
    known(text) {
      if (server !== undefined && watch.isStale()) return undefined
      return cache.ofText(text) ?? (isKeyText(text) ? cache.known(digestOf(text), text) : undefined)
    },
    create,
    async list({ userId, email } = {}) {
      const condition = and(
        userId === undefined ? undefined : eq(apiKeys.userId, userId),
        email === undefined ? undefined : isUser({ email }),
      )
      return (await selectUsedKeys(db, condition, options.flushUsage)).map(asSummary)
    },
    show,
    async rotate(id, graceHours = 0) {
      requireGrace(graceHours, limits.rotationGraceHours)
      const { userId, network } = await summaryOf(id)
      if (!isNetwork(network)) throw networkGone(network)
      const text = generateKey(networks[network].keySuffix)
      await change(id, () => replaceSecret(db, id, seal(id, userId, text), graceHours))
      return { key: await summaryOf(id), text }
    },
    endGrace: (id) => changed(id, () => endGrace(db, id)),
    async set(id, changes, unchangedSince) {
      const values = valuesOf(changes, limits)
      return changed(id, async () => {
        const isUpdated = await updateKey(db, id, values, unchangedSince)
        if (isUpdated || unchangedSince === undefined) return isUpdated
        await summaryOf(id)
        throw changedMeanwhile()
      })
    },
    addJwtKey: (id, given) =>
      changed(id, async () => insertJwtKey(db, id, readJwtKey(given, limits), limits.jwtKeysPerKey)),
    removeJwtKey: (id, jwtKeyId) => changed(id, () => deleteJwtKey(db, id, jwtKeyId)),
    disable: (id) => changed(id, () => updateKey(db, id, { state: 'disabled' })),
    enable: (id) => changed(id, () => updateKey(db, id, { state: 'enabled' })),
    setDisabledByOperator: (id, isDisabled) =>
      changed(id, () => updateKey(db, id, { operatorDisabledAt: isDisabled ? sql`now()` : null })),
    async delete(id) {
      const key = await summaryOf(id)
      await change(id, () => deleteKey(db, id))
      return key
    },
    async deleteAllOf(userId) {
      for (const { id } of await selectKeys(db, eq(apiKeys.userId, userId)))
        await change(id, () => deleteKey(db, id))
    },
    async ensureDevelopmentKeys(of = networkNames) {
      const userId = await ensureUser(db, DEVELOPMENT_USER.origin, DEVELOPMENT_USER.email)
      const made: Partial<Record<Network, KeyWithText>> = {}
      for (const network of of) {
        const name = `development, ${network} network`
        const { row } = newKey(userId, { network, name, description: '', useCase: '', nodeService: '' })
        const id = await ensureDevelopmentKey(db, network, row, limits.keysPerUser)
        if (id !== undefined) made[network] = await show(id)
      }
      return made
    },
    forget: cache.forget,
    catchUp: watch.catchUp,
  }
}

/**
 * Validates the details of a new key.
 * @throws InvalidProperties
 */
function readDetails(request: Omit<NewKeyRequest, 'user'>, limits: KeysOptions['limits']): KeyDetails {
  const reader = new PropertyReader()
  const network = reader.read('network', () => readNetwork(request.network, networkNames))
  const { name, description = '', useCase = '', nodeService = '' } = request
  const details = reader.read('', () => valuesOf({ name, description, useCase, nodeService }, limits))
  reader.requireValid()
  return { network, ...details } as KeyDetails
}

/** Validated details of a new key. */
interface KeyDetails {
  readonly network: Network
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** Functions that validate properties of a key. */
const readers: {
  readonly [Property in keyof KeyProperties]: (
    value: KeyProperties[Property],
    limits: KeysOptions['limits'],
  ) => KeyProperties[Property]
} = {
  name: readName,
  description: readDescription,
  useCase: (text, limits) => readPurpose('The use case', text, limits),
  nodeService: (text, limits) => readPurpose('The node service', text, limits),
  dailyLimit: (limit) => readLimit('The daily limit', limit),
  monthlyLimit: (limit) => readLimit('The monthly limit', limit),
  access: readAccess,
}

/**
 * Validates changes of a key and returns the column values.
 * @throws InvalidProperties
 */
function valuesOf(changes: Partial<KeyProperties>, limits: KeysOptions['limits']): Partial<KeyProperties> {
  const reader = new PropertyReader()
  const read = <Property extends keyof KeyProperties>(property: Property) => {
    const value = changes[property]
    if (value === undefined) return []
    return [[property, reader.read(property, () => readers[property](value, limits))] as const]
  }
  const values = (Object.keys(readers) as (keyof KeyProperties)[]).flatMap(read)
  reader.requireValid()
  return Object.fromEntries(values)
}

/** The error of lookups while cached keys may be out of date. */
function databaseAbsent(): QueryError {
  const message = 'The database has not answered for too long. Cached keys may be out of date'
  return new QueryError({ message, code: undefined, constraint: undefined })
}

function asSummary(row: Awaited<ReturnType<typeof selectKeys>>[number]): KeySummary {
  const { state, operatorDisabledAt, ...key } = row
  const disabledByOperator = operatorDisabledAt !== null
  return {
    ...key,
    state: state === 'enabled' && !disabledByOperator ? 'enabled' : 'disabled',
    disabledByOperator,
  }
}

function unknown(id: string): never {
  throw new OperatorError(
    'key_unknown',
    `Unknown key ${JSON.stringify(id)}. "concordat keys list" shows all keys`,
  )
}

/** @throws OperatorError `invalid_input` */
function requireGrace(hours: number, most: number): void {
  if (Number.isInteger(hours) && hours >= 0 && hours <= most) return
  throw new OperatorError(
    'invalid_input',
    `The grace period must be a whole number of hours from 0 to ${most}`,
  )
}

function changedMeanwhile(): OperatorError {
  return new OperatorError('key_changed', 'The key has been changed in the meantime. Read it again')
}

function networkGone(network: string): OperatorError {
  return new OperatorError(
    'invalid_input',
    `The key belongs to the network ${network}, which the contract no longer has. Delete the key`,
  )
}

/** @throws OperatorError `key_limit_reached` */
async function insertWithin(db: Database, key: NewKey, most: number): Promise<void> {
  if (!(await insertKey(db, key, most))) throw limitReached(await keyLimitOf(db, key.userId, most))
}

function limitReached(keysPerUser: number): OperatorError {
  return new OperatorError(
    'key_limit_reached',
    `${failures.keyLimitReached.message}: the user may have ${keysPerUser} keys, including disabled keys. Delete one first`,
  )
}
