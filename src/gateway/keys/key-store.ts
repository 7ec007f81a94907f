import { and, asc, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { isNetwork } from '../networks/network.js'
import type { AccessRules } from '../store/access-rules.js'
import { newId } from '../store/new-id.js'
import type { Database } from '../store/open-store.js'
import { apiKeys, users } from '../store/schema.js'
import type { KnownKey } from './key-cache.js'
import { KeyNotes } from './key-notes.js'
import type { UserOrigin } from './key-summary.js'
import { KEY_CHANNEL } from './key-watch.js'
import type { AccessChanges } from './read-access.js'

/** A key's row with its user, without anything secret. */
const summary = {
  id: apiKeys.id,
  userId: users.id,
  email: users.email,
  origin: users.origin,
  network: apiKeys.network,
  name: apiKeys.name,
  description: apiKeys.description,
  useCase: apiKeys.useCase,
  nodeService: apiKeys.nodeService,
  state: apiKeys.state,
  operatorDisabledAt: apiKeys.operatorDisabledAt,
  masked: apiKeys.masked,
  dailyLimit: apiKeys.dailyLimit,
  monthlyLimit: apiKeys.monthlyLimit,
  access: apiKeys.access,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
}

/** What changes with a key's text. */
export interface SealedText {
  readonly digest: string
  readonly sealed: string
  readonly secretVersion: string
  readonly masked: string
}

/** A key about to be stored. */
export interface NewKey extends SealedText {
  readonly id: string
  readonly userId: string
  readonly network: string
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** What people may change of a key without giving it a new text. */
export interface KeyProperties {
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
  /** Null for none. */
  readonly dailyLimit: number | null
  readonly monthlyLimit: number | null
  readonly access: AccessChanges
}

const notDeleted = ne(apiKeys.state, 'deleted')

/**
 * The user with this address, made, of this origin, when there is none.
 * @param formerId the id that the address had earlier today, before its account was deleted
 */
export async function ensureUser(
  db: Database,
  origin: UserOrigin,
  email: string,
  formerId?: string,
): Promise<string> {
  // The update changes nothing: it makes the statement return the row that was there before.
  const [user] = await db.execute<{ id: string }>(sql`
    insert into ${users} (id, origin, email) values (${formerId ?? newId('usr')}, ${origin}, ${email})
    on conflict (lower(email)) do update set email = ${users.email}
    returning id`)
  return user?.id ?? ''
}

/** Tells every process that a key has changed; those that do not hear it find out by asking. */
export async function announceChange(db: Database, id: string): Promise<void> {
  await db.execute(sql`select pg_notify(${KEY_CHANNEL}, ${id})`).catch(() => undefined)
}

/**
 * Stores a key in the user's lowest free slot of `slots`; false when all are taken. One statement, and the
 * unique index decides between concurrent ones: who loses a slot tries for the next.
 */
export async function insertKey(db: Database, key: NewKey, slots: number): Promise<boolean> {
  const free = sql`select candidate from generate_series(1, ${slots}::integer) as candidate
    where not exists (
      select from ${apiKeys} where ${apiKeys.userId} = ${key.userId} and ${apiKeys.slot} = candidate)
    order by candidate limit 1`
  const insert = sql`insert into ${apiKeys}
    (id, user_id, network, name, description, use_case, node_service, slot, digest, sealed, secret_version, masked)
    select ${key.id}, ${key.userId}, ${key.network}, ${key.name}, ${key.description},
      ${key.useCase}, ${key.nodeService}, candidate,
      ${key.digest}, ${key.sealed}, ${key.secretVersion}, ${key.masked}
    from (${free}) as free
    on conflict (user_id, slot) do nothing
    returning id`
  // A lost slot is another's key, so there can be no more losses than slots.
  for (let attempt = 0; attempt <= slots; attempt += 1) {
    if ((await db.execute(insert)).length > 0) return true
  }
  return false
}

/** Stores a key in one slot of its user; nothing is stored where that is taken. */
export async function insertKeyAt(db: Database, key: NewKey, slot: number): Promise<void> {
  await db
    .insert(apiKeys)
    .values({ ...key, slot })
    .onConflictDoNothing({ target: [apiKeys.userId, apiKeys.slot] })
}

/** The keys that meet a condition, with their users, oldest first; deleted ones never. */
export function selectKeys(db: Database, condition?: SQL) {
  return db
    .select(summary)
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(notDeleted, condition))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
}

/**
 * The same, with the time of their last use.
 * @param flushUsage writes what this process has counted of keys
 */
export async function selectUsedKeys(
  db: Database,
  condition: SQL | undefined,
  flushUsage: ((keyIds: readonly string[]) => Promise<void>) | undefined,
) {
  const keys = await selectKeys(db, condition)
  if (flushUsage === undefined) return keys
  await flushUsage(keys.map(({ id }) => id))
  return selectKeys(db, condition)
}

/** A key's encrypted text; undefined where there is no such key. */
export async function selectSealed(db: Database, id: string) {
  const [row] = await db
    .select({ userId: users.id, sealed: apiKeys.sealed, secretVersion: apiKeys.secretVersion })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(notDeleted, eq(apiKeys.id, id)))
  return row
}

/** Keys that are encrypted with another secret than the one of this version, at most so many. */
export async function selectSealedByOther(db: Database, secretVersion: string, most: number) {
  const rows = await db
    .select({
      id: apiKeys.id,
      userId: apiKeys.userId,
      sealed: apiKeys.sealed,
      secretVersion: apiKeys.secretVersion,
    })
    .from(apiKeys)
    .where(and(notDeleted, ne(apiKeys.secretVersion, secretVersion)))
    .limit(most)
  return rows as readonly { id: string; userId: string; sealed: string; secretVersion: string }[]
}

/** A key's text, encrypted anew. */
interface ResealedKey {
  readonly id: string
  /** The encrypted text that is replaced; a key that was rotated meanwhile has another one, and keeps it. */
  readonly was: string
  readonly sealed: string
}

/** Replaces encrypted texts, in one statement. */
export async function resealKeys(
  db: Database,
  keys: readonly ResealedKey[],
  secretVersion: string,
): Promise<void> {
  const list = (read: (key: ResealedKey) => string) => sql.param(keys.map(read))
  await db.execute(sql`
    update api_keys set sealed = new.sealed, secret_version = ${secretVersion}
    from unnest(${list((key) => key.id)}::text[], ${list((key) => key.was)}::text[],
      ${list((key) => key.sealed)}::text[]) as new (id, was, sealed)
    where api_keys.id = new.id and api_keys.sealed = new.was`)
}

/** The keys with these digests, by digest, as requests need them. */
export async function findByDigests(
  db: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, KnownKey>> {
  const rows = await db
    .select({
      digest: apiKeys.digest,
      id: apiKeys.id,
      userId: users.id,
      network: apiKeys.network,
      dailyLimit: apiKeys.dailyLimit,
      monthlyLimit: apiKeys.monthlyLimit,
      access: apiKeys.access,
      enabled: sql<boolean>`${apiKeys.state} = 'enabled' and ${isNull(apiKeys.operatorDisabledAt)} and ${isNull(users.disabledAt)}`,
    })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${apiKeys.digest} = any (${`{${digests.join(',')}}`}::text[])`)
  const found = new Map<string, KnownKey>()
  for (const { digest, enabled, network, id, userId, dailyLimit, monthlyLimit, access } of rows) {
    if (digest === null || !isNetwork(network)) continue
    // Written out: every request reads a key, and objects made alike are read fast.
    const [rules, notes] = [rulesOf(access), new KeyNotes()]
    found.set(digest, {
      key: { id, userId, network, dailyLimit, monthlyLimit, access: rules, notes },
      enabled,
    })
  }
  return found
}

/** Of a key that nothing restricts; one for all of them, since every request looks at its key's. */
const noRules: AccessRules = {}
const rulesOf = (access: AccessRules) => (Object.keys(access).length === 0 ? noRules : access)

/** Changes a key that is not deleted; false where there is none with this id. */
export async function updateKey(
  db: Database,
  id: string,
  values: Partial<SealedText & KeyProperties> & {
    readonly state?: 'enabled' | 'disabled'
    readonly operatorDisabledAt?: SQL | null
  },
): Promise<boolean> {
  const { access, ...others } = values
  // Merged by the database, so that two changes of different rules do not undo each other.
  const merged =
    access === undefined
      ? {}
      : { access: sql`jsonb_strip_nulls(${apiKeys.access} || ${JSON.stringify(access)}::jsonb)` }
  const changed = await db
    .update(apiKeys)
    .set({ ...others, ...merged, changedAt: sql`now()` })
    .where(and(notDeleted, eq(apiKeys.id, id)))
    .returning({ id: apiKeys.id })
  return changed.length > 0
}

/** Deletes a key: its row stays for usage that refers to it, without slot and secret. False where there is none. */
export async function deleteKey(db: Database, id: string): Promise<boolean> {
  const nothing = { slot: null, digest: null, sealed: null, secretVersion: null }
  const changed = await db
    .update(apiKeys)
    .set({ ...nothing, state: 'deleted', changedAt: sql`now()` })
    .where(and(notDeleted, eq(apiKeys.id, id)))
    .returning({ id: apiKeys.id })
  return changed.length > 0
}
