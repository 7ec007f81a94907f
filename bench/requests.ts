import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKeys } from './keys.js'
import { type Loaded, load, type Work } from './load.js'
import { median } from './median.js'
import { buildCommit } from './older-commit.js'
import { Processes, processorTime, type Served, type Service } from './processes.js'
import { balance, deepBalance, local } from './work.js'

/** Size of the measurement. */
export interface RequestsOptions {
  /** Counted rounds. Each round loads every server once and starts with another server. */
  readonly rounds: number
  /** Duration of each load, in seconds. */
  readonly requests: number
  /** Users of the load with many users, each with a key. */
  readonly users: number
  /** The commit of the service that is measured beside the current one. */
  readonly against: string
}

/** The last commit before requests to nodes travelled by undici: forwarded calls were cheapest then. */
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
 * Connections of the load that shows what a request to a node costs. With 32 connections, which send their next call
 * when they have an answer, half of the calls travel to the node in one batch: the cost of a request to the node is
 * divided by 16. With eight connections, it is divided by four.
 */
const fewConnections = 8
const few = 10
/**
 * Rounds before the measurement, the same for all servers. Node compiles code during the first 50,000 requests, or
 * longer if there is more code.
 */
const warmUps = 3
/**
 * Requests of each of many users in one load. The users take turns, so that each sends about one request per second,
 * just when its last lease is returned. A request without a lease is the most expensive: it needs a lease, the return of
 * the lease and a row of usage.
 */
const requestsOfEach = 5
/** Requests that a user makes per day, below the limit. */
const requestsPerUser = 20_000

/** The kinds of load on a service with few users. */
const kinds = 6

/** Keys that all of them take, when each makes so many requests. */
const fewKeys = (requests: number) => kinds * few * Math.ceil(requests / (few * requestsPerUser))

/** Hands out keys, so that no user exceeds the daily limit. */
class KeyGroups {
  readonly #paths: readonly string[]
  #next = 0

  constructor(paths: readonly string[]) {
    this.#paths = paths
  }

  /** The path of each request of a case that makes so many. */
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
 * @param folder of the service
 */
export async function benchRequests(
  folder: string,
  { rounds, requests, users, against }: RequestsOptions,
): Promise<void> {
  const program = await buildCommit(against, join(folder, 'older-commit'))
  const processes = new Processes()
  try {
    const node = await processes.peer('node-server.ts', '0x1f')
    const main = await processes.peer('node-server.ts', '0x1e')
    const nodes = { CONCORDAT_NODES_TEST: node.url, CONCORDAT_NODES_MAIN: main.url }
    const service = async (name: string, more: Record<string, string> = {}, command?: string) => {
      await mkdir(join(folder, name), { recursive: true })
      return processes.service(join(folder, name), { ...nodes, ...more }, command)
    }
    const ours = await service('few')
    const older = await service('older', {}, program)
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
      { rounds, requests, users, against },
    )
    const measured = new Map<string, Measured>(
      cases.map(({ name }) => [name, { microseconds: [], perSecond: [], p50: [], p99: [] }]),
    )
    for (let round = 0; round < warmUps + rounds; round++) {
      const first = round % cases.length
      for (const one of [...cases.slice(first), ...cases.slice(0, first)]) {
        const loaded = await measure(one, round * one.requests)
        if (round >= warmUps) note(measured.get(one.name), loaded)
      }
    }
    print(cases, measured, against)
  } finally {
    await processes.end()
  }
}

interface Servers {
  readonly ours: Service
  /** The service of an older commit. */
  readonly older: Service
  /** Ours with Node's HTTP parser for every request. */
  readonly withoutFastLane: Service
  /** For many users, on the embedded database: its time is a part of the service's. */
  readonly crowd: Service
  /** The same on a PostgreSQL server, whose own time is not counted. */
  readonly shared: Service
  readonly node: Served
}

async function casesOf(
  processes: Processes,
  { ours, older, withoutFastLane, crowd, shared, node }: Servers,
  { rounds, requests, users, against }: RequestsOptions,
): Promise<readonly Case[]> {
  const keysOf = async (one: Service) =>
    new KeyGroups(await makeKeys(one, fewKeys(requests * (rounds + warmUps))))
  const groups = new Map([
    [ours, await keysOf(ours)],
    [older, await keysOf(older)],
    [withoutFastLane, await keysOf(withoutFastLane)],
  ])
  const peer = (name: string, { url, pid }: Served, body: Work['body']): Case => ({
    ...{ name, pid, body, connections, requests, origin: new URL(url).origin, path: () => '/' },
  })
  const [many, sharing] = [await makeKeys(crowd, users), await makeKeys(shared, users)]
  const ofMany = (name: string, one: Service, keys: readonly string[]): Case => ({
    ...peer(name, one, local),
    path: (request) => keys[request % users] ?? '/',
    requests: users * requestsOfEach,
  })
  // Loads on one process ask for different accounts: the process answers again from memory for a second.
  let firstAccount = 0
  const service = (
    name: string,
    body: Work['body'],
    atOnce = connections,
    count = requests,
    one = ours,
  ): Case => {
    const first = firstAccount
    firstAccount += count * (rounds + warmUps)
    return {
      ...{ name, pid: one.pid, connections: atOnce, requests: count, origin: new URL(one.url).origin },
      body: (request) => body(first + request),
      path: groups.get(one)?.few(count * (rounds + warmUps)) ?? (() => '/'),
    }
  }
  const parsedByNode = (name: string, body: Work['body']) =>
    service(name, body, connections, requests, withoutFastLane)
  const alone = Math.ceil(requests / few)
  /** The loads by which the service is compared with an older commit: each process has the same work. */
  const loadsOf = (name: string, one: Service): readonly Case[] => [
    service(`${name}, local answer`, local, connections, requests, one),
    service(`${name}, kept answer`, deepBalance, connections, requests, one),
    service(`${name}, forwarded`, balance, connections, requests, one),
    service(`${name}, forwarded, ${fewConnections} connections`, balance, fewConnections, requests, one),
    service(`${name}, forwarded, one connection`, balance, 1, alone, one),
    service(`${name}, local answer, one connection`, local, 1, alone, one),
  ]
  const nginx = await processes.nginx(new URL(node.url).origin)
  return [
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
    ...loadsOf('ours', ours),
    ...loadsOf(against, older),
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

function print(cases: readonly Case[], measured: ReadonlyMap<string, Measured>, against: string): void {
  const row = (...cells: readonly string[]) =>
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(38) : cell.padStart(12))).join(''))
  row('', 'µs/request', 'requests/s', 'p50 ms', 'p99 ms')
  for (const { name } of cases) {
    const { microseconds, perSecond, p50, p99 } = measured.get(name) as Measured
    const told = [median(microseconds).toFixed(1), median(perSecond).toFixed(0), median(p50).toFixed(3)]
    row(name, ...told, median(p99).toFixed(3))
  }
  const cost = (name: string) => median(measured.get(name)?.microseconds)
  const ratio = (name: string, peer: string) =>
    console.log(`${`${name} / ${peer}`.padEnd(62)} ${(cost(name) / cost(peer)).toFixed(2)}`)
  ratio('ours, local answer', 'bare node:http echo')
  ratio('ours, local answer', '@open-rpc/server-js')
  ratio('ours, local answer', 'ours, local answer, fast lane off')
  ratio('ours, forwarded', 'ours, forwarded, fast lane off')
  ratio('ours, local answer, many users', 'ours, local answer')
  ratio('ours, the same on PostgreSQL', 'ours, local answer')
  ratio('ours, kept answer', 'bare node:http echo')
  ratio('ours, forwarded', 'nginx proxy_pass')
  ratio('ours, forwarded', 'undici forwarding')
  for (const kind of comparedLoads) ratio(`ours, ${kind}`, `${against}, ${kind}`)
  const half = (name: string) => median(measured.get(name)?.p50)
  const added = half('ours, forwarded, one connection') - half('node asked directly, one connection')
  console.log(`added at one connection, median: ${added.toFixed(3)} ms`)
}
