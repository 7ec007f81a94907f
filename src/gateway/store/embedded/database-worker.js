// @ts-check
/**
 * The embedded database's thread. It is JavaScript, not TypeScript, so that it starts the same way from the
 * source and from the build, without a TypeScript loader in the thread (which costs 250 ms and 50 MB), and
 * so that it can be loaded where only the build is installed. Its messages are typed in
 * `../embedded-messages.ts`.
 */
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

/** @import { FromWorker, Settings, ToWorker } from '../embedded-messages.js' */

/** @type {Settings} */
const { settings } = workerData
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
/** @param {FromWorker} message */
const post = (message) => port.postMessage(message)

/** @param {string} text */
const asText = (text) => text
/** Types that PGlite would turn into JavaScript's own stay text, as drizzle expects: dates, and bigint. */
const TEXT_TYPES = [20, 1082, 1083, 1114, 1184, 1186, 1266]
const parsers = Object.fromEntries(TEXT_TYPES.map((type) => [type, asText]))

/** @type {PGlite | undefined} */
let database
/** @type {Map<number, { run: import('@electric-sql/pglite').Transaction, end: (commit: boolean) => void, ended: Promise<void> }>} */
const transactions = new Map()

/**
 * Opens without the optimising tier of WebAssembly: 35 MB less and no long pauses, for queries a fifth slower.
 * V8 reads these flags while functions are compiled, most of them at the opening; they belong to the whole
 * process and are given back then.
 * @param {string} folder
 */
async function open(folder) {
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString('--no-wasm-tier-up')
  try {
    database = await PGlite.create({
      dataDir: folder,
      parsers,
      startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    })
  } finally {
    setFlagsFromString('--wasm-tier-up')
    setFlagsFromString('--wasm-dynamic-tiering')
  }
}

function opened() {
  if (database === undefined) throw new Error('The database is not open')
  return database
}

/** @param {number} id */
async function begin(id) {
  /** @type {(value: void) => void} */
  let started = () => {}
  const ready = new Promise((resolve) => {
    started = resolve
  })
  const ended = opened().transaction(async (run) => {
    const commit = await new Promise((resolve) => {
      transactions.set(id, { run, end: resolve, ended: Promise.resolve() })
      started()
    })
    transactions.delete(id)
    if (!commit) await run.rollback()
  })
  await Promise.race([ready, ended])
  const transaction = transactions.get(id)
  if (transaction) transaction.ended = ended.then(() => undefined)
}

/** @param {number} id */
function transactionOf(id) {
  const transaction = transactions.get(id)
  if (transaction === undefined) throw new Error(`Transaction ${id} is not open`)
  return transaction
}

/**
 * @param {ToWorker} message
 * @returns {Promise<{ rows: unknown[], count: number }>}
 */
async function perform(message) {
  if (message.kind === 'query') {
    const runner = message.transaction === undefined ? opened() : transactionOf(message.transaction).run
    const result = await runner.query(message.text, message.params, { rowMode: message.rowMode })
    return { rows: result.rows, count: result.affectedRows ?? 0 }
  }
  if (message.kind === 'open') await open(message.folder)
  if (message.kind === 'begin') await begin(message.transaction)
  if (message.kind === 'end') {
    const transaction = transactionOf(message.transaction)
    transaction.end(message.commit)
    await transaction.ended
  }
  if (message.kind === 'close') await database?.close()
  return { rows: [], count: 0 }
}

/** @param {unknown} error */
function describe(error) {
  const { message, code, constraint } =
    /** @type {{ message?: unknown, code?: unknown, constraint?: unknown }} */ (error ?? {})
  return {
    message: typeof message === 'string' ? message : String(error),
    code: typeof code === 'string' ? code : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
  }
}

port.on('message', (/** @type {ToWorker} */ message) => {
  perform(message).then(
    ({ rows, count }) => post({ id: message.id, ok: true, rows, count }),
    (error) => post({ id: message.id, ok: false, error: describe(error) }),
  )
})
