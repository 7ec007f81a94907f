import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool, PoolClient, QueryConfig } from 'pg'
import { OperatorError, reasonOf, systemCode } from '../util/index.js'
import { type Connection, QueryError, type QueryResult, type RunQuery } from './connection.js'
import type { RowMode } from './embedded/embedded-messages.js'

/** Timeouts in milliseconds and other settings. All timeouts are enforced here, because a frozen server answers nothing. */
const options = {
  /** For a connection, including the wait for a place in the pool. */
  connectMs: 2_000,
  statementMs: 3_000,
  /** For heartbeats on a listening connection. */
  listeningStatementMs: 1_000,
  /** For statements in transactions: migrations, which wait for each other. */
  migrationMs: 120_000,
  keepAliveMs: 10_000,
  /** For closing connections; the sockets are destroyed afterwards. */
  closeMs: 500,
  connections: 8,
  /** Attempts for work that the server rolled back. */
  attempts: 4,
  /** `server_version_num` of PostgreSQL 13. */
  oldestVersion: 130_000,
} as const
/** Types that stay strings, as in the embedded database: dates and bigint. */
const TEXT_TYPES = new Set([20, 1082, 1083, 1114, 1184, 1186, 1266])
/** Names of connections in `pg_stat_activity`. */
const APPLICATION = 'concordat'
const LISTENER = 'concordat, listening'
/** SQLSTATE classes of refused access and unknown databases. */
const REFUSED = /^(28|3D)/
/** SQLSTATE classes after which a connection must be closed: connection failures and server shutdown. */
const BROKEN = /^(08|57P)/
/** SQLSTATE of a write on a standby, after a switchover. Other pooled connections lead to the same server. */
const READ_ONLY = '25006'
/** SQLSTATEs of rolled back work that can be retried: serialization failure and deadlock. */
const ROLLED_BACK = /^(40001|40P01)$/

/** Connections of a pool. */
export interface PoolState {
  readonly busy: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

/** A PostgreSQL server with a connection pool. */
export interface ServerConnection extends Connection {
  /** The present state of the pool. */
  pool(): PoolState
  /**
   * Opens a separate connection that receives a channel's notifications.
   * @param onNotice receives the payload of each notification
   * @param onEnd called once if the connection ends unexpectedly
   */
  listen(
    channel: string,
    onNotice: (payload: string) => void,
    onEnd: () => void,
  ): Promise<ListeningConnection>
}

/** A connection that receives notifications. */
export interface ListeningConnection {
  readonly query: RunQuery
  /** Closes the connection immediately. */
  close(): void
}

type Driver = typeof import('pg').default

/**
 * Connects to a PostgreSQL server, with a pool that replaces lost connections.
 * @param databaseUrl `postgres://user:password@host:port/database`, with pg's parameters such as `sslmode`
 * @throws OperatorError `database_unusable`, whose message omits the password
 */
export async function openServer(databaseUrl: string): Promise<ServerConnection> {
  const { default: driver } = await import('pg')
  const sockets = new Set<Socket>()
  const { config, name } = configOf(driver, databaseUrl, sockets)
  const connections = new driver.Pool({ ...config, max: options.connections, allowExitOnIdle: true })
  const pool = createPool(connections)
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
    pool: () => ({
      busy: connections.totalCount - connections.idleCount,
      idle: connections.idleCount,
      waiting: connections.waitingCount,
    }),
    close: () => close(pool, sockets),
  }
}

/**
 * Refuses servers that are too old for the service's statements.
 * @param version `server_version_num`, such as 150013
 * @throws OperatorError `database_unusable`
 */
export function checkServerVersion(version: number, name: string): void {
  if (version >= options.oldestVersion) return
  const [found, oldest] = [version, options.oldestVersion].map((each) => Math.floor(each / 10_000))
  throw new OperatorError(
    'database_unusable',
    `The database ${name} runs PostgreSQL ${found}; version ${oldest} or later is required`,
  )
}

/**
 * Creates the configuration of connections, and a name of the database without credentials for messages.
 * @param sockets receives every open socket
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
    // The original error contains the URL with its password.
    throw new OperatorError(
      'database_unusable',
      'DATABASE_URL is invalid. Write it as postgres://user:password@host:port/database',
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

/** A connection pool. */
interface SharedConnections {
  /** Runs work on a connection. Work that was rolled back or that reached a standby is retried on another connection. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  end(): Promise<void>
}

function createPool(pool: Pool): SharedConnections {
  // The pool itself removes idle connections that fail.
  pool.on('error', () => undefined)
  /** Number of switchovers. Connections from before a switchover lead to a standby and are closed. */
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
      // Without a code, an answer may still be pending on the connection.
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

/** Runs an unnamed statement, because poolers in transaction mode change the server connection. */
const ask = (
  client: Client,
  milliseconds: number,
  ...[text, params = [], rowMode = 'object']: Parameters<RunQuery>
): Promise<QueryResult> => answered(client, { text, values: params, ...modeOf(rowMode) }, milliseconds)

const modeOf = (rowMode: RowMode) => (rowMode === 'array' ? { rowMode } : {})

/** Runs a statement with a timeout. After a timeout, the connection must be closed, because its answer is pending. */
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

/** Converts an error. Only errors from the server, which have a severity, carry a SQLSTATE. */
function failureOf(error: unknown): QueryError {
  if (error instanceof QueryError) return error
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined
  return new QueryError({
    message: reasonOf(error),
    code: error instanceof Error && 'severity' in error ? systemCode(error) : undefined,
    constraint: typeof constraint === 'string' ? constraint : undefined,
  })
}

/** Closes all connections, and destroys the sockets that a frozen server leaves open. */
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
    // Does not wait, because a frozen server may never answer.
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
