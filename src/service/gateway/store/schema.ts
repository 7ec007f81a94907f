/**
 * The service's tables. After a change, create its migration:
 *
 *   npx drizzle-kit generate --dialect postgresql --schema src/service/gateway/store/schema.ts --out src/service/gateway/store/migrations
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
 * Owners of keys and quotas, one row per e-mail address, regardless of case. `origin` says how the user was created: by
 * an operator's command (`cli`), by a sign-up (`dashboard`) or for development (`embedded`). A sign-up with an existing
 * address gets the user's keys only after the address is verified.
 */
export const users = pgTable(
  'users',
  {
    id: text('id').primaryKey(),
    origin: text('origin', { enum: ['cli', 'dashboard', 'embedded'] }).notNull(),
    email: text('email').notNull(),
    /** Required by better-auth; not used. */
    name: text('name').notNull().default(''),
    /** True once a link that was mailed to the address has been used. */
    emailVerified: boolean('email_verified').notNull().default(false),
    /** When an operator disabled the account. Its keys are refused, and log-in is not possible. */
    disabledAt: timestamp('disabled_at', { withTimezone: true }),
    /** Why an operator disabled the account, or lowered its limits, as the owner reads it; null without a reason. */
    disabledReason: text('disabled_reason'),
    limitsReason: text('limits_reason'),
    /** True if a log-in asks for a code of `twoFactors`. */
    twoFactorEnabled: boolean('two_factor_enabled').notNull().default(false),
    /** Limits that an operator lowered: requests per UTC day, and keys. Null for those of the contract. */
    dailyLimit: integer('daily_limit'),
    keyLimit: integer('key_limit'),
    lastLogInAt: timestamp('last_log_in_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex('users_email').on(sql`lower(${table.email})`),
    index('users_created').on(table.createdAt, table.id),
    check('users_limits_count', sql`${table.dailyLimit} >= 1 and ${table.keyLimit} >= 1`),
    check('users_origin_known', sql`${table.origin} in ('cli', 'dashboard', 'embedded')`),
  ],
)

/**
 * Accounts deleted on the current UTC day, and former addresses of others. A sign-up with such an address continues the
 * day's count. Limits that an operator lowered apply to it, too, for `loweredLimitsDays`. The table holds a keyed digest
 * instead of the address. Other rows are deleted after the day.
 */
export const formerUsers = pgTable('former_users', {
  /** HMAC-SHA-256 of the address in lower case, base64url. */
  addressDigest: text('address_digest').primaryKey(),
  userId: text('user_id').notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true }).notNull().defaultNow(),
  /** Those of the user, as an operator lowered them. */
  dailyLimit: integer('daily_limit'),
  keyLimit: integer('key_limit'),
})

/** Password hashes of accounts. Users who never signed up have none. */
export const credentials = pgTable(
  'credentials',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The user's id, which better-auth stores twice. */
    accountId: text('account_id').notNull(),
    /** Always `credential`: e-mail address and password. */
    providerId: text('provider_id').notNull(),
    /** scrypt, with its salt. */
    password: text('password'),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('credentials_user_provider').on(table.userId, table.providerId)],
)

/** Sessions. `token` is the SHA-256 digest of the token in the signed cookie (docs/decisions/0094). */
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

/**
 * Second factors of accounts (TOTP, RFC 6238). A row without `verified` is being set up. `failedVerificationCount` and
 * `lockedUntil` belong to better-auth and are not used: `attempts` counts.
 */
export const twoFactors = pgTable(
  'two_factors',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Encrypted. */
    secret: text('secret').notNull(),
    /** JSON list of SHA-256 digests of the unused recovery codes. */
    backupCodes: text('backup_codes').notNull(),
    verified: boolean('verified').notNull().default(false),
    failedVerificationCount: integer('failed_verification_count').notNull().default(0),
    lockedUntil: timestamp('locked_until', { withTimezone: true }),
  },
  (table) => [uniqueIndex('two_factors_user').on(table.userId)],
)

/** Mailed links that were not used yet, browsers of sign-ups, and log-ins that wait for a code, by a digest. */
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

/** Counts of log-ins, sign-ups and similar attempts, which limit guessing. */
export const attempts = pgTable('attempts', {
  id: text('id').primaryKey(),
  key: text('key').notNull().unique('attempts_key'),
  count: integer('count').notNull(),
  /** In milliseconds since 1970. */
  lastRequest: bigint('last_request', { mode: 'number' }).notNull(),
})

/**
 * API keys. `slot` starts at 1 and is unique per user, so that concurrent requests cannot create too many. Disabled keys
 * keep theirs. Rows of deleted keys stay as long as their usage, without slot, digest and encrypted text.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    /** Null for a deleted key of a deleted account. */
    userId: text('user_id').references(() => users.id, { onDelete: 'set null' }),
    network: text('network').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    /** Use case and node service as the user describes them (specification 4.3); may be empty. */
    useCase: text('use_case').notNull().default(''),
    nodeService: text('node_service').notNull().default(''),
    state: text('state', { enum: ['enabled', 'disabled', 'deleted'] })
      .notNull()
      .default('enabled'),
    /** When an operator disabled the key, which the user cannot undo. */
    operatorDisabledAt: timestamp('operator_disabled_at', { withTimezone: true }),
    slot: integer('slot'),
    /** SHA-256 of the key's text in base64url, used for lookups. */
    digest: text('digest').unique('api_keys_digest'),
    /** The key's text, encrypted with AES-256-GCM: nonce, tag and ciphertext in base64url. */
    sealed: text('sealed'),
    /** Version of the secret that encrypted `sealed`. */
    secretVersion: text('secret_version'),
    /** First and last characters of the text. */
    masked: text('masked').notNull(),
    /** The key's own limits in requests per UTC day and UTC month. */
    dailyLimit: integer('daily_limit'),
    monthlyLimit: integer('monthly_limit'),
    access: jsonb('access').$type<AccessRules>().notNull().default({}),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
    /** Changes with every property that replicas cache; replicas poll it. */
    changedAt: timestamp('changed_at', { withTimezone: true }).notNull().defaultNow(),
    /** Rounded to the minute and updated with a delay. */
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
  },
  (table) => [
    uniqueIndex('api_keys_user_slot').on(table.userId, table.slot),
    index('api_keys_created').on(table.createdAt),
    index('api_keys_changed').on(table.changedAt),
    check('api_keys_limits_count', sql`${table.dailyLimit} >= 1 and ${table.monthlyLimit} >= 1`),
    check('api_keys_state_known', sql`${table.state} in ('enabled', 'disabled', 'deleted')`),
    check('api_keys_has_user', sql`${table.userId} is not null or ${table.state} = 'deleted'`),
    // The insert statement enforces the contract's number of slots.
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
 * Secrets of keys that were replaced. They are accepted in the grace period that the user chose, and then recognized, so
 * that the user sees who still uses them.
 */
export const formerSecrets = pgTable(
  'former_secrets',
  {
    /** SHA-256 of the key's former text in base64url. */
    digest: text('digest').primaryKey(),
    keyId: text('key_id').notNull(),
    replacedAt: timestamp('replaced_at', { withTimezone: true }).notNull().defaultNow(),
    /** End of the grace period; null without one, and for one that was ended. */
    acceptedUntil: timestamp('accepted_until', { withTimezone: true }),
    /** Use in the grace period: answered requests, the minute of the last one and, while it runs, its client address. */
    requests: bigint('requests', { mode: 'number' }).notNull().default(0),
    lastUsedAt: timestamp('last_used_at', { withTimezone: true }),
    lastClient: text('last_client'),
  },
  (table) => [
    index('former_secrets_key').on(table.keyId),
    index('former_secrets_replaced').on(table.replacedAt),
  ],
)

/**
 * Requests of a subject in a window. A subject is a user, or a key with a limit of its own. Leases are taken from
 * `granted`, which the limit applies to. `used` follows within a second and is shown to users.
 */
export const quotaCounts = pgTable(
  'quota_counts',
  {
    subject: text('subject').notNull(),
    /** Length of the window, in UTC. */
    period: text('period', { enum: ['day', 'month'] }).notNull(),
    startsOn: date('starts_on', { mode: 'string' }).notNull(),
    granted: integer('granted').notNull(),
    used: integer('used').notNull().default(0),
    /** Size of the last lease. Storing it lets the statement that takes a lease return its size. */
    lastLease: integer('last_lease').notNull(),
    /** Time at which a process got fewer requests than it needed; others then return unused requests. */
    recalledAt: timestamp('recalled_at', { withTimezone: true }),
  },
  (table) => [
    primaryKey({ columns: [table.subject, table.period, table.startsOn] }),
    index('quota_counts_starts').on(table.startsOn),
    index('quota_counts_recalled').on(table.recalledAt),
    check('quota_counts_period_known', sql`${table.period} in ('day', 'month')`),
    check(
      'quota_counts_count',
      sql`${table.granted} >= 0 and ${table.used} >= 0 and ${table.lastLease} >= 0`,
    ),
  ],
)

/**
 * Mails about a day's count near or at its limit, for the day. They stay after the deletion of an account, whose count
 * continues if its user signs up again.
 */
export const quotaNotices = pgTable(
  'quota_notices',
  {
    userId: text('user_id').notNull(),
    /** UTC. */
    day: date('day', { mode: 'string' }).notNull(),
    /** Percent of the limit. */
    level: integer('level').notNull(),
    /** Times that a process tried to send the mail. */
    attempts: integer('attempts').notNull().default(1),
    /** When any process may try again; null once the mail is sent, or replaced by that of a higher level. */
    retryAt: timestamp('retry_at', { withTimezone: true }),
  },
  (table) => [primaryKey({ columns: [table.userId, table.day, table.level] })],
)

/**
 * Failed calls of keys, and requests that a key's own rules refused, kept within the contract's bounds
 * (`failuresPerKey`, `failureLogHours`).
 */
export const failures = pgTable(
  'failures',
  {
    id: text('id').primaryKey(),
    keyId: text('key_id').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull(),
    /** True for a refused request; false for a failed call. */
    refused: boolean('refused').notNull(),
    /** Method of the contract; empty for unknown methods; the rule of the key for refused requests. */
    method: text('method').notNull(),
    /** JSON-RPC error code of the answer. */
    code: integer('code').notNull(),
    message: text('message').notNull(),
    /** Name of the failure in the contract (`x-failures`); null for other errors, and in rows of the version before. */
    failure: text('failure'),
    requestId: text('request_id').notNull(),
    microseconds: bigint('microseconds', { mode: 'number' }).notNull(),
    /** JSON, or its beginning. */
    params: text('params'),
    /** True if `params` are not all that was sent. */
    paramsPart: boolean('params_part').notNull(),
  },
  (table) => [index('failures_key').on(table.keyId, table.at), index('failures_at').on(table.at)],
)

/**
 * Security events of accounts, kept within the contract's bounds (`securityEventsPerAccount`, `securityEventDays`) and
 * deleted with the account.
 */
export const securityEvents = pgTable(
  'security_events',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    at: timestamp('at', { withTimezone: true }).notNull().defaultNow(),
    kind: text('kind').notNull(),
    actor: text('actor', { enum: ['user', 'operator', 'command-line'] }).notNull(),
    /** Client address and browser; null for changes that no browser of the user made. */
    address: text('address'),
    userAgent: text('user_agent'),
    /** Such as the name of the key; may be empty. */
    detail: text('detail').notNull(),
  },
  (table) => [
    index('security_events_user').on(table.userId, table.at),
    index('security_events_at').on(table.at),
  ],
)

/**
 * Processes that share the database. `seenAt` shows which of them are alive; their number determines the size of leases.
 * `usageBatch` and `settlementBatch` are the numbers of the last written batches, so that a batch whose answer was lost
 * is not written twice.
 */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  seenAt: timestamp('seen_at', { withTimezone: true }).notNull().defaultNow(),
  usageBatch: bigint('usage_batch', { mode: 'number' }).notNull().default(0),
  settlementBatch: bigint('settlement_batch', { mode: 'number' }).notNull().default(0),
  /** False for a process of a version that finds sessions and links only if their tokens are stored in plain text. */
  readsDigests: boolean('reads_digests').notNull().default(false),
})

/** Columns of usage, counted by key, method and error code. */
const usage = {
  keyId: text('key_id').notNull(),
  /** Method of the contract; empty for unknown methods; `refused:` and a rule of the key for refused requests. */
  method: text('method').notNull(),
  /** JSON-RPC error code of the answer; 0 for a result. */
  code: integer('code').notNull(),
  requests: bigint('requests', { mode: 'number' }).notNull(),
  /** Total latency, and latency of the slowest call. */
  microseconds: bigint('microseconds', { mode: 'number' }).notNull(),
  slowestMicroseconds: bigint('slowest_microseconds', { mode: 'number' }).notNull(),
  /** Calls by class of `durationBounds`; empty in rows from before this column existed. */
  durations: bigint('durations', { mode: 'number' }).array().notNull().default([]),
  /** Calls that were sent to nodes; 0 in rows from before this column existed. */
  nodeCalls: bigint('node_calls', { mode: 'number' }).notNull().default(0),
  /** Requests that were not charged; 0 in rows of the version before, whose refusals by a limit have their code. */
  free: bigint('free', { mode: 'number' }).notNull().default(0),
}

/**
 * Usage by minute (`startsAt`, UTC), kept for the contract's `usageMinutesKeptHours`. This table and `usageHours` are
 * partitioned by time (docs/decisions/0080).
 */
export const usageMinutes = pgTable(
  'usage_minutes',
  { ...usage, startsAt: timestamp('starts_at', { withTimezone: true }).notNull() },
  (table) => [
    primaryKey({ columns: [table.keyId, table.startsAt, table.method, table.code] }),
    index('usage_minutes_starts').on(table.startsAt),
  ],
)

/** Usage by hour, including the current one, kept for the contract's `usageHoursKeptDays`. */
export const usageHours = pgTable(
  'usage_hours',
  { ...usage, startsAt: timestamp('starts_at', { withTimezone: true }).notNull() },
  (table) => [
    primaryKey({ columns: [table.keyId, table.startsAt, table.method, table.code] }),
    index('usage_hours_starts').on(table.startsAt),
  ],
)
