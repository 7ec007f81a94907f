import { limits } from '@concordat/node-access-contract/contract'
import type { JsonValue } from '@concordat/rpc'
import { eq } from 'drizzle-orm'
import type { AccountAdministration } from '../accounts/index.js'
import {
  type Failure,
  type FailureCause,
  type FailureFilter,
  type FailureLog,
  findFailure,
  readCauses,
  readFailures,
} from '../failures/index.js'
import { createKeyCommands, createKeys, type Keys } from '../keys/index.js'
import type { Quota } from '../quota/index.js'
import {
  createSecurityLog,
  recordKeyEvents,
  type SecurityEvent,
  type SecurityLog,
} from '../security-log/index.js'
import { apiKeys, type OpenDatabase, type Secret, type Store } from '../store/index.js'
import type { Log } from '../telemetry/index.js'
import {
  type AccountTotals,
  type AccountUsage,
  type KeyActivity,
  type KeyMetrics,
  type MetricRange,
  readAccountUsage,
  readKeyActivity,
  readKeyMetrics,
  readUsageOfAccounts,
  type Usage,
  usedToday,
} from '../usage/index.js'
import { createAccountAdministration } from './account-administration.js'

/** Reads the log of failed calls of each key. */
export interface FailureReader {
  /**
   * Reads entries of a key, latest first.
   * @param most maximum number of entries
   * @param after last entry of the previous page
   */
  list(
    keyId: string,
    filter: FailureFilter,
    most: number,
    after?: Pick<Failure, 'at' | 'id'>,
  ): Promise<readonly Failure[]>
  /** Groups the failed calls of a key by cause, the most frequent first. */
  causes(keyId: string, filter: FailureFilter): Promise<readonly FailureCause[]>
  /** Reads one entry of a key; undefined if there is none. */
  find(keyId: string, id: string): Promise<Failure | undefined>
}

/**
 * The operations of users and operators on a running service, except those on their own accounts. The dashboard
 * accesses keys, counts and logs only through this interface. Methods reject with OperatorError, and with the errors of
 * the database.
 */
export interface Administration {
  /** Operations of users on their keys. Each change is recorded in the security log of the account. */
  readonly keys: Keys
  /** Operations of operators on accounts and keys. */
  readonly administration: AccountAdministration
  /** Calls of the last 24 hours by key id. Keys without calls are absent. */
  readonly keyActivity: (keyIds: readonly string[]) => Promise<ReadonlyMap<string, KeyActivity>>
  readonly keyMetrics: (keyId: string, range: MetricRange) => Promise<KeyMetrics>
  /** Metrics of all keys of a user together, including deleted ones. */
  readonly accountMetrics: (userId: string, range: MetricRange) => Promise<KeyMetrics>
  readonly failures: FailureReader
  /** Security events of an account, latest first. */
  readonly securityEvents: (userId: string, most: number) => Promise<readonly SecurityEvent[]>
  /** Requests of a user that count against the daily limit of the current UTC day. */
  readonly usedToday: (userId: string) => Promise<number>
  /** Usage of an account on the last days, including today. */
  readonly accountUsage: (userId: string, days: number) => Promise<AccountUsage>
  /** Usage of every account on the last days, including today, by address. */
  readonly usageOfAccounts: (days: number) => Promise<readonly AccountTotals[]>
}

/** The parts of the service that the administration reads and changes. */
export interface AdministrationParts {
  readonly store: Pick<Store, 'db'>
  readonly keys: Keys
  readonly quota: Pick<Quota, 'flush'>
  readonly usage: Pick<Usage, 'flush'>
  readonly failures: Pick<FailureLog, 'flush'>
  readonly securityLog: SecurityLog
  readonly log: Log
}

/** Creates the administration. Its reads include counts that this process has not written yet. */
export function createAdministration(parts: AdministrationParts): Administration {
  const { keys, quota, usage, failures, securityLog, log } = parts
  const { db } = parts.store
  /** Ids of the keys of a user, including deleted ones. */
  const keysOf = async (userId: string) => {
    const own = await db.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.userId, userId))
    return own.map(({ id }) => id)
  }
  return {
    keys: recordKeyEvents(keys, securityLog, 'user'),
    administration: createAccountAdministration(parts.store, keys, quota, securityLog, log, limits),
    securityEvents: securityLog.list,
    failures: {
      async list(keyId, filter, most, after) {
        await failures.flush()
        return readFailures(db, limits, keyId, filter, most, after)
      },
      async causes(keyId, filter) {
        await failures.flush()
        return readCauses(db, limits, keyId, filter)
      },
      find: (keyId, id) => findFailure(db, keyId, id),
    },
    async keyActivity(keyIds) {
      await usage.flush(keyIds)
      return readKeyActivity(db, keyIds)
    },
    async usedToday(userId) {
      await quota.flush([userId])
      return usedToday(db, userId)
    },
    async keyMetrics(keyId, range) {
      await usage.flush([keyId])
      return readKeyMetrics(db, [keyId], range)
    },
    async accountMetrics(userId, range) {
      const own = await keysOf(userId)
      await usage.flush(own)
      return readKeyMetrics(db, own, range)
    },
    async accountUsage(userId, days) {
      await Promise.all([usage.flush(await keysOf(userId)), quota.flush([userId])])
      return readAccountUsage(db, userId, days)
    },
    async usageOfAccounts(days) {
      await Promise.all([usage.flush(), quota.flush()])
      return readUsageOfAccounts(db, days)
    },
  }
}

/** Commands of `concordat keys` by name. They take and return JSON. */
export type KeyCommands = Readonly<Record<string, (input: JsonValue) => Promise<JsonValue>>>

/**
 * Creates the commands of `concordat keys` in a running service. Each change is recorded in the account's security log.
 */
export function keyCommandsOf({
  keys,
  securityLog,
}: Pick<AdministrationParts, 'keys' | 'securityLog'>): KeyCommands {
  return createKeyCommands(recordKeyEvents(keys, securityLog, 'command-line'))
}

/**
 * Creates the commands of `concordat keys` on an open database, for a process that is not a service.
 * @param onError receives errors of writing security events
 */
export function keyCommandsOn(
  store: OpenDatabase,
  secret: Secret,
  onError: (error: unknown) => void,
): KeyCommands {
  const securityLog = createSecurityLog(store.db, limits, onError)
  return keyCommandsOf({ keys: createKeys({ store, secret, limits }), securityLog })
}
