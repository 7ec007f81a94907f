import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.js'
import { processesBelow } from './processes.js'
import { findTool } from './tools.js'

const run = promisify(execFile)
/** The user that Debian's package creates. PostgreSQL does not run as root. */
const account = 'postgres'
/** Longest output of pg_dump. */
const DUMP_BYTES = 256 * 1024 * 1024
const isRoot = process.getuid?.() === 0

/** A PostgreSQL server of a test, with a temporary cluster. */
export interface Postgres {
  readonly port: number
  /** Process id of the postmaster. */
  readonly pid: () => number
  readonly password: string
  /** Promotes a standby. */
  promote(): Promise<void>
  /**
   * Creates a database and returns its URL.
   * @param options of `create database`, as SQL
   */
  createDatabase(name: string, options?: string): Promise<string>
  /** Queries a database as administrator. */
  query(url: string, text: string): Promise<readonly Record<string, unknown>[]>
  /** Returns the rows of each table of a database as PostgreSQL's own pg_dump writes them, sorted. */
  dump(url: string): Promise<Readonly<Record<string, readonly string[]>>>
  /** Stops the server and closes its connections, as an administrator's restart does. */
  stop(): Promise<void>
  /** Starts it again on the same port, unless it runs. */
  start(): Promise<void>
  /** Suspends all its processes: connections stay open without answers. */
  freeze(): Promise<void>
  thaw(): void
}

type Test = { teardown: (work: () => unknown) => void }

/** Options of a server. */
interface PostgresOptions {
  /** True when commits must survive a crash of the machine, as in production. This is slower. */
  readonly isDurable?: boolean
  /** The primary of this standby. */
  readonly standbyOf?: Postgres
  /** An existing folder for the cluster. The default is the system's temporary folder. */
  readonly parent?: string
  /** Variables of its own environment, without that of the program that changes to its user. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a server that stops when the test ends. */
export async function startPostgres(
  t: Test,
  { isDurable = false, standbyOf, parent = tmpdir(), env = {} }: PostgresOptions = {},
): Promise<Postgres> {
  const bin = await findTool('postgresql')
  await findTool('setpriv')
  const folder = await mkdtemp(join(await realpath(parent), 'concordat-postgres-'))
  const port = await freePort()
  const password = standbyOf?.password ?? `pa55-${Math.random().toString(36).slice(2)}`
  if (standbyOf === undefined) await prepare(bin, folder, password)
  else await copyCluster(bin, folder, standbyOf)
  const settings = isDurable ? [] : ['-c', 'fsync=off']
  let server = await startServer(bin, folder, port, settings, env)
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT')
  }
  const stop = async () => {
    thaw()
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGINT')
    await ended
  }
  t.teardown(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })
  const urlOf = (database: string) =>
    `postgres://${account}:${password}@127.0.0.1:${port}/${encodeURIComponent(database)}`
  const query = async (url: string, text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(text)).rows as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }
  return {
    port,
    promote: async () => {
      await query(urlOf(account), 'select pg_promote()')
    },
    pid: () => server.pid ?? 0,
    password,
    query,
    async createDatabase(name, options = '') {
      await query(urlOf(account), `create database "${name}" ${options}`)
      return urlOf(name)
    },
    async dump(url) {
      const args = [
        '--data-only',
        '--exclude-schema',
        'drizzle',
        '--load-via-partition-root',
        '--dbname',
        url,
      ]
      const { stdout } = await run(join(bin, 'pg_dump'), args, { maxBuffer: DUMP_BYTES })
      const tables: Record<string, string[]> = {}
      // A partitioned table has an entry for each partition.
      for (const [, table = '', rows = ''] of stdout.matchAll(
        /^COPY (public\.\w+ \([^)]*\)) FROM stdin;\n(.*?)^\\\.$/gms,
      ))
        tables[table] = [...(tables[table] ?? []), ...rows.split('\n').slice(0, -1)].sort()
      return tables
    },
    stop,
    async start() {
      if (server.exitCode === null && server.signalCode === null) return
      server = await startServer(bin, folder, port, settings, env)
    },
    async freeze() {
      const pid = server.pid ?? 0
      // The postmaster, which starts new processes.
      process.kill(pid, 'SIGSTOP')
      const below = (await processesBelow(pid)).map((facts) => facts.pid)
      for (const child of below) process.kill(child, 'SIGSTOP')
      frozen = [...below, pid]
    },
    thaw,
  }
}

/**
 * A wrapper that starts a program as the PostgreSQL user and ends it with this process.
 * @param signal that it gets then, without `SIG`
 */
export function asAccount(
  program: string,
  args: readonly string[],
  signal: 'QUIT' | 'TERM' = 'QUIT',
): [string, string[]] {
  const user = isRoot ? ['--reuid', account, '--regid', account, '--clear-groups'] : []
  return ['setpriv', [...user, '--pdeathsig', signal, program, ...args]]
}

async function prepare(bin: string, folder: string, password: string): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  await giveToAccount([folder, passwordFile])
  const [command, args] = asAccount(join(bin, 'initdb'), [
    ...['--pgdata', join(folder, 'cluster'), '--username', account, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale', '--no-sync'],
  ])
  await run(command, args, { cwd: folder })
}

/** Copies a running server's cluster as a standby of it. */
async function copyCluster(bin: string, folder: string, source: Postgres): Promise<void> {
  await giveToAccount([folder])
  const [command, args] = asAccount(join(bin, 'pg_basebackup'), [
    ...['--pgdata', join(folder, 'cluster'), '--host', '127.0.0.1', '--port', String(source.port)],
    ...['--username', account, '--checkpoint', 'fast', '--write-recovery-conf'],
  ])
  await run(command, args, { cwd: folder, env: { ...process.env, PGPASSWORD: source.password } })
}

/** Changes the owner of files to the server's user. */
export async function giveToAccount(paths: readonly string[]): Promise<void> {
  if (!isRoot) return
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (which) => Number((await run('id', [which, account])).stdout)),
  )
  for (const path of paths) await chown(path, uid ?? 0, gid ?? 0)
}

async function startServer(
  bin: string,
  folder: string,
  port: number,
  settings: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const [command, args] = asAccount('env', [
    ...[...variables, join(bin, 'postgres')],
    ...['-D', join(folder, 'cluster'), '-p', String(port), '-k', folder],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'shared_buffers=16MB', '-c', 'max_connections=100'],
    ...settings,
  ])
  const server = spawn(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000)
  })
  while (server.exitCode === null && server.signalCode === null) {
    const ready = run(join(bin, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)])
    if (
      await ready.then(
        () => true,
        () => false,
      )
    )
      return server
  }
  throw new Error(`PostgreSQL exited before it was ready:\n${output}`)
}
