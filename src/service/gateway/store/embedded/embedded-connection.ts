import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type Connection, QueryError, type QueryResult, type RunQuery } from '../connection.js'
import type { FromWorker, Settings, ToWorker } from './embedded-messages.js'

const WORKER = new URL('./database-worker.js', import.meta.url)

/** Settings for a small database on a development machine. PostgreSQL's defaults would take 300 MB. */
const SETTINGS: Settings = {
  settings: [
    'shared_buffers=4MB',
    'wal_buffers=256kB',
    'max_connections=4',
    'min_wal_size=2MB',
    'max_wal_size=32MB',
    // There is no autovacuum to refresh statistics, so cached plans for small tables would never change.
    'plan_cache_mode=force_custom_plan',
    // The database fits into the page cache, so random reads cost little more than sequential reads.
    'random_page_cost=1.1',
  ],
}
/** Size of the thread's young generation in MB. The default would grow to 48 MB. */
const YOUNG_GENERATION_MB = 4

type Question = ToWorker extends infer Each ? (Each extends { id: number } ? Omit<Each, 'id'> : never) : never

/** The database's thread. */
interface Thread {
  ask(question: Question): Promise<QueryResult>
  /** Resolves with the cause if the thread ends unexpectedly. */
  readonly lost: Promise<unknown>
  stop(): Promise<void>
}

/** Creates the error of all statements once the thread has ended. */
function threadEnded(cause: unknown): Error {
  return new QueryError(
    { message: 'The embedded database has stopped', code: undefined, constraint: undefined },
    { cause },
  )
}

function startThread(): Thread {
  const worker = new Worker(WORKER, {
    workerData: SETTINGS,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  })
  const waiting = new Map<
    number,
    { resolve: (result: QueryResult) => void; reject: (error: Error) => void }
  >()
  let last = 0
  let ended: Error | undefined
  let isStopping = false
  let lose: (cause: unknown) => void = () => undefined
  const lost = new Promise<unknown>((resolve) => {
    lose = resolve
  })
  const end = (cause: unknown) => {
    if (!isStopping) lose(cause)
    ended ??= threadEnded(cause)
    for (const { reject } of waiting.values()) reject(ended)
    waiting.clear()
  }
  worker.on('error', end)
  worker.on('exit', (code) => end(new Error(`The database's thread ended with code ${code}`)))
  worker.on('message', (answer: FromWorker) => {
    const question = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.ok) question?.resolve({ rows: answer.rows, count: answer.count })
    else question?.reject(new QueryError(answer.error))
  })
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        last += 1
        waiting.set(last, { resolve, reject })
        worker.postMessage({ ...question, id: last } as ToWorker)
      }),
    lost,
    async stop() {
      isStopping = true
      if (ended !== undefined) return
      await Promise.all([once(worker, 'exit'), worker.terminate()])
    },
  }
}

/**
 * Opens the embedded database (PGlite) in its own thread, so that slow queries do not block requests. PGlite never calls
 * fsync: acknowledged writes survive a killed process but not a power failure.
 * @param folder resolves once the folder contains a cluster; the thread starts meanwhile
 * @throws QueryError if the folder cannot be opened
 */
export async function openEmbedded(folder: Promise<string>): Promise<Connection> {
  const thread = startThread()
  try {
    await thread.ask({ kind: 'open', folder: await folder })
  } catch (error) {
    await thread.stop()
    throw error
  }
  let transactions = 0
  const queryIn =
    (transaction?: number): RunQuery =>
    (text, params = [], rowMode = 'object') =>
      thread.ask({
        kind: 'query',
        text,
        params,
        rowMode,
        ...(transaction === undefined ? {} : { transaction }),
      })
  return {
    query: queryIn(),
    lost: thread.lost,
    async transaction(work) {
      transactions += 1
      const transaction = transactions
      await thread.ask({ kind: 'begin', transaction })
      try {
        const result = await work(queryIn(transaction))
        await thread.ask({ kind: 'end', transaction, commit: true })
        return result
      } catch (error) {
        await thread.ask({ kind: 'end', transaction, commit: false }).catch(() => undefined)
        throw error
      }
    },
    async close() {
      await thread.ask({ kind: 'close' })
      await thread.stop()
    },
  }
}
