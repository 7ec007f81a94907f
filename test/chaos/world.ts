import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { startShippedHaproxy } from '../support/haproxy.js'
import { startShippedNginx } from '../support/nginx.js'
import { type NodeServer, startNodeServer } from '../support/node-server.js'
import { type Postgres, startPostgres } from '../support/postgres.js'
import { runConcordat } from '../support/service.js'
import { type Switch, startSwitch } from '../support/switch.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { blockMembers, type Chain, startChain } from './chain.js'
import { type Replica, startReplica } from './replica.js'
import type { Scope } from './scope.js'

export const balancers = ['haproxy', 'nginx'] as const
export type Balancer = (typeof balancers)[number]

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
  readonly postgres: Postgres
  readonly nodes: readonly [NodeServer, NodeServer]
  readonly chain: Chain
  /** The ways to the database, to each node, and from the balancer to each replica. */
  readonly toDatabase: Switch
  readonly toNodes: readonly [Switch, Switch]
  readonly toReplicas: readonly [Switch, Switch, Switch]
  /** Creates a key of a new user. Options are those of `concordat keys set`. */
  newKey(name: string, ...options: readonly string[]): Promise<NewKey>
  query(text: string): Promise<readonly Record<string, unknown>[]>
}

const portOf = (url: string) => Number(new URL(url).port)
const local = (port: number) => `http://127.0.0.1:${port}`

/** Starts the programs. */
export async function startWorld(t: Scope, balancer: Balancer): Promise<World> {
  const folder = await temporaryFolder(t)
  const startNode = async () => {
    const node = await startNodeServer({ syncing: false, block: blockMembers })
    t.teardown(() => node.close())
    return node
  }
  const [postgres, first, second] = await Promise.all([startPostgres(t), startNode(), startNode()])
  const nodes = [first, second] as const
  const chain = startChain(t, nodes)
  const databaseUrl = await postgres.createDatabase('service')
  const toDatabase = await startSwitch(t, postgres.port)
  const toNodes = [await startSwitch(t, portOf(first.url)), await startSwitch(t, portOf(second.url))] as const
  const env = {
    DATABASE_URL: databaseUrl.replace(`:${postgres.port}/`, `:${toDatabase.port}/`),
    CONCORDAT_SECRET: 'the secret that these replicas share',
    CONCORDAT_NODES_TEST: toNodes.map(({ port }) => local(port)).join(),
    // No node of this network listens: no call is for it.
    CONCORDAT_NODES_MAIN: 'http://127.0.0.1:9',
    CONCORDAT_LOG_LEVEL: 'silent',
  }
  const start = async (name: string) => {
    const data = join(folder, name)
    await mkdir(data)
    return startReplica(t, { env, data })
  }
  const replicas = await Promise.all([start('a'), start('b'), start('c')])
  const switches = replicas.map(({ port }) => startSwitch(t, port))
  const toReplicas = (await Promise.all(switches)) as [Switch, Switch, Switch]
  const origins = toReplicas.map(({ port }) => local(port))
  const origin =
    balancer === 'haproxy'
      ? await startShippedHaproxy(t, origins)
      : (await startShippedNginx(t, origins)).origin

  const query = (text: string) => postgres.query(databaseUrl, text)
  const keys = async (...args: readonly string[]) => {
    const { code, out, err } = await runConcordat(['keys', ...args], { ...env, DATABASE_URL: databaseUrl })
    if (code !== 0) throw new TypeError(err)
    return out
  }
  return {
    origin,
    replicas,
    postgres,
    nodes,
    chain,
    toDatabase,
    toNodes,
    toReplicas,
    query,
    async newKey(name, ...options) {
      const user = ['--user', `${name}@example.com`, '--network', 'test', '--name', 'chaos']
      const { id, url } = JSON.parse(await keys('create', ...user, '--json'))
      if (options.length > 0) await keys('set', id, ...options)
      const [row] = await query(`select user_id from api_keys where id = '${id}'`)
      return { id, userId: String(row?.['user_id']), path: new URL(url).pathname }
    },
  }
}
