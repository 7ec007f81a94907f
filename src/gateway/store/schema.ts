/**
 * The service's tables, in PostgreSQL's dialect. After a change, make its migration:
 *
 *   npx drizzle-kit generate --dialect postgresql --schema src/gateway/store/schema.ts --out src/gateway/store/migrations
 */
import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { AccessRules } from './access-rules.js'

/**
 * Who owns keys and has a daily quota: one row per e-mail address, whatever its case, so that nobody has the keys and
 * the quota of two. `origin` says who named the address first: `cli` the operator, `dashboard` somebody who signed up,
 * `embedded` the service itself, for its development user. Nobody has proved an address of the first and the last:
 * whoever signs up with one may have its keys only once the address is proved to be theirs.
 */
export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    origin: text('origin', { enum: ['cli', 'dashboard', 'embedded'] }).notNull(),
    email: text('email').notNull(),
    /** What the library of accounts wants to call people by; nobody is asked for it. */
    name: text('name').notNull().default(''),
    /** True once somebody has shown that they read what is sent to the address. */
    emailVerified: boolean('email_verified').notNull().default(false),
    /** When an operator has disabled the account; its keys open nothing then, and nobody logs in to it. */
    disabledAt: timestamp('disabled_at', { withTimezone: true }),
    lastLogInAt: timestamp('last_log_in_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email').on(sql`lower(${table.email})`),
    index('users_created').on(table.createdAt, table.id),
    check('users_origin_known', sql`${table.origin} in ('cli', 'dashboard', 'embedded')`),
  ],
)

/**
 * Whose account was deleted today (UTC): who signs up with the same address on that day is given the id of before, so
 * that the requests of the day stay counted. The address itself is not kept: its digest is made with the service's
 * secret. Deleted when the day is over.
 */
export const formerUsers = pgTable('former_users', {
  /** HMAC-SHA-256 of the address in lower case, base64url. */
  addressDigest: text('address_digest').primaryKey(),
  userId: text('user_id').notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true }).notNull().defaultNow(),
})

/** A way in to an account: the hash of a password. Who was only named by the operator has none. */
export const credentials = pgTable(
  'credentials',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The user's id again: the library's name for who the provider says it is. */
    accountId: text('account_id').notNull(),
    /** `credential`: an address and a password. */
    providerId: text('provider_id').notNull(),
    /** scrypt, with its salt. */
    password: text('password'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('credentials_user_provider').on(table.userId, table.providerId)],
)

/** Where somebody is logged in. The token alone opens nothing: the cookie carries it signed. */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    token: text('token').notNull().unique('sessions_token'),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

/** Links that were sent and not used yet. */
export const verifications = pgTable(
  'verifications',
  {
    id: text('id').primaryKey(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index('verifications_identifier').on(table.identifier)],
)

/** Attempts to log in, to sign up and the like, by client address and what was tried: how guessing is slowed down. */
export const attempts = pgTable('attempts', {
  id: text('id').primaryKey(),
  key: text('key').notNull().unique('attempts_key'),
  count: integer('count').notNull(),
  /** In milliseconds since 1970. */
  lastRequest: bigint('last_request', { mode: 'number' }).notNull(),
})

/**
 * API keys. `slot` counts from 1 and is unique per user, so that concurrent requests cannot make one key
 * more than the contract allows; a disabled key keeps its slot. A deleted key's row stays, for usage that
 * refers to it, without slot, digest and secret: nothing can be looked up or shown again.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    /** Null for a deleted key whose user has deleted the account. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    network: text('network').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    /** What its user says it is for, and which service it is for (specification 4.3); empty where nothing was said. */
    useCase: text('use_case').notNull().default(''),
    nodeService: text('node_service').notNull().default(''),
    state: text('state', { enum: ['enabled', 'disabled', 'deleted'] })
      .notNull()
      .default('enabled'),
    /** When an operator has disabled the key, which its user cannot undo. */
    operatorDisabledAt: timestamp('operator_disabled_at', { withTimezone: true }),
    slot: integer('slot'),
    /** SHA-256 of the key's text, base64url: what a request is looked up by. */
    digest: text('digest').unique('api_keys_digest'),
    /** The key's text under AES-256-GCM, to be shown again: nonce, tag and ciphertext, base64url. */
    sealed: text('sealed'),
    /** Which secret `sealed` needs. */
    secretVersion: text('secret_version'),
    /** Its first and last characters, by which a person tells keys apart. */
    masked: text('masked').notNull(),
    /** Requests per UTC day and per UTC month that this key may make, beside its user's limit. */
    dailyLimit: integer('daily_limit'),
    monthlyLimit: integer('monthly_limit'),
    access: jsonb('access').$type<AccessRules>().notNull().default({}),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Moves with everything that a replica keeps of the key in memory: how changes are found. */
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
    /** To the minute, and behind. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [
    uniqueIndex('api_keys_user_slot').on(table.userId, table.slot),
    index('api_keys_created').on(table.createdAt),
    index('api_keys_changed').on(table.changedAt),
    check('api_keys_limits_count', sql`${table.dailyLimit} >= 1 and ${table.monthlyLimit} >= 1`),
    check('api_keys_state_known', sql`${table.state} in ('enabled', 'disabled', 'deleted')`),
    check('api_keys_has_user', sql`${table.userId} is not null or ${table.state} = 'deleted'`),
    // How many slots there are is the contract's business and part of the statement that takes one.
    check('api_keys_slot_counts', sql`${table.slot} >= 1`),
    check(
      'api_keys_deleted_is_empty',
      sql`(${table.state} = 'deleted') = (${table.slot} is null)
        and (${table.slot} is null) = (${table.digest} is null)
        and (${table.slot} is null) = (${table.sealed} is null)
        and (${table.slot} is null) = (${table.secretVersion} is null)`,
    ),
  ],
)

/**
 * Requests of one subject in one window. A subject is a user, or a key with a limit of its own: ids of the two never
 * meet. Processes take leases from `granted`, which is what the limit is held against; `used` follows within a
 * second and is what people are shown.
 */
export const quotaCounts = pgTable(
  'quota_counts',
  {
    subject: text('subject').notNull(),
    /** How long the window is; both kinds are in UTC. */
    period: text('period', { enum: ['day', 'month'] }).notNull(),
    startsOn: date('starts_on', { mode: 'string' }).notNull(),
    granted: integer('granted').notNull(),
    used: integer('used').notNull().default(0),
    /** Size of the lease that the last statement took, which lets that statement return it. */
    lastLease: integer('last_lease').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.period, table.startsOn] }),
    index('quota_counts_starts').on(table.startsOn),
    check('quota_counts_period_known', sql`${table.period} in ('day', 'month')`),
    check(
      'quota_counts_count',
      sql`${table.granted} >= 0 and ${table.used} >= 0 and ${table.lastLease} >= 0`,
    ),
  ],
)

/**
 * The processes that share the database. `seenAt` tells which of them live: leases are sized by their number.
 * `usageBatch` and `settlementBatch` number the last batches of usage and of settled leases that a process has written,
 * so that one of which it never heard whether it was written is not written twice.
 */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
  usageBatch: bigint('usage_batch', { mode: 'number' }).notNull().default(0),
  settlementBatch: bigint('settlement_batch', { mode: 'number' }).notNull().default(0),
})

/** What is counted of the calls of one key, method and outcome. */
const usage = {
  keyId: text('key_id').notNull(),
  /** A method of the contract; empty for what never named one. */
  method: text('method').notNull(),
  /** Code of the JSON-RPC error that was answered; 0 for a result. */
  code: integer('code').notNull(),
  requests: bigint('requests', { mode: 'number' }).notNull(),
  /** Time to the answer: of all calls together, and of the slowest. */
  microseconds: bigint('microseconds', { mode: 'number' }).notNull(),
  slowestMicroseconds: bigint('slowest_microseconds', { mode: 'number' }).notNull(),
  /** How the times are spread: calls by class of `durationBounds`; empty where they were written before that was counted. */
  durations: bigint('durations', { mode: 'number' }).array().notNull().default([]),
}

/** Usage by the minute (`startsAt`, UTC), kept for the contract's `usageMinutesKeptHours`. */
export const usageMinutes = pgTable(
  'usage_minutes',
  { ...usage, startsAt: timestamp('starts_at', { withTimezone: true }).notNull() },
  (table) => [
    primaryKey({ columns: [table.keyId, table.startsAt, table.method, table.code] }),
    index('usage_minutes_starts').on(table.startsAt),
  ],
)

/** The same usage by the hour, kept for the contract's `usageHoursKeptDays`; the hour under way is among them. */
export const usageHours = pgTable(
  'usage_hours',
  { ...usage, startsAt: timestamp('starts_at', { withTimezone: true }).notNull() },
  (table) => [
    primaryKey({ columns: [table.keyId, table.startsAt, table.method, table.code] }),
    index('usage_hours_starts').on(table.startsAt),
  ],
)
