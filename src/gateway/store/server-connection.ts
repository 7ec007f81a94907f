import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg'
import { type Connection, QueryError, type QueryResult, type RunQuery } from './connection.js'
import type { RowMode } from './embedded-messages.js'
import { OperatorError, reasonOf, systemCode } from './operator-error.js'
import { loadOptional } from './optional-dependency.js'

/** Times are in milliseconds. A frozen server answers nothing: every wait for it ends on this side. */
const options = {
  /** Until a connection is there, a place in the pool included. */
  connectMs: 2_000,
  statementMs: 3_000,
  /** On a connection that listens, where small questions show that it lives. */
  listeningStatementMs: 1_000,
  /** Statements of transactions: migrations, which wait for each other. */
  migrationMs: 120_000,
  keepAliveMs: 10_000,
  /** For goodbyes at the end; connections still open then are cut. */
  closeMs: 500,
  connections: 8,
  /** Times that work is tried when the server asks for that. */
  attempts: 4,
  /** `server_version_num` of PostgreSQL 13. */
  oldestVersion: 130_000,
} as const
/** Types that pg would turn into JavaScript's own stay text, as with the embedded database: dates, and bigint. */
const TEXT_TYPES = new Set([20, 1082, 1083, 1114, 1184, 1186, 1266])
/** What administrators see connections as. */
const APPLICATION = 'concordat'
const LISTENER = 'concordat, listening'
/** SQLSTATE classes of refused access and unknown databases. */
const REFUSED = /^(28|3D)/
/** SQLSTATE classes after which a connection is useless: its own failures, and a server that stops. */
const BROKEN = /^(08|57P)/
/** SQLSTATE of a write on a server that became a standby. Nothing was changed, and other connections lead there, too. */
const READ_ONLY = '25006'
/** SQLSTATEs of work that was rolled back because of other work: serialization failure, deadlock. */
const ROLLED_BACK = /^(40001|40P01)$/

/** A PostgreSQL server, with connections of one's own beside the shared ones. */
export interface ServerConnection extends Connection {
  /**
   * Opens a connection on which a channel's notifications are heard.
   * @param onNotice takes each notification's payload
   * @param onEnd is told when the connection ends by itself, once
   */
  listen(
    channel: string,
    onNotice: (payload: string) => void,
    onEnd: () => void,
  ): Promise<ListeningConnection>
}

/** A connection that hears notifications. */
export interface ListeningConnection {
  readonly query: RunQuery
  /** Ends it at once. */
  close(): void
}

type Driver = typeof import('pg').default

/**
 * Connects to a PostgreSQL server, with a pool that makes lost connections anew.
 * @param databaseUrl `postgres://user:password@host:port/database`, with pg's parameters such as `sslmode`
 * @throws OperatorError `database_unusable` without the password, `dependency_missing`
 */
export async function openServer(databaseUrl: string): Promise<ServerConnection> {
  const { default: driver } = await loadOptional(() => import('pg'))
  const sockets = new Set<Socket>()
  const { config, name } = configOf(driver, databaseUrl, sockets)
  const pool = createPool(new driver.Pool({ ...config, max: options.connections, allowExitOnIdle: true }))
  try {
    const { rows } = await pool.use((client) => ask(client, options.statementMs, 'show server_version_num'))
    checkServerVersion(Number((rows[0] as { server_version_num: string }).server_version_num), name)
  } catch (error) {
    await close(pool, sockets)
    throw error instanceof OperatorError ? error : unusable(name, error)
  }
  return {
    query: (...question) => pool.use((client) => ask(client, options.statementMs, ...question)),
    transaction: (work) => pool.use((client) => inTransaction(client, work)),
    listen: (channel, onNotice, onEnd) =>
      listen(new driver.Client({ ...config, application_name: LISTENER }), channel, onNotice, onEnd),
    close: () => close(pool, sockets),
  }
}

/**
 * Refuses servers that lack what the statements need.
 * @param version `server_version_num`, such as 150013
 * @throws OperatorError `database_unusable`
 */
export function checkServerVersion(version: number, name: string): void {
  if (version >= options.oldestVersion) return
  const [found, oldest] = [version, options.oldestVersion].map((each) => Math.floor(each / 10_000))
  throw new OperatorError(
    'database_unusable',
    `The database ${name} is PostgreSQL ${found}; version ${oldest} or later is needed`,
  )
}

/**
 * How connections are made, and what people may be told of the server: where it is and what the database is called.
 * @param sockets gets every socket as long as it is open
 */
function configOf(driver: Driver, databaseUrl: string, sockets: Set<Socket>) {
  const config: ClientConfig = {
    connectionString: databaseUrl,
    application_name: APPLICATION,
    connectionTimeoutMillis: options.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: options.keepAliveMs,
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    types: {
      getTypeParser: (type: number, format?: 'text' | 'binary') =>
        TEXT_TYPES.has(type) ? (text: string) => text : driver.types.getTypeParser(type, format),
    } as NonNullable<ClientConfig['types']>,
  }
  try {
    const { host, port, database } = new driver.Client({ ...config, stream: () => new Socket() })
    return { config, name: `${database ?? ''} at ${host}:${port}` }
  } catch {
    // What was thrown repeats the URL, with its password.
    throw new OperatorError(
      'database_unusable',
      'DATABASE_URL cannot be used: write it as postgres://user:password@host:port/database',
    )
  }
}

function unusable(name: string, error: unknown): OperatorError {
  const code = systemCode(error)
  const what = code !== undefined && REFUSED.test(code) ? 'refuses the connection' : 'cannot be reached'
  return new OperatorError('database_unusable', `The database ${name} ${what}: ${reasonOf(error)}`, {
    cause: failureOf(error),
  })
}

/** Connections that are used again and again. */
interface SharedConnections {
  /**
   * Runs work on a connection. Work that the server rolled back, or that met a standby, has changed nothing and runs
   * again on another connection.
   */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  end(): Promise<void>
}

function createPool(pool: Pool): SharedConnections {
  // A connection that ends while nobody uses it; the pool has let it go already.
  pool.on('error', () => undefined)
  /** Connections of before a switchover lead to a standby: they are ended when they come back or are taken out. */
  let switchovers = 0
  const madeAt = new WeakMap<PoolClient, number>()
  pool.on('connect', (client) => madeAt.set(client, switchovers))
  const connect = async (): Promise<PoolClient> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw failureOf(error)
    })
    if (madeAt.get(client) === switchovers) return client
    client.release(true)
    return connect()
  }
  const once = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = await connect()
    let isBroken = false
    const onError = () => {
      isBroken = true
    }
    client.on('error', onError)
    try {
      return await work(client as unknown as Client)
    } catch (error) {
      const code = error instanceof QueryError ? error.code : ''
      if (code === READ_ONLY && madeAt.get(client) === switchovers) switchovers += 1
      // An answer may still be owed where the server gave no code.
      isBroken ||= code === undefined || code === READ_ONLY || BROKEN.test(code)
      throw error
    } finally {
      client.off('error', onError)
      client.release(isBroken)
    }
  }
  return {
    async use(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await once(work)
        } catch (error) {
          const code = error instanceof QueryError ? (error.code ?? '') : ''
          const mayRepeat = code === READ_ONLY || ROLLED_BACK.test(code)
          if (!mayRepeat || attempt === options.attempts) throw error
        }
      }
    },
    end: () => pool.end(),
  }
}

async function inTransaction<T>(client: Client, work: (query: RunQuery) => Promise<T>): Promise<T> {
  const query: RunQuery = (text, params = [], rowMode = 'object') =>
    answered(client, { text, values: params, ...modeOf(rowMode) }, options.migrationMs)
  await query('begin')
  try {
    const result = await work(query)
    await query('commit')
    return result
  } catch (error) {
    await query('rollback').catch(() => undefined)
    throw error
  }
}

/** Statements have no names: poolers in transaction mode give each transaction another server connection. */
const ask = (
  client: Client,
  milliseconds: number,
  ...[text, params = [], rowMode = 'object']: Parameters<RunQuery>
): Promise<QueryResult> => answered(client, { text, values: params, ...modeOf(rowMode) }, milliseconds)

const modeOf = (rowMode: RowMode) => (rowMode === 'array' ? { rowMode } : {})

/** Asks, and stops waiting in time; the connection must then be ended, since its answer is still owed. */
function answered(client: Client, question: QueryConfig, milliseconds: number): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const tooLate = setTimeout(() => {
      reject(failureOf(new Error(`The database did not answer within ${milliseconds} ms`)))
    }, milliseconds)
    client.query(question).then(
      ({ rows, rowCount }) => {
        clearTimeout(tooLate)
        resolve({ rows, count: rowCount ?? 0 })
      },
      (error: unknown) => {
        clearTimeout(tooLate)
        reject(failureOf(error))
      },
    )
  })
}

/** What the server says has a severity and a SQLSTATE; the codes of the system and the driver are none. */
function failureOf(error: unknown): QueryError {
  if (error instanceof QueryError) return error
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined
  return new QueryError({
    message: reasonOf(error),
    code: error instanceof Error && 'severity' in error ? systemCode(error) : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
  })
}

/** Says goodbye on every connection, and cuts those that a frozen server leaves open. */
async function close(pool: SharedConnections, sockets: ReadonlySet<Socket>): Promise<void> {
  const cut = setTimeout(() => {
    for (const socket of sockets) socket.destroy()
  }, options.closeMs)
  await pool.end()
  clearTimeout(cut)
}

async function listen(
  client: Client,
  channel: string,
  onNotice: (payload: string) => void,
  onEnd: () => void,
): Promise<ListeningConnection> {
  let closed = false
  const close = () => {
    closed = true
    // An answer may be owed by a server that gives none: nothing is waited for.
    client.end().catch(() => undefined)
  }
  client.on('error', () => undefined)
  client.on('notification', ({ payload = '' }) => onNotice(payload))
  client.once('end', () => {
    if (!closed) onEnd()
  })
  const query: RunQuery = (...question) => ask(client, options.listeningStatementMs, ...question)
  try {
    await client.connect()
    await query(`listen ${client.escapeIdentifier(channel)}`)
  } catch (error) {
    close()
    throw failureOf(error)
  }
  return { query, close }
}
