import { and, asc, eq, isNotNull, isNull, ne, notInArray, type SQL, sql } from 'drizzle-orm'
import { isNetwork } from '../profiles/index.js'
import type { AccessRules, Database, FormerUser } from '../store/index.js'
import { apiKeys, failures, formerSecrets, newId, users } from '../store/index.js'
import type { AcceptedKey } from './accepted-key.js'
import type { AccessChanges } from './access/read-access.js'
import type { LastRotation, UserOrigin } from './key-summary.js'
import type { KnownKey } from './lookup/key-cache.js'
import { KEY_CHANNEL } from './lookup/key-watch.js'
import { PerKeyState } from './per-key-state.js'

/** Columns of a key and its user, without secrets. */
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
  accountDisabled: sql<boolean>`${isNotNull(users.disabledAt)}`,
  masked: apiKeys.masked,
  dailyLimit: apiKeys.dailyLimit,
  monthlyLimit: apiKeys.monthlyLimit,
  access: apiKeys.access,
  createdAt: apiKeys.createdAt,
  lastUsedAt: apiKeys.lastUsedAt,
  changedAt: sql<string>`extract(epoch from ${apiKeys.changedAt})::text`,
  // Plain SQL, because drizzle would print the column names of this subquery without their tables.
  graceUntil: sql`(select max(accepted_until) from former_secrets
    where key_id = api_keys.id and accepted_until > now())`.mapWith(
    (at: string) => new Date(at),
  ) as SQL<Date | null>,
  lastRotation: sql`(select json_build_object('at', extract(epoch from replaced_at) * 1000,
      'until', extract(epoch from accepted_until) * 1000, 'requests', requests,
      'lastUsedAt', extract(epoch from former.last_used_at) * 1000,
      'lastClient', case when accepted_until > now() then last_client end)
    from former_secrets as former where key_id = api_keys.id
    order by replaced_at desc limit 1)`.mapWith(lastRotationOf) as SQL<LastRotation | null>,
}

/** Reads the JSON of the database, with times in milliseconds since 1970. */
function lastRotationOf(json: unknown): LastRotation {
  const { at, until, lastUsedAt, ...use } = (typeof json === 'string' ? JSON.parse(json) : json) as {
    at: number
    until: number | null
    requests: number
    lastUsedAt: number | null
    lastClient: string | null
  }
  const dateOf = (milliseconds: number | null) => (milliseconds === null ? null : new Date(milliseconds))
  return { ...use, at: new Date(at), until: dateOf(until), lastUsedAt: dateOf(lastUsedAt) }
}

/** Columns that change with a key's text. */
export interface SealedText {
  readonly digest: string
  readonly sealed: string
  readonly secretVersion: string
  readonly masked: string
}

/** A key to be inserted. */
export interface NewKey extends SealedText {
  readonly id: string
  readonly userId: string
  readonly network: string
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
}

/** Properties of a key that can change without a new text. */
export interface KeyProperties {
  readonly name: string
  readonly description: string
  readonly useCase: string
  readonly nodeService: string
  /** Requests per UTC day; null for no limit. */
  readonly dailyLimit: number | null
  /** Requests per UTC month; null for no limit. */
  readonly monthlyLimit: number | null
  readonly access: AccessChanges
}

const notDeleted = ne(apiKeys.state, 'deleted')

/**
 * Returns the id of the user with this address, who is created if missing.
 * @param former what the new user takes over from an earlier account with this address
 */
export async function ensureUser(
  db: Database,
  origin: UserOrigin,
  email: string,
  former?: FormerUser,
): Promise<string> {
  // The update changes nothing; without it, the statement would not return an existing row.
  const [user] = await db.execute<{ id: string }>(sql`
    insert into ${users} (id, origin, email, daily_limit, key_limit)
    values (${former?.id ?? newId('usr')}, ${origin}, ${email},
      ${former?.dailyLimit ?? null}::integer, ${former?.keyLimit ?? null}::integer)
    on conflict (lower(email)) do update set email = ${users.email}
    returning id`)
  return user?.id ?? ''
}

/** Notifies every process that a key has changed. Processes that miss the notification find the change by polling. */
export async function announceChange(db: Database, id: string): Promise<void> {
  await db.execute(sql`select pg_notify(${KEY_CHANNEL}, ${id})`).catch(() => undefined)
}

/**
 * Inserts a key into the user's lowest free slot. The unique index decides between concurrent inserts, and the loser
 * tries the next slot.
 * @param slots number of keys of a user; an operator may have set a lower one
 * @returns false if all slots are taken
 */
export async function insertKey(db: Database, key: NewKey, slots: number): Promise<boolean> {
  const taken = sql`select from ${apiKeys} where ${apiKeys.userId} = ${key.userId}`
  const free = sql`select candidate
    from ${users} as owner, generate_series(1, least(${slots}::integer, owner.key_limit)) as candidate
    where owner.id = ${key.userId}
      and not exists (${taken} and ${apiKeys.slot} = candidate)
      and (select count(*) from (${taken} and ${apiKeys.slot} is not null) as own) < least(${slots}::integer, owner.key_limit)
    order by candidate limit 1`
  const insert = sql`insert into ${apiKeys}
    (id, user_id, network, name, description, use_case, node_service, slot, digest, sealed, secret_version, masked)
    select ${key.id}, ${key.userId}, ${key.network}, ${key.name}, ${key.description},
      ${key.useCase}, ${key.nodeService}, candidate,
      ${key.digest}, ${key.sealed}, ${key.secretVersion}, ${key.masked}
    from (${free}) as free
    on conflict (user_id, slot) do nothing
    returning id`
  // Each lost attempt means that another key took a slot, so there are at most `slots` of them.
  for (let attempt = 0; attempt <= slots; attempt += 1) {
    if ((await db.execute(insert)).length > 0) return true
  }
  return false
}

/**
 * Returns the number of keys that a user may have.
 * @param most that of every user; an operator may have set a lower one
 */
export async function keyLimitOf(db: Database, userId: string, most: number): Promise<number> {
  const [user] = await db.select({ limit: users.keyLimit }).from(users).where(eq(users.id, userId))
  return Math.min(most, user?.limit ?? most)
}

/** Inserts a key into this slot of its user; does nothing if the slot is taken. */
export async function insertKeyAt(db: Database, key: NewKey, slot: number): Promise<void> {
  await db
    .insert(apiKeys)
    .values({ ...key, slot })
    .onConflictDoNothing({ target: [apiKeys.userId, apiKeys.slot] })
}

/** Selects keys with their users, oldest first, without deleted keys. */
export function selectKeys(db: Database, condition?: SQL) {
  return db
    .select(summary)
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(notDeleted, condition))
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id))
}

/**
 * Selects keys after writing their usage, so that their last use is current.
 * @param flushUsage writes the counts of this process for these keys
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

/** Selects a key's encrypted text; undefined for an unknown key. */
export async function selectSealed(db: Database, id: string) {
  const [row] = await db
    .select({ userId: users.id, sealed: apiKeys.sealed, secretVersion: apiKeys.secretVersion })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(notDeleted, eq(apiKeys.id, id)))
  return row
}

/** Selects at most `most` keys that are not encrypted with secrets of these versions. */
export async function selectKeysOfOtherSecrets(
  db: Database,
  secretVersions: readonly string[],
  most: number,
) {
  const rows = await db
    .select({
      id: apiKeys.id,
      userId: apiKeys.userId,
      sealed: apiKeys.sealed,
      secretVersion: apiKeys.secretVersion,
    })
    .from(apiKeys)
    .where(and(notDeleted, notInArray(apiKeys.secretVersion, [...secretVersions])))
    .limit(most)
  return rows as readonly { id: string; userId: string; sealed: string; secretVersion: string }[]
}

/** A key's text, encrypted with a new secret. */
interface ResealedKey {
  readonly id: string
  /** The encrypted text to replace. A key that was rotated meanwhile has another text and is left alone. */
  readonly was: string
  readonly sealed: string
}

/** Replaces encrypted texts in one statement. */
export async function updateSealedTexts(
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

/** The columns of a key that requests need. */
const accepted = {
  id: apiKeys.id,
  userId: users.id,
  network: apiKeys.network,
  dailyLimit: apiKeys.dailyLimit,
  monthlyLimit: apiKeys.monthlyLimit,
  userDailyLimit: users.dailyLimit,
  access: apiKeys.access,
  enabled: sql<boolean>`${apiKeys.state} = 'enabled' and ${isNull(apiKeys.operatorDisabledAt)} and ${isNull(users.disabledAt)}`,
}

/** Finds keys by the digests of their texts, also of replaced ones. Unknown digests are absent from the result. */
export async function findByDigests(
  db: Database,
  digests: readonly string[],
): Promise<ReadonlyMap<string, KnownKey>> {
  const listed = (of: readonly string[]) => sql`(${`{${of.join(',')}}`}::text[])`
  const found = new Map<string, KnownKey>()
  const rows = await db
    .select({ ...accepted, digest: apiKeys.digest })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${apiKeys.digest} = any ${listed(digests)}`)
  for (const row of rows) if (row.digest !== null) addKnown(found, row.digest, row)
  const others = digests.filter((digest) => !found.has(digest))
  if (others.length === 0) return found
  const former = await db
    .select({ ...accepted, digest: formerSecrets.digest, until: formerSecrets.acceptedUntil })
    .from(formerSecrets)
    .innerJoin(apiKeys, eq(apiKeys.id, formerSecrets.keyId))
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(sql`${notDeleted} and ${formerSecrets.digest} = any ${listed(others)}`)
  for (const row of former) addKnown(found, row.digest, row, row.until?.getTime() ?? 0)
  return found
}

interface AcceptedRow extends Omit<AcceptedKey, 'network' | 'keyState' | 'formerDigest'> {
  readonly network: string
  readonly enabled: boolean
}

function addKnown(found: Map<string, KnownKey>, digest: string, row: AcceptedRow, graceUntil?: number): void {
  const { enabled, network, id, userId, dailyLimit, monthlyLimit, userDailyLimit, access } = row
  if (!isNetwork(network)) return
  // A literal with all members gives keys one hidden class, which keeps reads fast on the request path.
  const [rules, keyState] = [rulesOf(access), new PerKeyState()]
  const limits = { dailyLimit, monthlyLimit, userDailyLimit }
  const key = { id, userId, network, ...limits, access: rules, keyState }
  const own = graceUntil === undefined ? key : { ...key, formerDigest: digest }
  found.set(digest, { key: own, enabled, graceUntil })
}

/** The rules of all unrestricted keys. One shared object keeps reads fast on the request path. */
const noRules: AccessRules = {}
const rulesOf = (access: AccessRules) => (Object.keys(access).length === 0 ? noRules : access)

/**
 * Updates a key.
 * @param unchangedSince `changedAt` of a summary
 * @returns false for an unknown or deleted key, and for one that has changed since
 */
export async function updateKey(
  db: Database,
  id: string,
  values: Partial<SealedText & KeyProperties> & {
    readonly state?: 'enabled' | 'disabled'
    readonly operatorDisabledAt?: SQL | null
  },
  unchangedSince?: string,
): Promise<boolean> {
  const { access, ...others } = values
  // The database merges the rules, so that concurrent changes of different rules are all kept.
  const merged =
    access === undefined
      ? {}
      : { access: sql`jsonb_strip_nulls(${apiKeys.access} || ${JSON.stringify(access)}::jsonb)` }
  const changed = await db
    .update(apiKeys)
    .set({ ...others, ...merged, changedAt: sql`now()` })
    .where(
      and(
        notDeleted,
        eq(apiKeys.id, id),
        unchangedSince === undefined ? undefined : eq(summary.changedAt, unchangedSince),
      ),
    )
    .returning({ id: apiKeys.id })
  return changed.length > 0
}

/**
 * Replaces the text of a key in one statement. The former text is accepted for the given time; the grace periods of
 * earlier texts end.
 * @param graceHours 0 for none
 * @returns false for an unknown or deleted key
 */
export async function replaceSecret(
  db: Database,
  id: string,
  { digest, sealed, secretVersion, masked }: SealedText,
  graceHours: number,
): Promise<boolean> {
  const changed = await db.execute(sql`
    with former as (
      select id, digest from ${apiKeys} as key where id = ${id} and state <> 'deleted' for update
    ),
    ended as (
      update ${formerSecrets} set accepted_until = null, last_client = null
      where key_id in (select id from former) and accepted_until is not null
    ),
    kept as (
      insert into ${formerSecrets} (digest, key_id, accepted_until)
      select digest, id, case when ${graceHours}::integer > 0
        then now() + make_interval(hours => ${graceHours}::integer) end
      from former
    )
    update ${apiKeys} as key set digest = ${digest}, sealed = ${sealed}, secret_version = ${secretVersion},
      masked = ${masked}, changed_at = now()
    from former where key.id = former.id
    returning key.id`)
  return changed.length > 0
}

/**
 * Ends the grace period of a key's former text, and forgets the client that used it.
 * @returns false for an unknown or deleted key
 */
export async function endGrace(db: Database, id: string): Promise<boolean> {
  await db
    .update(formerSecrets)
    .set({ acceptedUntil: null, lastClient: null })
    .where(eq(formerSecrets.keyId, id))
  return updateKey(db, id, {})
}

/**
 * Marks a key as deleted and removes its slot, its secrets and its log of failures. The row stays as long as its usage.
 * @returns false for an unknown or deleted key
 */
export async function deleteKey(db: Database, id: string): Promise<boolean> {
  const nothing = { slot: null, digest: null, sealed: null, secretVersion: null }
  const changed = await db
    .update(apiKeys)
    .set({ ...nothing, state: 'deleted', changedAt: sql`now()` })
    .where(and(notDeleted, eq(apiKeys.id, id)))
    .returning({ id: apiKeys.id })
  await db.delete(failures).where(eq(failures.keyId, id))
  await db.delete(formerSecrets).where(eq(formerSecrets.keyId, id))
  return changed.length > 0
}
