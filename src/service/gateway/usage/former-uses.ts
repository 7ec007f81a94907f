import { and, isNotNull, lte, sql } from 'drizzle-orm'
import { createBatchWriter, type Database, formerSecrets } from '../store/index.js'

/** The use of a key's former text in its grace period, since the last write. */
export interface FormerUse {
  /** SHA-256 of the text. */
  readonly digest: string
  readonly requests: number
  /** Time and client address of the last request; the time in milliseconds since 1970. */
  readonly at: number
  readonly client: string
}

/** Counts requests with former texts of keys, so that users know when to end a grace period. */
export interface FormerUses {
  /**
   * Counts the requests of a message.
   * @param digest SHA-256 of the former text
   */
  note(digest: string, requests: number, client: string): void
  /** Writes all counts, so that they can be read. Resolves after the attempt. */
  flush(): Promise<void>
  /** Writes all counts. */
  close(): Promise<void>
}

/** How the uses are written. */
export interface FormerUsesOptions {
  /** Writes counts; called again with the same counts until it succeeds. */
  readonly write: (uses: readonly FormerUse[]) => Promise<void>
  /** Receives the error of each failed write. */
  readonly onError: (error: unknown) => void
  /** Seconds between writes. */
  readonly flushSeconds: number
}

/** Creates the counts of one process. A write whose answer is lost is repeated, and then counts twice. */
export function createFormerUses({ write, onError, flushSeconds }: FormerUsesOptions): FormerUses {
  const writer = createBatchWriter<FormerUse>(({ rows }) => write(rows), onError)
  const uses = new Map<string, FormerUse>()
  let timer: NodeJS.Timeout | undefined
  /** Removes and returns all counts. */
  const take = (): FormerUse[] => {
    const taken = [...uses.values()]
    uses.clear()
    return taken
  }
  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      // While the database is slow or unavailable, counts accumulate in memory.
      void writer.write(writer.isBusy() ? [] : take()).then(() => {
        if (uses.size > 0 || writer.isBusy()) schedule()
      })
    }, flushSeconds * 1_000).unref()
  }
  return {
    note(digest, requests, client) {
      const known = uses.get(digest)
      uses.set(digest, { digest, requests: requests + (known?.requests ?? 0), at: Date.now(), client })
      schedule()
    },
    flush: () => writer.write(take()),
    async close() {
      clearTimeout(timer)
      await writer.write(take())
      await writer.close()
    },
  }
}

/** Adds counts to former texts of keys. A client is stored only while the grace period runs. */
export async function writeFormerUses(db: Database, rows: readonly FormerUse[]): Promise<void> {
  const list = (read: (row: FormerUse) => string | number) => sql.param(rows.map(read))
  await db.execute(sql`
    update ${formerSecrets} as former set
      requests = former.requests + given.requests,
      last_client = case when accepted_until > now() then
        case when last_used_at is null or last_used_at <= given.at then given.client else last_client end end,
      last_used_at = greatest(last_used_at, given.at)
    from (
      select digest, requests, to_timestamp(at / 1000.0) as at, client
      from unnest(${list(({ digest }) => digest)}::text[], ${list(({ requests }) => requests)}::bigint[],
        ${list(({ at }) => at)}::double precision[], ${list(({ client }) => client)}::text[])
        as given(digest, requests, at, client)
    ) as given
    where former.digest = given.digest`)
}

/** Deletes the clients of former texts whose grace period has ended. */
export async function deleteFormerClients(db: Database): Promise<void> {
  await db
    .update(formerSecrets)
    .set({ lastClient: null })
    .where(and(isNotNull(formerSecrets.lastClient), lte(formerSecrets.acceptedUntil, sql`now()`)))
}
