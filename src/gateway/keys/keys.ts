import { and, eq, sql } from 'drizzle-orm'
import { isNetwork, type Network, networkNames, networks, type Served } from '../networks/network.js'
import { QueryError, type RunQuery } from '../store/connection.js'
import { createFormerUsers } from '../store/former-users.js'
import { newId } from '../store/new-id.js'
import type { OpenDatabase } from '../store/open-store.js'
import { OperatorError } from '../store/operator-error.js'
import { apiKeys, users } from '../store/schema.js'
import type { Secret } from '../store/secret.js'
import type { AcceptedKey } from './accepted-key.js'
import { DEVELOPMENT_USER, ensureDevelopmentKey } from './development-key.js'
import { deleteJwtKey, insertJwtKey } from './jwt-key-store.js'
import { createKeyCache } from './key-cache.js'
import { createKeyFinder } from './key-finder.js'
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
  ensureUser,
  findByDigests,
  insertKey,
  type KeyProperties,
  type SealedText,
  selectKeys,
  selectSealed,
  selectUsedKeys,
  updateKey,
} from './key-store.js'
import type { KeySummary, UserOrigin } from './key-summary.js'
import { digestOf, generateKey, isKeyText, keyLength, mask } from './key-text.js'
import { createKeyWatch } from './key-watch.js'
import type { KnownTexts } from './known-texts.js'
import { type AccessLimits, readAccess, readLimit } from './read-access.js'
import { type GivenJwtKey, readJwtKey } from './read-jwt-key.js'

/** Keys held in memory: some 100 MB when all are in use, with what other parts hold of them. */
const CACHED_KEYS = 100_000

/** A key and its text, which is what a caller's URL ends with. */
export interface KeyWithText {
  readonly key: KeySummary
  readonly text: string
}

/** What a new key takes (specification 5.2, 4.3). */
export interface NewKeyRequest {
  /** One who is known, or an address: its user is made where there is none. */
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
    }
  /** Writes the counts of this process, so that a list of keys has their last use. */
  readonly flushUsage?: (keyIds: readonly string[]) => Promise<void>
}

/** API keys (specification 5): looked up for every request, changed by the command line and the dashboard. */
export interface Keys {
  /** Whose key a text is, at once when it is known; undefined for every text that is no enabled key. */
  lookup(text: string): AcceptedKey | undefined | Promise<AcceptedKey | undefined>
  /** The same without asking the database: undefined also for a key that nobody has used here for long. */
  known(text: string): AcceptedKey | undefined
  /** The parameters of a path whose key stands at a place of a request's bytes and was known before; for `known`. */
  readonly paramsAt: KnownTexts['paramsAt']
  create(request: NewKeyRequest): Promise<KeyWithText>
  list(filter?: { readonly userId?: string; readonly email?: string }): Promise<readonly KeySummary[]>
  /** The text of a key, to be shown again. */
  show(id: string): Promise<KeyWithText>
  /** Gives a key a new text in its slot; the old one stops working at once. */
  rotate(id: string): Promise<KeyWithText>
  /** Changes what is given, and leaves the rest. */
  set(id: string, changes: Partial<KeyProperties>): Promise<KeySummary>
  /** Adds a public key to those that the key's tokens may be signed with. */
  addJwtKey(id: string, given: GivenJwtKey): Promise<void>
  /** Takes one away; with the last one no token is asked for any more. */
  removeJwtKey(id: string, jwtKeyId: string): Promise<void>
  disable(id: string): Promise<KeySummary>
  enable(id: string): Promise<KeySummary>
  /** Disables a key for an operator, which its user cannot undo, or ends that. */
  setDisabledByOperator(id: string, isDisabled: boolean): Promise<KeySummary>
  delete(id: string): Promise<KeySummary>
  /** Deletes every key of a user. */
  deleteAllOf(userId: string): Promise<void>
  /**
   * Returns the development user's first key of some networks, by default of all, and creates missing ones. The keys are
   * the same at every start. A network gets no key when the user already has the allowed number of keys.
   */
  ensureDevelopmentKeys(of?: readonly Network[]): Promise<Served<KeyWithText>>
  /** Heeds that a key has changed: another process tells it, or it has changed with its user. */
  heed(id: string): void
  /** Asks which keys have changed; to be called again and again where processes share the database. */
  catchUp(query: RunQuery): Promise<void>
}

/**
 * Creates the service's keys. Methods throw OperatorError: `invalid_input`, `key_unknown`,
 * `key_limit_reached`, `secret_mismatch`; a database that fails rejects with its own error, and so does a lookup when
 * the database has not answered for `keyDatabaseAbsenceSeconds`.
 */
export function createKeys({ store: { db, server }, secret, limits, ...options }: KeysOptions): Keys {
  const formerUsers = createFormerUsers(db, secret)
  const cache = createKeyCache(
    createKeyFinder((digests) => findByDigests(db, digests)),
    CACHED_KEYS,
    keyLength,
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
  const newKey = (userId: string, said: SaidOfKey) => {
    const id = newId('key')
    const text = generateKey(networks[said.network].keySuffix)
    return { text, row: { id, userId, ...said, ...seal(id, userId, text) } }
  }
  const userIdOf = async (origin: UserOrigin, typed: string) => {
    const email = readEmail(typed)
    return ensureUser(db, origin, email, await formerUsers.idOf(email))
  }
  const create = async ({ user, ...request }: NewKeyRequest): Promise<KeyWithText> => {
    const said = readSaid(request, limits)
    const userId = 'id' in user ? user.id : await userIdOf(user.origin, user.email)
    const { text, row } = newKey(userId, said)
    if (!(await insertKey(db, row, limits.keysPerUser))) throw limitReached(limits.keysPerUser)
    return { key: await summaryOf(row.id), text }
  }
  const change = async (id: string, update: () => Promise<boolean>): Promise<void> => {
    if (!(await cache.changing(id, update))) unknown(id)
    if (server !== undefined) await announceChange(db, id)
  }
  return {
    lookup(text) {
      if (!isKeyText(text)) return undefined
      if (server !== undefined && watch.isBlind()) return Promise.reject(databaseAbsent())
      return cache.lookup(digestOf(text))
    },
    known(text) {
      if (server !== undefined && watch.isBlind()) return undefined
      return cache.ofText(text) ?? (isKeyText(text) ? cache.known(digestOf(text), text) : undefined)
    },
    paramsAt: cache.paramsAt,
    create,
    async list({ userId, email } = {}) {
      const condition = and(
        userId === undefined ? undefined : eq(apiKeys.userId, userId),
        email === undefined ? undefined : eq(sql`lower(${users.email})`, sql`lower(${email})`),
      )
      return (await selectUsedKeys(db, condition, options.flushUsage)).map(asSummary)
    },
    show,
    async rotate(id) {
      const { userId, network } = await summaryOf(id)
      if (!isNetwork(network)) throw networkGone(network)
      const text = generateKey(networks[network].keySuffix)
      await change(id, () => updateKey(db, id, seal(id, userId, text)))
      return { key: await summaryOf(id), text }
    },
    async set(id, changes) {
      await change(id, () => updateKey(db, id, valuesOf(changes, limits)))
      return summaryOf(id)
    },
    addJwtKey: (id, given) =>
      change(id, async () => insertJwtKey(db, id, readJwtKey(given, limits), limits.jwtKeysPerKey)),
    removeJwtKey: (id, jwtKeyId) => change(id, () => deleteJwtKey(db, id, jwtKeyId)),
    async disable(id) {
      await change(id, () => updateKey(db, id, { state: 'disabled' }))
      return summaryOf(id)
    },
    async enable(id) {
      await change(id, () => updateKey(db, id, { state: 'enabled' }))
      return summaryOf(id)
    },
    async setDisabledByOperator(id, isDisabled) {
      await change(id, () => updateKey(db, id, { operatorDisabledAt: isDisabled ? sql`now()` : null }))
      return summaryOf(id)
    },
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
    heed: cache.forget,
    catchUp: watch.catchUp,
  }
}

/** @throws OperatorError `invalid_input` */
const readSaid = (request: Omit<NewKeyRequest, 'user'>, limits: TextLimits): SaidOfKey => ({
  network: readNetwork(request.network, networkNames),
  name: readName(request.name, limits),
  description: readDescription(request.description ?? '', limits),
  useCase: readPurpose('The use case', request.useCase ?? '', limits),
  nodeService: readPurpose('The node service', request.nodeService ?? '', limits),
})

/** What people say of a key when they make it, each value in its one form. */
interface SaidOfKey {
  readonly network: Network
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** What a change writes into a key's row: each value in its one form. */
function valuesOf(changes: Partial<KeyProperties>, limits: KeysOptions['limits']) {
  return {
    ...(changes.name === undefined ? {} : { name: readName(changes.name, limits) }),
    ...(changes.description === undefined
      ? {}
      : { description: readDescription(changes.description, limits) }),
    ...(changes.useCase === undefined
      ? {}
      : { useCase: readPurpose('The use case', changes.useCase, limits) }),
    ...(changes.nodeService === undefined
      ? {}
      : { nodeService: readPurpose('The node service', changes.nodeService, limits) }),
    ...(changes.dailyLimit === undefined
      ? {}
      : { dailyLimit: readLimit('The daily limit', changes.dailyLimit) }),
    ...(changes.monthlyLimit === undefined
      ? {}
      : { monthlyLimit: readLimit('The monthly limit', changes.monthlyLimit) }),
    ...(changes.access === undefined ? {} : { access: readAccess(changes.access, limits) }),
  }
}

/** What a lookup is refused with when it is not known any more which keys have changed. */
function databaseAbsent(): QueryError {
  const message = 'The database has not answered for too long: keys may have changed'
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
    `There is no key ${JSON.stringify(id)}; "concordat keys list" shows them all`,
  )
}

function networkGone(network: string): OperatorError {
  return new OperatorError(
    'invalid_input',
    `The key is of the network ${network}, which the contract no longer has: delete the key`,
  )
}

function limitReached(keysPerUser: number): OperatorError {
  return new OperatorError(
    'key_limit_reached',
    `key_limit_reached: the user has ${keysPerUser} keys already, disabled ones counted; delete one first`,
  )
}
