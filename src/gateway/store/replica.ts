import { randomUUID } from 'node:crypto'
import type { RunQuery } from './connection.js'
import type { OpenDatabase } from './open-store.js'
import { OperatorError, reasonOf } from './operator-error.js'
import type { ListeningConnection, ServerConnection } from './server-connection.js'

/** In milliseconds: how often the database is asked for what notifications may not have told. */
const BEAT_MS = 500
/** In milliseconds: when the connection that listens owes an answer for so long, another one is asked meanwhile. */
const PATIENCE_MS = 250
/** Beats that a notification of one's own may take; a pooler in transaction mode never delivers it. */
const PROBE_BEATS = 4
/** A process that was not seen for this time, in seconds, does not count; its row is written each second. */
const LIVING_SECONDS = 5
/** Rows of processes that ended without a word, in hours. */
const KEPT_HOURS = 24

/** This process among those that share its database. */
export interface Replica {
  /** The process's own, in the table of replicas. */
  readonly id: string
  /** Living processes, this one included, as of the last beat. */
  count(): number
  /** Deregisters this process. */
  leave(): Promise<void>
}

/** What a process wants to hear of the others. */
export interface ReplicaOptions {
  /** Where changes are announced (LISTEN). */
  readonly channel: string
  /** Takes an announcement's payload. */
  readonly onNotice: (payload: string) => void
  /** Runs with each beat, on the connection that listens, or on another while that is silent: asks for what was not announced. */
  readonly onBeat: (query: RunQuery) => Promise<void>
  /** Is called once for each time that the database does not answer. */
  readonly onError: (error: unknown) => void
  /** Is called once when notifications do not arrive: changes are then found by asking alone. */
  readonly onDeaf: () => void
}

/**
 * Enters this process into the table of replicas. On a server it then listens on a connection of its own, and asks
 * over that connection twice a second, so that one which has silently died is noticed, and so that nothing depends on
 * notifications; while it owes an answer, another connection is asked. The embedded database has one process.
 * @throws OperatorError `database_unusable`
 */
export async function joinReplicas(database: OpenDatabase, options: ReplicaOptions): Promise<Replica> {
  const id = `rep_${randomUUID()}`
  const { query } = database.connection
  try {
    await query(`delete from replicas where seen_at < now() - interval '${KEPT_HOURS} hours'`)
    await query('insert into replicas (id) values ($1)', [id])
  } catch (error) {
    const message = `This process cannot be entered into the database: ${reasonOf(error)}`
    throw new OperatorError('database_unusable', message, { cause: error })
  }
  const heart = database.server === undefined ? undefined : startHeart(database.server, id, options)
  await heart?.first
  return {
    id,
    count: () => heart?.count() ?? 1,
    async leave() {
      await heart?.stop()
      // The row stays for a while: a statement that a frozen server still holds must find what was written before.
      // Where it cannot be changed now, it soon counts no more.
      await query("update replicas set seen_at = now() - interval '1 hour' where id = $1", [id]).catch(
        () => undefined,
      )
    },
  }
}

/** Writes this process's row when that is due, and counts the others'. */
const BEAT = `
  with beat as (
    insert into replicas (id) values ($1)
    on conflict (id) do update set seen_at = now() where replicas.seen_at < now() - interval '1 second')
  select count(*)::integer + 1 as living from replicas
  where id <> $1 and seen_at > now() - interval '${LIVING_SECONDS} seconds'`

function startHeart(server: ServerConnection, id: string, options: ReplicaOptions) {
  const { channel, onNotice, onBeat, onError, onDeaf } = options
  let living = 1
  /** The payload that this process sends itself to find out whether notifications arrive. */
  const probe = `probe ${id}`
  let isHeard = false
  let unheardBeats = 0
  const hear = (payload: string) => {
    if (payload === probe) isHeard = true
    else if (!payload.startsWith('probe ')) onNotice(payload)
  }
  /** The probe goes over another connection: a pooler might send it back on the one that it came from. */
  const checkHearing = async () => {
    if (isHeard || unheardBeats > PROBE_BEATS) return
    unheardBeats += 1
    if (unheardBeats <= PROBE_BEATS) await server.query('select pg_notify($1, $2)', [channel, probe])
    else onDeaf()
  }
  let ear: ListeningConnection | undefined
  let isDown = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  /** What changes while a dead connection is waited for must reach this process in time all the same. */
  let isAskingElsewhere = false
  const askElsewhere = async () => {
    if (isAskingElsewhere) return
    isAskingElsewhere = true
    await onBeat(server.query).catch(() => undefined)
    isAskingElsewhere = false
  }

  async function beat(): Promise<void> {
    const impatience = setInterval(askElsewhere, PATIENCE_MS).unref()
    try {
      ear ??= await server.listen(channel, hear, () => {
        ear = undefined
      })
      const { query } = ear
      const { rows } = await query(BEAT, [id])
      living = (rows[0] as { living: number }).living
      await onBeat(query)
      await checkHearing()
      isDown = false
    } catch (error) {
      ear?.close()
      ear = undefined
      if (!isDown && !stopped) onError(error)
      isDown = true
    } finally {
      clearInterval(impatience)
    }
    if (!stopped) timer = setTimeout(next, BEAT_MS).unref()
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
      ear?.close()
      await beating
      ear?.close()
    },
  }
}
