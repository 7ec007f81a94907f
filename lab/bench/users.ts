import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeKeys } from './keys.js'
import { load } from './load.js'
import { Processes, processorTime, type Service } from './processes.js'
import { local } from './work.js'

/** Size of the measurement. */
export interface UsersOptions {
  /** Users of the services with many users, each with a key. */
  readonly users: number
  /** Requests of each of many users in one round. The services with few users get the same total. */
  readonly requestsOfEach: number
  readonly rounds: number
  /** Requests per second of all users together. Default: as many as the server answers. */
  readonly perSecond?: number | undefined
}

interface Crowd {
  readonly name: string
  readonly service: Service
  /** The path of each request, counted from the first of the run. */
  readonly path: (request: number) => string
  /** Processor time of the first request of each user, and of all later requests, in microseconds. */
  first: number
  later: number
}

const connections = 32
const few = 10
/** Requests that a user makes per day, below the limit. */
const requestsPerUser = 20_000
/** Servers run for a while before the measurement, because Node compiles code during the first 50,000 requests. */
const warmUpRequests = 100_000
/** Seconds after the last request until all counts are written and all leases are returned. */
const settlingSeconds = 75

/**
 * Compares the cost of a request from few users with the cost of a request from many users. The number of requests is
 * the same and evenly distributed, either as fast as possible or at a given rate. Few users are ten users; when they
 * reach their limit, ten others replace them.
 * Users that send a request or two per second keep their leases. On a slow machine, with more than a second between two
 * requests of a user, each request needs a new lease. The cost contains all work of the service and of the embedded
 * database, from the first round until the counts are written. The first request of each user, which looks up the key,
 * is measured separately.
 * @param folder of the services
 */
export async function benchUsers(folder: string, options: UsersOptions): Promise<void> {
  const { users, requestsOfEach, rounds } = options
  const requests = users * requestsOfEach
  const processes = new Processes()
  try {
    const nodes = [
      await processes.peer('node-server.ts', '0x1f'),
      await processes.peer('node-server.ts', '0x1e'),
    ]
    const [test = '', main = ''] = nodes.map(({ url }) => url)
    const start = async (name: string, more: Record<string, string> = {}) => {
      await mkdir(join(folder, name), { recursive: true })
      const env = { CONCORDAT_NODES_TEST: test, CONCORDAT_NODES_MAIN: main, ...more }
      return processes.service(join(folder, name), env)
    }
    const shared = async () => ({
      DATABASE_URL: await processes.postgres(),
      CONCORDAT_SECRET: randomBytes(32).toString('hex'),
    })
    const all = warmUpRequests + rounds * requests
    const crowdOf = async (name: string, many: boolean, more?: Record<string, string>): Promise<Crowd> => {
      const service = await start(name.replaceAll(' ', '-'), more)
      const groups = Math.ceil(all / (few * requestsPerUser))
      const paths = await makeKeys(service, many ? users : few * groups)
      const path = (request: number) =>
        paths[
          many ? request % users : Math.floor(request / (few * requestsPerUser)) * few + (request % few)
        ] ?? '/'
      return { name, service, path, first: 0, later: 0 }
    }
    const crowds = [
      await crowdOf('10 users', false),
      await crowdOf(`${users} users`, true),
      await crowdOf('10 users on PostgreSQL', false, await shared()),
      await crowdOf(`${users} users on PostgreSQL`, true, await shared()),
    ]
    await measure(crowds, options, requests)
    print(crowds, users, requests * rounds)
  } finally {
    await processes.end()
  }
}

async function measure(
  crowds: readonly Crowd[],
  { users, rounds, perSecond }: UsersOptions,
  requests: number,
) {
  const loaded = async ({ service, path }: Crowd, from: number, count: number, pace?: number) => {
    const before = await processorTime(service.pid)
    await load(
      { origin: new URL(service.url).origin, path, body: local, perSecond: pace },
      from,
      count,
      connections,
    )
    return (await processorTime(service.pid)) - before
  }
  for (const crowd of crowds) {
    crowd.first = await loaded(crowd, 0, users)
    await loaded(crowd, users, warmUpRequests - users)
  }
  await delay(settlingSeconds * 1_000)
  for (const crowd of crowds) crowd.later = -(await processorTime(crowd.service.pid))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % crowds.length
    for (const crowd of [...crowds.slice(first), ...crowds.slice(0, first)]) {
      await loaded(crowd, warmUpRequests + round * requests, requests, perSecond)
    }
  }
  await delay(settlingSeconds * 1_000)
  for (const crowd of crowds) crowd.later += await processorTime(crowd.service.pid)
}

function print(crowds: readonly Crowd[], users: number, requests: number): void {
  const per = (microseconds: number, count: number) => (microseconds / count).toFixed(1).padStart(14)
  console.log(''.padEnd(38) + ['first request', 'later requests'].map((head) => head.padStart(14)).join(''))
  for (const { name, first, later } of crowds)
    console.log(name.padEnd(38) + per(first, users) + per(later, requests))
  const [alone, many, aloneShared, manyShared] = crowds.map(({ later }) => later)
  const ratio = (name: string, of = 0, to = 0) => console.log(`${name.padEnd(62)} ${(of / to).toFixed(2)}`)
  ratio(`${users} users / 10 users`, many, alone)
  ratio(`${users} users / 10 users, on PostgreSQL`, manyShared, aloneShared)
}
