import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeKeys } from './keys.js'
import { type Loaded, load, type Work } from './load.js'
import { Processes } from './processes.js'
import { balance } from './work.js'

/** Options of the client of bursts. */
export interface Burst {
  readonly url: string
  /** Number of parallel calls. */
  readonly calls: number
  /** Number of the first call. Each call is about another account. */
  readonly first: number
}

/** The answer of the client. */
export interface BurstOutcome {
  readonly succeeded: number
  readonly milliseconds: number
}

/** Size of the measurement. */
export interface QueueOptions {
  readonly rounds: number
  /** Calls of each burst. */
  readonly calls: number
  /** Time of each load, in seconds. */
  readonly seconds: number
}

const others = 50
const warmUpRequests = 100_000
const capacityRequests = 50_000
/** Bursts that one user makes per day, below the limit. */
const burstsOfUser = 20
/** Users that send bursts in turn. */
const burstUsers = 40
/** Accounts that no other request uses. */
const firstBurstCall = 2 ** 40

/**
 * Measures the effect of one user's bursts of parallel `fetch` calls on 50 other users at half capacity: the latencies
 * of the 50 users with and without the bursts.
 * @param folder of the service
 * @throws Error if a call of a burst fails
 */
export async function benchQueue(folder: string, options: QueueOptions): Promise<void> {
  const processes = new Processes()
  const client = fork(fileURLToPath(new URL('./burst-client.ts', import.meta.url)), {
    execArgv: ['--import=tsx'],
  })
  try {
    const nodes = [
      await processes.peer('node-server.ts', '0x1f'),
      await processes.peer('node-server.ts', '0x1e'),
    ]
    await mkdir(folder, { recursive: true })
    const service = await processes.service(folder, {
      CONCORDAT_NODES_TEST: nodes[0]?.url ?? '',
      CONCORDAT_NODES_MAIN: nodes[1]?.url ?? '',
    })
    const { origin } = new URL(service.url)
    const paths = await makeKeys(service, others + burstUsers)
    const work = { origin, path: (request: number) => paths[request % others] ?? '/', body: balance }
    await measure(work, client, paths.slice(others), options)
  } finally {
    client.disconnect()
    await processes.end()
  }
}

async function measure(
  work: Work,
  client: ChildProcess,
  burstPaths: readonly string[],
  { rounds, calls, seconds }: QueueOptions,
): Promise<void> {
  let next = 0
  const run = async (count: number, perSecond?: number): Promise<Loaded> => {
    next += count
    return load({ ...work, perSecond }, next - count, count, others)
  }
  await run(warmUpRequests)
  const capacity = await run(capacityRequests)
  const perSecond = Math.round(capacity.requests / capacity.seconds / 2)
  console.log(`${others} users at half capacity: ${perSecond} requests/s`)
  const bursts: BurstOutcome[] = []
  const burst = async (): Promise<void> => {
    const path = burstPaths[Math.floor(bursts.length / burstsOfUser) % burstPaths.length] ?? '/'
    client.send({ url: `${work.origin}${path}`, calls, first: firstBurstCall + bursts.length * calls })
    const [outcome] = (await once(client, 'message')) as [BurstOutcome]
    if (outcome.succeeded !== calls) throw new Error(`${outcome.succeeded} of ${calls} calls succeeded`)
    bursts.push(outcome)
  }
  await burst()
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const normal = await run(perSecond * seconds, perSecond)
    let isLoaded = false
    const loaded = run(perSecond * seconds, perSecond).finally(() => {
      isLoaded = true
    })
    while (!isLoaded) await burst()
    const besides = await loaded
    ratios.push(percentile(besides, 99) / percentile(normal, 99))
    print('alone', normal)
    print(`beside bursts of ${calls}`, besides)
  }
  const times = bursts.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const median = times[times.length >> 1] ?? 0
  console.log(`${bursts.length} bursts of ${calls} calls, all answered; median ${median.toFixed(0)} ms each`)
  console.log(`p99 beside bursts / alone, median of the rounds: ${medianOf(ratios).toFixed(2)}`)
}

const percentile = ({ latencies }: Loaded, percent: number): number =>
  latencies[Math.floor((latencies.length * percent) / 100)] ?? 0

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

function print(name: string, loaded: Loaded): void {
  const at = (percent: number) => `p${percent} ${percentile(loaded, percent).toFixed(1)} ms`.padStart(14)
  const rate = Math.round(loaded.requests / loaded.seconds)
  console.log(`${name.padEnd(28)}${at(50)}${at(99)}   ${rate} requests/s`)
}
