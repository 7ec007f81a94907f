import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startShippedHaproxy } from '../../test/support/haproxy.js'
import { startNginx, startShippedNginx } from '../../test/support/nginx.js'
import { type NodeServer, startNodeServer } from '../../test/support/node-server.js'
import { type Postgres, startPostgres } from '../../test/support/postgres.js'
import { runConcordat } from '../../test/support/service.js'
import { watchSlowness } from '../../test/support/slowness.js'
import { joined, type Switch, startSwitch } from '../../test/support/switch.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { until } from '../../test/support/until.js'
import { blockMembers, type Chain, startChain } from './chain.js'
import { type Clock, createClock } from './clock.js'
import { type Disk, mountDisk } from './disk.js'
import { type Replica, startReplica } from './replica.js'
import type { Scope } from './scope.js'

/** The shipped balancer files, and a plain nginx whose services take turns. */
export const balancers = ['haproxy', 'nginx', 'turns'] as const
export type Balancer = (typeof balancers)[number]

/** Special set-up of some faults: small disks, adjustable clocks, or a synchronous standby of the database. */
export type Need = 'disks' | 'clocks' | 'standby'

/** A key of a new user. */
export interface NewKey {
  readonly id: string
  readonly userId: string
  readonly path: string
}

/** Three replicas behind a balancer, with a TCP proxy on each connection between two programs. */
export interface World {
  /** Origin of the balancer. */
  readonly origin: string
  readonly replicas: readonly [Replica, Replica, Replica]
  /** Returns the current primary. */
  readonly database: () => Postgres
  readonly nodes: readonly [NodeServer, NodeServer]
  readonly chain: Chain
  /** Slowdown factor of this machine: the current and the largest one. */
  readonly slowness: { readonly now: number; readonly most: number }
  /** Proxies to the database, to each node, and from the balancer to each replica. */
  readonly toDatabase: Switch
  readonly toNodes: readonly [Switch, Switch]
  readonly toReplicas: readonly [Switch, Switch, Switch]
  /** Creates a key of a new user. Options are those of `concordat keys set`. */
  newKey(name: string, ...options: readonly string[]): Promise<NewKey>
  /** Queries the service's database as administrator. */
  query(text: string): Promise<readonly Record<string, unknown>[]>
  /** Promotes the standby, and routes the service's new database connections to it. */
  promoteStandby(): Promise<void>
  readonly disks: () => { readonly data: Disk; readonly database: Disk }
  /** The clocks of the replicas. */
  readonly clocks: () => readonly [Clock, Clock, Clock]
  /** Sets the clocks of all programs a number of seconds ahead of real time. */
  setAllClocks(seconds: number): Promise<void>
}

/** Starts PostgreSQL with the set-up that a fault needs. */
async function startDatabase(
  t: Scope,
  disk: Disk | undefined,
  clock: Clock | undefined,
  hasStandby: boolean,
) {
  const options = { ...(disk && { parent: disk.folder }), ...(clock && { env: clock.env }) }
  let primary = await startPostgres(t, options)
  const direct = await primary.createDatabase('service')
  const standby = hasStandby ? await startPostgres(t, { standbyOf: primary }) : undefined
  if (standby !== undefined) {
    // A failover loses no acknowledged write.
    await primary.query(direct, "alter system set synchronous_standby_names = '*'")
    await primary.query(direct, 'select pg_reload_conf()')
  }
  const way = await startSwitch(t, primary.port)
  const first = primary.port
  const urlAt = (port: number) => direct.replace(`:${first}/`, `:${port}/`)
  return {
    way,
    database: () => primary,
    /** URL of the database for the service. */
    url: urlAt(way.port),
    query: (text: string) => primary.query(urlAt(primary.port), text),
    async promoteStandby() {
      if (standby === undefined) throw new TypeError('no standby')
      await standby.promote()
      // Closes the connections to the old primary, like the proxy of a cluster.
      way.cut()
      way.turnTo(standby.port)
      way.heal()
      primary = standby
    },
  }
}

/** Returns a part of the set-up. @throws TypeError if the fault does not name its need */
function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('the fault does not name its need')
  return value
}

const portOf = (url: string) => Number(new URL(url).port)
const local = (port: number) => `http://127.0.0.1:${port}`

/**
 * Starts the database, the nodes, the replicas and the balancer.
 * @param need special set-up of the faults
 */
export async function startWorld(t: Scope, balancer: Balancer, need: Need | undefined): Promise<World> {
  const folder = await temporaryFolder(t)
  // PostgreSQL runs as another user, who must be able to read the clock.
  await chmod(folder, 0o755)
  const disks =
    need === 'disks'
      ? {
          data: await mountDisk(t, join(folder, 'data-disk'), 8),
          database: await mountDisk(t, join(folder, 'database-disk'), 256),
        }
      : undefined
  const clockOf = (name: string) =>
    need === 'clocks' ? createClock(join(folder, `clock-${name}`)) : undefined
  const names = ['a', 'b', 'c'] as const
  const [databaseClock, ...clocks] = await Promise.all(['database', ...names].map(clockOf))
  const startNode = async () => {
    const node = await startNodeServer({ syncing: false, block: blockMembers })
    t.teardown(() => node.close())
    return node
  }
  const [data, first, second] = await Promise.all([
    startDatabase(t, disks?.database, databaseClock, need === 'standby'),
    startNode(),
    startNode(),
  ])
  const { way: toDatabase, database, query, promoteStandby } = data
  const nodes = [first, second] as const
  const slowness = await watchSlowness(t)
  const chain = startChain(t, nodes, slowness)
  const toNodes = [await startSwitch(t, portOf(first.url)), await startSwitch(t, portOf(second.url))] as const
  const env = {
    DATABASE_URL: data.url,
    CONCORDAT_SECRET: 'the secret that these replicas share',
    CONCORDAT_NODES_TEST: toNodes.map(({ port }) => local(port)).join(),
    // Nothing listens on this port, and no call uses this network.
    CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
    CONCORDAT_LOG_LEVEL: 'silent',
  }
  const start = async (name: string, at: number) => {
    const data = join(disks?.data.folder ?? folder, name)
    await mkdir(data)
    return startReplica(t, { env: { ...env, ...clocks[at]?.env }, data })
  }
  const replicas = (await Promise.all(names.map(start))) as [Replica, Replica, Replica]
  const toServices = await Promise.all(replicas.map(({ port }) => startSwitch(t, port)))
  const toMetrics = await Promise.all(replicas.map(({ metricsPort }) => startSwitch(t, metricsPort)))
  const ways = toServices.map((way, at) => ({ service: way, metrics: toMetrics[at] ?? way }))
  const toReplicas = ways.map(({ service, metrics }) => joined(service, metrics)) as [Switch, Switch, Switch]
  const origins = toReplicas.map(({ port }) => local(port))
  const served = ways.map(({ service, metrics }) => ({
    origin: local(service.port),
    metrics: local(metrics.port),
  }))
  const origin =
    balancer === 'haproxy'
      ? await startShippedHaproxy(t, served, { slowness: slowness.most })
      : balancer === 'nginx'
        ? (await startShippedNginx(t, origins)).origin
        : await startNginx(t, origins)

  const keys = (...args: readonly string[]) =>
    until(async () => {
      const { code, out, err } = await runConcordat(['keys', ...args], env)
      // On a busy machine, the connection to the database may time out.
      if (err.includes('cannot be reached')) return undefined
      if (code !== 0) throw new TypeError(err)
      return { out }
    }).then(({ out }) => out)
  return {
    origin,
    replicas,
    database,
    nodes,
    chain,
    slowness,
    toDatabase,
    toNodes,
    toReplicas,
    query,
    promoteStandby,
    disks: () => needed(disks),
    clocks: () => clocks.map(needed) as [Clock, Clock, Clock],
    async setAllClocks(seconds) {
      for (const clock of [databaseClock, ...clocks]) await needed(clock).set(seconds)
      chain.setClock(seconds)
    },
    async newKey(name, ...options) {
      const user = ['--user', `${name}@example.com`, '--network', 'test', '--name', 'chaos']
      const { id, url } = JSON.parse(await keys('create', ...user, '--json'))
      if (options.length > 0) await keys('set', id, ...options)
      const [row] = await query(`select user_id from api_keys where id = '${id}'`)
      return { id, userId: String(row?.['user_id']), path: new URL(url).pathname }
    },
  }
}
