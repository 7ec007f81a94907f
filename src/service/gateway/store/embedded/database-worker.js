// @ts-check
/**
 * The embedded database's thread. It is JavaScript, so that it starts without a TypeScript loader, which would cost
 * 250 ms and 50 MB. Its messages are typed in `./embedded-messages.ts`.
 */
import { setFlagsFromString } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

/** @import { FromWorker, Settings, ToWorker } from './embedded-messages.js' */

/** @type {Settings} */
const { settings } = workerData
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
/** @param {FromWorker} message */
const post = (message) => port.postMessage(message)

/** @param {string} text */
const asText = (text) => text
/** Types that stay strings, as drizzle expects: dates and bigint. */
const TEXT_TYPES = [20, 1082, 1083, 1114, 1184, 1186, 1266]
const parsers = Object.fromEntries(TEXT_TYPES.map((type) => [type, asText]))

/** @type {PGlite | undefined} */
let database
/** @type {Map<number, { run: import('@electric-sql/pglite').Transaction, end: (commit: boolean) => void, ended: Promise<void> }>} */
const transactions = new Map()

/** Bytes of WebAssembly that a function runs before V8 optimises it: V8's own number, and one for the database. */
const TIERING_BUDGETS = { default: 13_000_000, database: 300_000_000 }

/**
 * Opens the database without V8's optimising compiler. That of Node 24 takes 604 MB for one of the functions that run
 * here, and that of any version takes half a second of processor time and 40 MB. V8 reads these flags when it compiles
 * a module, or a function at its first call. Node 20 and 22 optimise no function of the database; newer versions
 * optimise those that are called later, if they are hot. `--wasm-tier-up` stays off, because Node 20 and 22 would
 * otherwise optimise the later functions at their first call. Other WebAssembly, such as the HTTP parser of undici, is
 * optimised as usual.
 * @param {string} folder
 */
async function open(folder) {
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGETS.database}`)
  try {
    database = await PGlite.create({
      dataDir: folder,
      parsers,
      startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
    })
  } finally {
    setFlagsFromString('--wasm-dynamic-tiering')
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGETS.default}`)
  }
}

/** Maximum number of prepared statements. */
const MOST_PREPARED = 100
/** @type {Map<string, Promise<string> | undefined>} names of prepared statements by their text; undefined for a statement that was run once */
const prepared = new Map()

/**
 * Prepares a statement when it is run for the second time.
 * @param {PGlite} engine
 * @param {string} text
 */
function prepare(engine, text) {
  const name = `statement_${[...prepared.keys()].indexOf(text)}`
  const made = engine.exec(`prepare ${name} as ${text}`).then(() => name)
  prepared.set(text, made)
  return made
}

/**
 * Formats a value as a literal (standard_conforming_strings is on); undefined for types that a literal could change.
 * @param {unknown} value
 */
function literalOf(value) {
  if (value === null) return 'null'
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return `'${String(value).replaceAll("'", "''")}'`
}

/**
 * Runs a statement. Repeated statements are prepared, because parsing and planning takes longer than running them.
 * EXECUTE with literals needs one step instead of the five steps of the extended protocol.
 * @param {PGlite} engine
 * @param {string} text
 * @param {unknown[]} params
 * @param {import('@electric-sql/pglite').QueryOptions} options
 */
async function query(engine, text, params, options) {
  const literals = params.map(literalOf)
  if (literals.length === 0 || literals.includes(undefined)) return engine.query(text, params, options)
  if (!prepared.has(text)) {
    if (prepared.size < MOST_PREPARED) prepared.set(text, undefined)
    return engine.query(text, params, options)
  }
  const name = await (prepared.get(text) ?? prepare(engine, text))
  const [result] = await engine.exec(`execute ${name}(${literals.join(', ')})`, options)
  return /** @type {import('@electric-sql/pglite').Results} */ (result)
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
    const { text, params, rowMode, transaction } = message
    const result =
      transaction === undefined
        ? await query(opened(), text, params, { rowMode })
        : await transactionOf(transaction).run.query(text, params, { rowMode })
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
