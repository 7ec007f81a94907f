import { limits } from '@concordat/node-access-contract/contract'
import { deleteExpired, reencryptSecondFactors } from '../accounts/index.js'
import { createFailureLog, deleteOldFailures, type FailureLog, writeFailures } from '../failures/index.js'
import { createKeys, KEY_CHANNEL, type Keys, reencryptKeys } from '../keys/index.js'
import { createQuota, type Quota, returnLeasesOfDead } from '../quota/index.js'
import { createSecurityLog, deleteOldSecurityEvents, type SecurityLog } from '../security-log/index.js'
import type { Store } from '../store/index.js'
import {
  createSecret,
  createVacuum,
  joinReplicas,
  loadSecret,
  type RunQuery,
  type Secret,
} from '../store/index.js'
import type { Log } from '../telemetry/index.js'
import {
  createFormerUses,
  createUsage,
  deleteOldUsage,
  type FormerUses,
  type Usage,
  writeFormerUses,
  writeUsage,
} from '../usage/index.js'
import type { Settings } from './config.js'
import type { StartedParts } from './started-parts.js'

/** The parts that share the database with other replicas. */
export interface SharedParts {
  readonly secret: Secret
  readonly keys: Keys
  readonly quota: Quota
  readonly usage: Usage
  readonly formerUses: FormerUses
  readonly failures: FailureLog
  readonly securityLog: SecurityLog
}

/** Opens keys, quota and usage statistics, and joins the other replicas. */
export async function openKeys(
  settings: Settings,
  log: Log,
  store: Store,
  started: StartedParts,
): Promise<SharedParts> {
  const { dataDir, secretNext, secretPrevious, limits: settingLimits, tuning } = settings
  const accepted = [secretPrevious, secretNext].filter((text) => text !== undefined)
  const secret = await loadSecret(dataDir, settings.secret, accepted)
  const flushUsage = async (keyIds: readonly string[]) => {
    await Promise.all([usage.flush(keyIds), formerUses.flush()])
  }
  const keys = createKeys({ store, secret, limits, flushUsage })
  const next = secretNext === undefined ? undefined : createSecret(secretNext).version
  await reencryptKeys(store.db, secret, next)
  const unreadable = await reencryptSecondFactors(store.db, secret, next)
  if (unreadable > 0)
    log.warn(
      { unreadable },
      'second factors are encrypted with another CONCORDAT_SECRET: their users need a recovery code, or a reset by an operator',
    )
  const onBeat: ((query: RunQuery) => Promise<void>)[] = [keys.catchUp]
  const replica = await started.open(joinKeyReplicas(store, keys, onBeat, log), (joined) => joined.leave())
  const { returned, problem } = await returnLeasesOfDead(store.db, store.folder.path)
  if (returned > 0)
    log.warn({ returned }, 'the last process in the data folder died; its leases are returned')
  if (problem !== undefined)
    log.warn(
      { err: problem },
      'the journal of leases is damaged; the leases of the last process stay counted until the day or month ends',
    )
  const quota = createQuota({
    store,
    folder: store.folder.path,
    limitPerDay: settingLimits.requestsPerDay,
    tuning,
    replicaId: replica.id,
    replicas: replica.count,
    onError: (error) => log.error({ err: error }, 'counts or the journal of leases could not be written'),
  })
  onBeat.push(quota.returnRecalled)
  started.add(() => quota.close())
  const usage = openUsage(settings, log, store, replica.id)
  started.add(() => usage.close())
  const formerUses = createFormerUses({
    flushSeconds: tuning.usageFlushSeconds,
    write: (uses) => writeFormerUses(store.db, uses),
    onError: (error) =>
      log.error({ err: error }, 'uses of old URLs could not be written; the write is retried'),
  })
  started.add(() => formerUses.close())
  const failures = createFailureLog({
    limits,
    flushSeconds: tuning.usageFlushSeconds,
    write: (batch) => writeFailures(store.db, limits, batch),
    onError: (error) =>
      log.error({ err: error }, 'the log of failures could not be written; the write is retried'),
  })
  started.add(() => failures.close())
  const securityLog = createSecurityLog(store.db, limits, (error) =>
    log.error({ err: error }, 'a security event could not be written'),
  )
  started.add(() => securityLog.close())
  return { secret, keys, quota, usage, formerUses, failures, securityLog }
}

/** Registers this process, and follows what other replicas announce and change. */
function joinKeyReplicas(
  store: Store,
  keys: Keys,
  onBeat: readonly ((query: RunQuery) => Promise<void>)[],
  log: Log,
) {
  return joinReplicas(store, {
    changesWithinSeconds: limits.keyChangeReachesReplicasSeconds,
    channel: KEY_CHANNEL,
    onNotice: keys.forget,
    async onBeat(query) {
      for (const act of onBeat) await act(query)
    },
    onError: (error) => log.error({ err: error }, 'the database does not answer; the request is retried'),
    onDeaf: () =>
      log.warn(
        'no notifications from the database, for example behind a pooler in transaction mode: key changes are polled twice a second',
      ),
  })
}

function openUsage({ tuning }: Settings, log: Log, store: Store, replicaId: string): Usage {
  const vacuum = createVacuum(store.connection.query)
  return createUsage({
    usageFlushSeconds: tuning.usageFlushSeconds,
    write: (batch) => writeUsage(store.db, replicaId, batch),
    async deleteOld() {
      const deleted = [
        await deleteOldUsage(store.db, limits),
        await deleteOldFailures(store.db, limits),
        await deleteOldSecurityEvents(store.db, limits),
        await deleteExpired(store.db, limits),
      ]
      const mayBeMore = deleted.includes(true)
      // A PostgreSQL server vacuums by itself.
      if (store.server === undefined && !mayBeMore) await vacuum()
      return mayBeMore
    },
    onError: (error, lost) =>
      log.error({ err: error, lost }, 'usage could not be written; the write is retried'),
  })
}
