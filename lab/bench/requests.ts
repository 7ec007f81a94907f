import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildCommit } from '../../test/support/older-commit.js'
import { makeKeys } from './keys.js'
import { type Loaded, load, type Work } from './load.js'
import { median } from './median.js'
import { Processes, processorTime, type Served, type Service } from './processes.js'
import { balance, deepBalance, local } from './work.js'

/** Size of the measurement. */
export interface RequestsOptions {
  /** Counted rounds. Each round loads every server once and starts with another server. */
  readonly rounds: number
  /** Requests of each load. */
  readonly requests: number
  /** Users of the load with many users, each with a key. */
  readonly users: number
  /** The commit of the service that is measured beside the current one. */
  readonly against: string
  /** Other gateways, each as `NAME=COMMAND`, or with the path of its URL, `NAME/PATH=COMMAND`. */
  readonly peers: readonly string[]
}

/** The last commit before undici sent the requests to nodes, when forwarded calls were cheapest. */
export const olderCommit = '9cf8ec6'

interface Case extends Work {
  readonly name: string
  readonly pid: number
  readonly connections: number
  readonly requests: number
}

interface Measured {
  readonly microseconds: number[]
  readonly perSecond: number[]
  readonly p50: number[]
  readonly p99: number[]
}

const connections = 32
/**
 * Connections of the load that shows the cost of a request to a node. With 32 connections, each of which waits for its
 * answer, half of the calls are sent to the node in one batch, so 16 calls share the cost of a request. With eight
 * connections, four calls share it.
 */
const fewConnections = 8
const few = 10
/**
 * Processes of the service, and of the older commit. Two processes of the same code differ by up to a fifth, because
 * Node compiles each of them differently. One process each would mostly measure this difference.
 */
const copies = 3
/**
 * Rounds before the measurement, the same for all servers. Node compiles code during the first 50,000 requests, or
 * longer if there is more code.
 */
const warmUps = 3
/**
 * Requests of each user in the load with many users. The users take turns, so that each sends about one request per
 * second, just when its last lease is returned. Requests without a lease are the most expensive: each takes a lease,
 * returns it, and adds a row of usage.
 */
const requestsOfEach = 5
/** Requests that a user makes per day, below the limit. */
const requestsPerUser = 20_000

/** Number of kinds of load on a service with few users. */
const kinds = 6

/** Returns the number of keys that all kinds of load need, with a number of requests each. */
const fewKeys = (requests: number) => kinds * few * Math.ceil(requests / (few * requestsPerUser))

/** Hands out keys, so that no user exceeds the daily limit. */
class KeyGroups {
  readonly #paths: readonly string[]
  #next = 0

  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  /** Reserves keys for a number of requests, and returns the path of each request. */
  few(requests: number): Work['path'] {
    const groups = Math.ceil(requests / (few * requestsPerUser))
    const first = this.#next
    this.#next += groups * few
    if (this.#next > this.#paths.length) throw new Error('there are not enough keys')
    return (request) => {
      const group = Math.floor(request / (few * requestsPerUser)) % groups
      return this.#paths[first + group * few + (request % few)] ?? '/'
    }
  }
}

async function measure(one: Case, from: number): Promise<Loaded & { readonly microseconds: number }> {
  const before = await processorTime(one.pid)
  const loaded = await load(one, from, one.requests, one.connections)
  const microseconds = ((await processorTime(one.pid)) - before) / one.requests
  return { ...loaded, microseconds }
}

/**
 * Measures all servers in one run with the same work and prints their costs.
 * @param folder folder of the services
 */
export async function benchRequests(
  folder: string,
  { rounds, requests, users, against, peers }: RequestsOptions,
): Promise<void> {
  const program = await buildCommit(against)
  const processes = new Processes()
  try {
    const node = await processes.peer('node-server.ts', '0x1f')
    const main = await processes.peer('node-server.ts', '0x1e')
    const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url }
    const service = async (name: string, more: Record<string, string> = {}, command?: string) => {
      await mkdir(join(folder, name), { recursive: true })
      return processes.service(join(folder, name), { ...nodes, ...more }, command)
    }
    const ours: Service[] = []
    const older: Service[] = []
    for (let copy = 0; copy < copies; copy++) {
      ours.push(await service(`few-${copy}`))
      older.push(await service(`older-${copy}`, {}, program))
    }
    const withoutFastLane = await service('node-parser', { CONCORDAT_TUNING_HTTP_PARSER: 'node' })
    // Separate services, so that the pending writes of many users do not count for the other loads.
    const crowd = await service('many')
    const database = {
      DATABASE_URL: await processes.postgres(),
      CONCORDAT_SECRET: randomBytes(32).toString('hex'),
    }
    const shared = await service('shared', database)
    const cases = await casesOf(
      processes,
      { ours, older, withoutFastLane, crowd, shared, node },
      { rounds, requests, users, against, peers },
    )
    const measured = new Map<Case, Measured>(
      cases.map((one) => [one, { microseconds: [], perSecond: [], p50: [], p99: [] }]),
    )
    for (let round = 0; round < warmUps + rounds; round++) {
      const first = round % cases.length
      for (const one of [...cases.slice(first), ...cases.slice(0, first)]) {
        const loaded = await measure(one, round * one.requests)
        if (round >= warmUps) note(measured.get(one), loaded)
      }
    }
    print(measured, against, peers.map(peerOf))
  } finally {
    await processes.end()
  }
}

interface Servers {
  readonly ours: readonly Service[]
  /** The service of an older commit. */
  readonly older: readonly Service[]
  /** Ours with Node's HTTP parser for every request. */
  readonly withoutFastLane: Service
  /** Service for many users on the embedded database, whose time is part of the service's. */
  readonly crowd: Service
  /** Service for many users on a PostgreSQL server, whose own time is not counted. */
  readonly shared: Service
  readonly node: Served
}

async function casesOf(
  processes: Processes,
  { ours, older, withoutFastLane, crowd, shared, node }: Servers,
  { rounds, requests, users, against, peers }: RequestsOptions,
): Promise<readonly Case[]> {
  const keysOf = async (one: Service) =>
    new KeyGroups(await makeKeys(one, fewKeys(requests * (rounds + warmUps))))
  const groups = new Map<Service, KeyGroups>()
  for (const one of [...ours, ...older, withoutFastLane]) groups.set(one, await keysOf(one))
  const peer = (name: string, { url, pid }: Served, body: Work['body']): Case => ({
    ...{ name, pid, body, connections, requests, origin: new URL(url).origin },
    path: () => new URL(url).pathname,
  })
  const [many, sharing] = [await makeKeys(crowd, users), await makeKeys(shared, users)]
  const ofMany = (name: string, one: Service, keys: readonly string[]): Case => ({
    ...peer(name, one, local),
    path: (request) => keys[request % users] ?? '/',
    requests: users * requestsOfEach,
  })
  // Loads on one process read different accounts, because the process caches answers for a second.
  let firstAccount = 0
  const service = (
    name: string,
    body: Work['body'],
    one: Service,
    atOnce = connections,
    count = requests,
  ): Case => {
    const first = firstAccount
    firstAccount += count * (rounds + warmUps)
    return {
      ...{ name, pid: one.pid, connections: atOnce, requests: count, origin: new URL(one.url).origin },
      body: (request) => body(first + request),
      path: groups.get(one)?.few(count * (rounds + warmUps)) ?? (() => '/'),
    }
  }
  const parsedByNode = (name: string, body: Work['body']) => service(name, body, withoutFastLane)
  const alone = Math.ceil(requests / few)
  /** The loads that compare the service with an older commit. Each process gets the same work. */
  const loadsOf = (name: string, one: Service): readonly Case[] => [
    service(`${name}, local answer`, local, one),
    service(`${name}, kept answer`, deepBalance, one),
    service(`${name}, forwarded`, balance, one),
    service(`${name}, forwarded, ${fewConnections} connections`, balance, one, fewConnections),
    service(`${name}, forwarded, one connection`, balance, one, 1, alone),
    service(`${name}, local answer, one connection`, local, one, 1, alone),
  ]
  const nginx = await processes.nginx(new URL(node.url).origin)
  const gateways: Case[] = []
  for (const { name, path, command } of peers.map(peerOf))
    gateways.push(peer(name, await processes.program(command, path, node.url), balance))
  return [
    ...gateways,
    peer('bare node:http echo', await processes.peer('echo-server.ts'), local),
    peer('Fastify', await processes.peer('fastify-server.ts'), local),
    peer('@open-rpc/server-js', await processes.peer('server-js-server.ts'), local),
    parsedByNode('ours, local answer, fast lane off', local),
    ofMany('ours, local answer, many users', crowd, many),
    ofMany('ours, the same on PostgreSQL', shared, sharing),
    peer('undici forwarding', await processes.peer('forward-server.ts', node.url), balance),
    peer('nginx proxy_pass', nginx, balance),
    parsedByNode('ours, forwarded, fast lane off', balance),
    { ...peer('node asked directly, one connection', node, balance), connections: 1, requests: alone },
    { ...peer('nginx proxy_pass, one connection', nginx, balance), connections: 1, requests: alone },
    ...ours.flatMap((one) => loadsOf('ours', one)),
    ...older.flatMap((one) => loadsOf(against, one)),
  ]
}

const comparedLoads = [
  'local answer',
  'kept answer',
  'forwarded',
  `forwarded, ${fewConnections} connections`,
  'forwarded, one connection',
]

function note(measured: Measured | undefined, loaded: Loaded & { readonly microseconds: number }): void {
  const { latencies, requests, seconds, microseconds } = loaded
  const at = (share: number) => latencies[Math.min(requests - 1, Math.floor(requests * share))] ?? Number.NaN
  measured?.microseconds.push(microseconds)
  measured?.perSecond.push(requests / seconds)
  measured?.p50.push(at(0.5))
  measured?.p99.push(at(0.99))
}

/** Parses a peer: `NAME=COMMAND` or `NAME/PATH=COMMAND`. */
function peerOf(text: string): { readonly name: string; readonly path: string; readonly command: string } {
  const [, name = '', path, command = ''] = /^([^=/]+)(\/[^=]*)?=(.+)$/.exec(text) ?? []
  if (command === '') throw new Error(`--peer ${text}: expected NAME=COMMAND or NAME/PATH=COMMAND`)
  return { name, path: path ?? '/', command }
}

function print(
  measured: ReadonlyMap<Case, Measured>,
  against: string,
  peers: readonly ReturnType<typeof peerOf>[],
): void {
  const names = [...new Set([...measured.keys()].map(({ name }) => name))]
  /** The figures of each process with this load. */
  const of = (name: string) =>
    [...measured].filter(([one]) => one.name === name).map(([, figures]) => figures)
  const middle = (name: string, member: keyof Measured) =>
    median(of(name).flatMap((figures) => figures[member]))
  const row = (...cells: readonly string[]) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(38) : cell.padStart(12))).join(''))
  row('', 'µs/request', 'of processes', 'requests/s', 'p50 ms', 'p99 ms')
  for (const name of names) {
    const each = of(name).map(({ microseconds }) => median(microseconds))
    const [least, most] = [Math.min(...each).toFixed(1), Math.max(...each).toFixed(1)]
    row(
      name,
      middle(name, 'microseconds').toFixed(1),
      each.length > 1 ? `${least}-${most}` : '',
      middle(name, 'perSecond').toFixed(0),
      middle(name, 'p50').toFixed(3),
      middle(name, 'p99').toFixed(3),
    )
  }
  const ratio = (name: string, peer: string) => {
    const value = middle(name, 'microseconds') / middle(peer, 'microseconds')
    console.log(`${`${name} / ${peer}`.padEnd(62)} ${value.toFixed(2)}`)
  }
  ratio('ours, local answer', 'bare node:http echo')
  ratio('ours, local answer', '@open-rpc/server-js')
  ratio('ours, local answer', 'ours, local answer, fast lane off')
  ratio('ours, forwarded', 'ours, forwarded, fast lane off')
  ratio('ours, local answer, many users', 'ours, local answer')
  ratio('ours, the same on PostgreSQL', 'ours, local answer')
  ratio('ours, kept answer', 'bare node:http echo')
  ratio('ours, forwarded', 'nginx proxy_pass')
  ratio('ours, forwarded', 'undici forwarding')
  for (const { name } of peers) {
    ratio('ours, forwarded', name)
    ratio('ours, forwarded, fast lane off', name)
  }
  for (const kind of comparedLoads) ratio(`ours, ${kind}`, `${against}, ${kind}`)
  const added =
    middle('ours, forwarded, one connection', 'p50') - middle('node asked directly, one connection', 'p50')
  console.log(`added at one connection, median: ${added.toFixed(3)} ms`)
}
