import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { accepts } from './accepts.js'
import { replaced } from './balancer.js'
import { freePort } from './free-port.js'
import type { ShellBlock } from './guide.js'
import { asAccount, giveToAccount } from './postgres.js'
import { gone, processesBelow } from './processes.js'
import { findTool } from './tools.js'
import { until } from './until.js'

/** The parts of a primary that a test kills with SIGKILL: all of a machine, or a single program of it. */
export type Killed = 'machine' | 'postgres' | 'patroni'

/** PostgreSQL on three machines with the files of `deploy/database`, each machine a set of ports of 127.0.0.1. */
export interface DatabaseCluster {
  /** URL of the service's database through HAProxy. */
  readonly direct: string
  /** URL of the same database through pgbouncer, which connects through HAProxy. */
  readonly pooled: string
  /** Kills a part of the primary's machine. */
  killPrimary(part: Killed): Promise<LostPrimary>
  /** Resolves once there is a primary with two synchronous standbys. */
  whole(): Promise<void>
}

/** A killed primary. */
interface LostPrimary {
  /** Resolves once another machine is the primary. */
  hasSuccessor(): Promise<void>
  /** Starts what was killed; as a standby, when another machine is the primary. */
  restart(): void
}

type Test = { teardown: (work: () => unknown) => void }

const root = fileURLToPath(new URL('../../', import.meta.url))
const shipped = join(root, 'deploy', 'database')

/** One of the three machines. */
interface Machine {
  readonly name: string
  readonly folder: string
  /** Free ports of 127.0.0.1, by the port that the files have. */
  readonly ports: Readonly<Record<2379 | 2380 | 5432 | 8008, number>>
  readonly running: Map<'etcd' | 'patroni', ChildProcess>
}

/**
 * Starts three machines, HAProxy and pgbouncer. All of them stop when the test ends.
 * @param steps the commands of the guide: installing, writing the files, creating the database
 */
export async function startDatabaseCluster(t: Test, steps: readonly ShellBlock[]): Promise<DatabaseCluster> {
  const [install, write, create] = steps
  if (install === undefined || write === undefined || create === undefined)
    throw new TypeError('the guide has other steps')
  await install.run({ cwd: root, functions: notStarted })
  await findTool('setpriv')
  const bin = await findTool('postgresql')
  const programs = {
    etcd: await findTool('etcd'),
    patroni: await findTool('patroni'),
    haproxy: await findTool('haproxy'),
    pgbouncer: await findTool('pgbouncer'),
  }
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'concordat-cluster-'))
  await giveToAccount([folder])
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const machines = await Promise.all(
    ['database-1', 'database-2', 'database-3'].map((name) => newMachine(folder, name)),
  )
  const password = randomBytes(12).toString('hex')
  const environments = await writeMachines(machines, bin, password, write)
  const start = (machine: Machine, what: 'etcd' | 'patroni') => {
    const env = { PATH: process.env['PATH'], LANG: 'C.UTF-8', ...environments.get(machine)?.[what] }
    const [program, args] =
      what === 'etcd' ? [programs.etcd, []] : [programs.patroni, [join(machine.folder, 'patroni.yml')]]
    machine.running.set(what, startAsAccount(program, args, machine.folder, env))
  }
  t.teardown(async () => {
    await Promise.all(machines.map(({ running }) => stop(running.get('patroni'), 'SIGTERM')))
    await Promise.all(machines.map(({ running }) => stop(running.get('etcd'), 'SIGKILL')))
    for (const machine of machines) await killPostgres(machine)
  })
  for (const machine of machines) start(machine, 'etcd')
  for (const { ports } of machines) await until(() => accepts(ports[2379]))
  for (const machine of machines) start(machine, 'patroni')
  const balancerPort = await startHaproxy(t, programs.haproxy, folder, machines)
  const whole = () => until(() => isWhole(machines)).then(() => undefined)
  await whole()
  const administrator = `postgres://postgres:${password}@127.0.0.1:${balancerPort}/postgres`
  await until(() => query(administrator, 'select 1').catch(() => undefined))
  const { code, output } = await create.run({
    cwd: root,
    env: { SUPERUSER_PASSWORD: password, PASSWORD: password },
    places: { '127.0.0.1:5000': `127.0.0.1:${balancerPort}` },
  })
  if (code !== 0) throw new Error(output)
  const poolerPort = await startPooler(t, programs.pgbouncer, folder, balancerPort, password)
  const urlAt = (port: number) => `postgres://concordat:${password}@127.0.0.1:${port}/concordat`
  return {
    direct: urlAt(balancerPort),
    pooled: urlAt(poolerPort),
    whole,
    async killPrimary(part) {
      const machine = await until(() => primaryOf(machines))
      const parts =
        part === 'machine' ? (['etcd', 'patroni'] as const) : part === 'patroni' ? ([part] as const) : []
      const dead = parts.map((what) => stop(machine.running.get(what), 'SIGKILL'))
      if (part !== 'patroni') await killPostgres(machine)
      await Promise.all(dead)
      const others = machines.filter((each) => each !== machine)
      return {
        hasSuccessor: () => until(() => primaryOf(others)).then(() => undefined),
        restart() {
          for (const what of parts) start(machine, what)
        },
      }
    },
  }
}

async function newMachine(folder: string, name: string): Promise<Machine> {
  const own = join(folder, name)
  await mkdir(own, { mode: 0o700 })
  await giveToAccount([own])
  const ports = { 2379: 0, 2380: 0, 5432: 0, 8008: 0 }
  for (const port of Object.keys(ports)) ports[Number(port) as keyof typeof ports] = await freePort()
  return { name, folder: own, ports, running: new Map() }
}

/** Replaces the addresses of the machines, which the files have as 10.0.0.1 to 10.0.0.3. */
const withAddresses = (text: string, machines: readonly Machine[]) =>
  text.replace(/10\.0\.0\.([123]):(\d+)( check port (\d+))?/g, (_, at, port, check, checkPort) => {
    const ports = machines[at - 1]?.ports as Readonly<Record<string, number>>
    return `127.0.0.1:${ports[port]}${check === undefined ? '' : ` check port ${ports[checkPort]}`}`
  })

/** Writes the files of each machine with the guide's commands, and returns the environments of its programs. */
async function writeMachines(machines: readonly Machine[], bin: string, password: string, write: ShellBlock) {
  const all = new Map<Machine, Readonly<Record<'etcd' | 'patroni', Readonly<Record<string, string>>>>>()
  for (const [at, machine] of machines.entries()) {
    const { name, folder } = machine
    const file = (one: string) => join(folder, one)
    const { code, output } = await write.run({
      cwd: root,
      env: { SUPERUSER_PASSWORD: password, REPLICATION_PASSWORD: password },
      functions: notStarted,
      places: {
        'database-1': name,
        '10.0.0.1': `10.0.0.${at + 1}`,
        '/etc/default/etcd': file('etcd.env'),
        '/etc/patroni_env.conf': file('patroni.env'),
        '/etc/patroni/config.yml': file('patroni.yml'),
      },
    })
    if (code !== 0) throw new Error(output)
    const read = async (one: string) => withAddresses(await readFile(file(one), 'utf8'), machines)
    await writeFile(
      file('patroni.yml'),
      replaced(await read('patroni.yml'), [
        ['/usr/lib/postgresql/15/bin', bin],
        ['/var/lib/postgresql/15/concordat', file('data')],
        ['/var/lib/postgresql/concordat.pgpass', file('pgpass')],
        ['/var/run/postgresql', folder],
        ['10.0.0.0/24', '127.0.0.1/32'],
      ]),
    )
    await giveToAccount([file('patroni.yml')])
    all.set(machine, {
      etcd: variablesOf(replaced(await read('etcd.env'), [['/var/lib/etcd/concordat', file('etcd')]])),
      patroni: variablesOf(await read('patroni.env')),
    })
  }
  return all
}

/** Shell functions that stand for commands that change this machine. */
const notStarted = 'apt-get() { :; }; systemctl() { :; }'

const variablesOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

async function startHaproxy(
  t: Test,
  program: string,
  folder: string,
  machines: readonly Machine[],
): Promise<number> {
  const port = await freePort()
  const text = withAddresses(await readFile(join(shipped, 'haproxy.cfg'), 'utf8'), machines)
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, replaced(text, [['127.0.0.1:5000', `127.0.0.1:${port}`]]))
  await giveToAccount([file])
  const balancer = startAsAccount(program, ['-db', '-f', file], folder)
  t.teardown(() => stop(balancer, 'SIGKILL'))
  await until(() => accepts(port))
  return port
}

async function startPooler(
  t: Test,
  program: string,
  folder: string,
  balancerPort: number,
  password: string,
): Promise<number> {
  const port = await freePort()
  const users = join(folder, 'userlist.txt')
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(users, `"concordat" "${password}"\n`, { mode: 0o600 })
  await writeFile(
    file,
    replaced(await readFile(join(shipped, 'pgbouncer.ini'), 'utf8'), [
      ['port=5000', `port=${balancerPort}`],
      ['listen_port = 6432', `listen_port = ${port}`],
      ['/etc/pgbouncer/userlist.txt', users],
      ['/var/log/postgresql', folder],
      ['/var/run/postgresql', folder],
    ]),
  )
  await giveToAccount([users, file])
  const pooler = startAsAccount(program, ['-q', file], folder)
  t.teardown(() => stop(pooler, 'SIGKILL'))
  await until(() => accepts(port))
  return port
}

/** Starts a program as PostgreSQL's user. It stops with this process, also when that is killed. */
function startAsAccount(
  program: string,
  args: readonly string[],
  cwd: string,
  env = process.env,
): ChildProcess {
  const [command, all] = asAccount(program, args, 'TERM')
  return spawn(command, all, { cwd, env, stdio: 'ignore' })
}

async function stop(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Kills PostgreSQL of a machine and its backends, which are not Patroni's children. */
async function killPostgres({ folder }: Machine): Promise<void> {
  const file = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(file, 10)
  if (!(pid > 0)) return
  const below = await processesBelow(pid).catch(() => [])
  for (const each of [pid, ...below.map((facts) => facts.pid)]) {
    try {
      process.kill(each, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  await gone(pid)
}

/** The machine whose Patroni says that it is the primary. */
async function primaryOf(machines: readonly Machine[]): Promise<Machine | undefined> {
  const found = await Promise.all(
    machines.map(({ ports }) =>
      fetch(`http://127.0.0.1:${ports[8008]}/primary`).then(
        async (response) => {
          await response.arrayBuffer()
          return response.status === 200
        },
        () => false,
      ),
    ),
  )
  return machines[found.indexOf(true)]
}

interface Member {
  readonly role: string
  readonly state: string
}

async function isWhole(machines: readonly Machine[]): Promise<boolean> {
  const primary = await primaryOf(machines)
  if (primary === undefined) return false
  const response = await fetch(`http://127.0.0.1:${primary.ports[8008]}/cluster`).catch(() => undefined)
  const { members } = ((await response?.json()) ?? { members: [] }) as { members: readonly Member[] }
  const isRunning = members.every(({ state }) => state === 'running' || state === 'streaming')
  return (
    members.length === machines.length && isRunning && members.some(({ role }) => role === 'sync_standby')
  )
}

/** Runs a statement on a connection of its own, for at most two seconds. */
export async function query(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(text)).rows as Record<string, unknown>[]
  } finally {
    // Does not wait, because a server without an answer never closes the connection.
    client.end().catch(() => undefined)
  }
}
