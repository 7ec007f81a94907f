import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { OperatorError, reasonOf } from '../util/index.js'
import type { RunQuery } from './connection.js'
import type { Database, OpenDatabase } from './open-store.js'
import { replicas } from './schema.js'
import type { ListeningConnection, ServerConnection } from './server-connection.js'

/** Heartbeats to wait for this process's own notification. A pooler in transaction mode never delivers it. */
const PROBE_HEARTBEATS = 4
/** Seconds after the last heartbeat for which a process counts as alive. Processes update their row each second. */
const ALIVE_SECONDS = 5
/** Hours for which rows of processes that ended are kept. */
const KEPT_HOURS = 24

/** This process in the table of replicas. */
export interface Replica {
  /** Id in the table of replicas. */
  readonly id: string
  /** Number of live processes at the last heartbeat, including this one. */
  count(): number
  /** Deregisters this process. */
  leave(): Promise<void>
}

/** Callbacks of a replica. */
export interface ReplicaOptions {
  /** Seconds within which a change reaches this process. Heartbeats poll, because notifications may be lost. */
  readonly changesWithinSeconds: number
  /** Notification channel (LISTEN). */
  readonly channel: string
  /** Receives the payload of each notification. */
  readonly onNotice: (payload: string) => void
  /** Polls for changes with each heartbeat, on the listening connection or, while that is silent, on another one. */
  readonly onBeat: (query: RunQuery) => Promise<void>
  /** Called once per outage of the database. */
  readonly onError: (error: unknown) => void
  /** Called once if notifications do not arrive, so that changes are only found by polling. */
  readonly onDeaf: () => void
}

/**
 * Registers this process in the table of replicas. With a database server, it opens a listening connection and sends two
 * heartbeats over it in the time within which a change must arrive. They detect a dead connection and poll for changes.
 * The embedded database has only one process.
 * @throws OperatorError `database_unusable`
 */
export async function joinReplicas(database: OpenDatabase, options: ReplicaOptions): Promise<Replica> {
  const id = `rep_${randomUUID()}`
  const { query } = database.connection
  try {
    await query(`delete from replicas where seen_at < now() - interval '${KEPT_HOURS} hours'`)
    await query('insert into replicas (id, reads_digests) values ($1, true)', [id])
  } catch (error) {
    const message = `Cannot register this process in the database: ${reasonOf(error)}`
    throw new OperatorError('database_unusable', message, { cause: error })
  }
  const heartbeat = database.server === undefined ? undefined : startHeartbeat(database.server, id, options)
  await heartbeat?.first
  return {
    id,
    count: () => heartbeat?.count() ?? 1,
    async leave() {
      await heartbeat?.stop()
      // The row is kept, because a frozen server may still hold a statement that needs the batch numbers in it.
      // If the update fails, the process stops counting as alive after a few seconds.
      await query("update replicas set seen_at = now() - interval '1 hour' where id = $1", [id]).catch(
        () => undefined,
      )
    },
  }
}

/** Updates this process's row if it is a second old, and counts the live processes. */
const BEAT = `
  with beat as (
    insert into replicas (id, reads_digests) values ($1, true)
    on conflict (id) do update set seen_at = now() where replicas.seen_at < now() - interval '1 second')
  select count(*)::integer + 1 as living from replicas
  where id <> $1 and seen_at > now() - interval '${ALIVE_SECONDS} seconds'`

function startHeartbeat(server: ServerConnection, id: string, options: ReplicaOptions) {
  const { changesWithinSeconds, channel, onNotice, onBeat, onError, onDeaf } = options
  const heartbeatMs = changesWithinSeconds * 500
  let living = 1
  /** Payload that this process sends to itself to check whether notifications arrive. */
  const probe = `probe ${id}`
  let isHeard = false
  let unheardBeats = 0
  const hear = (payload: string) => {
    if (payload === probe) isHeard = true
    else if (!payload.startsWith('probe ')) onNotice(payload)
  }
  /** Sends the probe over another connection, because a pooler might return it on the connection that sent it. */
  const checkNotifications = async () => {
    if (isHeard || unheardBeats > PROBE_HEARTBEATS) return
    unheardBeats += 1
    if (unheardBeats <= PROBE_HEARTBEATS) await server.query('select pg_notify($1, $2)', [channel, probe])
    else onDeaf()
  }
  let listener: ListeningConnection | undefined
  let isDown = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  /** Polls over the pool while the listening connection is silent, so that changes are not missed meanwhile. */
  let isPollingPool = false
  const pollPool = async () => {
    if (isPollingPool) return
    isPollingPool = true
    await onBeat(server.query).catch(() => undefined)
    isPollingPool = false
  }

  async function beat(): Promise<void> {
    // Changes are also polled over another connection while this one gives no answer.
    const impatience = setInterval(pollPool, heartbeatMs / 2).unref()
    try {
      listener ??= await server.listen(channel, hear, () => {
        listener = undefined
      })
      const { query } = listener
      const { rows } = await query(BEAT, [id])
      living = (rows[0] as { living: number }).living
      await onBeat(query)
      await checkNotifications()
      isDown = false
    } catch (error) {
      listener?.close()
      listener = undefined
      if (!isDown && !stopped) onError(error)
      isDown = true
    } finally {
      clearInterval(impatience)
    }
    if (!stopped) timer = setTimeout(next, heartbeatMs).unref()
  }
  const next = () => {
    beating = beat()
  }
  let beating = beat()
  return {
    first: beating,
    count: () => living,
    async stop() {
      stopped = true
      clearTimeout(timer)
      listener?.close()
      await beating
      listener?.close()
    },
  }
}

/**
 * Returns true if a process of a version that cannot read token digests shares the database, or did so in the last 24
 * hours. New tokens are then stored in plain text.
 */
export async function isSharedWithOlderVersion(db: Database): Promise<boolean> {
  const found = await db.execute(sql`
    select 1 as one from ${replicas}
    where not ${replicas.readsDigests} and ${replicas.seenAt} > now() - make_interval(hours => ${KEPT_HOURS}::integer) limit 1`)
  return found.length > 0
}
