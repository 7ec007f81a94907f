import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildCommit } from '../../test/support/older-commit.js'
import { makeKeys } from './keys.js'
import { load, type Work } from './load.js'
import { type Offered, offer } from './offered-load.js'
import { Processes } from './processes.js'
import { balance } from './work.js'

/** Size of the measurement. */
export interface OverloadOptions {
  readonly rounds: number
  readonly users: number
  /** Time of each load, in seconds. */
  readonly seconds: number
  /** The commit of the service that is measured beside the current one. */
  readonly against: string
}

const warmUpRequests = 20_000
const capacityRequests = 20_000
/** Offered load, as a multiple of the capacity. */
const excess = 3
/** Open connections. Each carries one request at a time. */
const connections = 2_000
/** Warm-up, excluded from the latencies: short bursts are not refused. */
const settlingMilliseconds = 2_000
/** Calls of a batch. */
const batchCalls = 50

/** A kind of request. */
interface Kind {
  readonly name: string
  readonly body: Work['body']
  /** Calls of each request. */
  readonly calls: number
}

const kinds: readonly Kind[] = [
  { name: 'calls', body: balance, calls: 1 },
  {
    name: `batches of ${batchCalls}`,
    calls: batchCalls,
    body: (request) =>
      `[${Array.from({ length: batchCalls }, (_, at) => balance(request * batchCalls + at)).join()}]`,
  },
]

/**
 * Measures a service at three times its capacity: the answers of many users with equal loads, each sent when it is due.
 * Prints the latencies at half and at three times the capacity, how many requests were refused, and how many are slow or
 * refused once the load is back at half.
 * @param folder of the services
 */
export async function benchOverload(folder: string, options: OverloadOptions): Promise<void> {
  const program = await buildCommit(options.against)
  for (const [name, command] of [
    ['ours', undefined],
    [options.against, program],
  ] as const)
    for (const kind of kinds) {
      const processes = new Processes()
      try {
        const nodes = [
          await processes.peer('node-server.ts', '0x1f'),
          await processes.peer('node-server.ts', '0x1e'),
        ]
        const own = join(folder, `${name}-${kind.calls}`)
        await mkdir(own, { recursive: true })
        const env = { CONCORDAT_NODES_TEST: nodes[0]?.url ?? '', CONCORDAT_NODES_MAIN: nodes[1]?.url ?? '' }
        const service = await processes.service(own, env, command)
        const paths = await makeKeys(service, options.users)
        console.log(`\n${name}, ${kind.name} of ${options.users} users`)
        await measure(
          {
            origin: new URL(service.url).origin,
            path: (request) => paths[request % options.users] ?? '/',
            body: kind.body,
          },
          kind,
          options,
        )
      } finally {
        await processes.end()
      }
    }
}

async function measure(
  work: Work,
  { calls }: Kind,
  { rounds, users, seconds }: OverloadOptions,
): Promise<void> {
  let next = 0
  const run = async (count: number): Promise<number> => {
    next += count
    const loaded = await load(work, next - count, count, users)
    return loaded.requests / loaded.seconds
  }
  const offered = (perSecond: number): Promise<Offered> => {
    next += Math.ceil(perSecond * seconds)
    return offer({ ...work, perSecond, seconds, connections }, next)
  }
  await run(Math.ceil(warmUpRequests / calls))
  const capacity = await run(Math.ceil(capacityRequests / calls))
  console.log(`capacity ${Math.round(capacity)} requests/s`)
  for (let round = 0; round < rounds; round++) {
    const normal = latenciesOf(await offered(capacity / 2))
    const over = await offered(capacity * excess)
    const after = await offered(capacity / 2)
    const p99 = percentile(normal, 99)
    const slow = after.answered.filter(({ latency, status }) => status !== 200 || latency > 5 * p99)
    const accepted = latenciesOf({
      ...over,
      answered: over.answered.filter(({ due }) => due > settlingMilliseconds),
    })
    const refused = over.answered.filter(({ status }) => status !== 200)
    const statuses = [...new Set(refused.map(({ status }) => status))].join(', ')
    const rate = latenciesOf(over).length / over.seconds
    console.log(
      [
        `  normal p50 ${percentile(normal, 50).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
        `at ${excess} times: ${Math.round(rate)} results/s, ${Math.round((100 * rate) / capacity)} % of the capacity`,
        `p50 ${percentile(accepted, 50).toFixed(1)} ms, p99 ${percentile(accepted, 99).toFixed(1)} ms = ${(percentile(accepted, 99) / p99).toFixed(1)} times normal`,
        `${refused.length} refused (${statuses}), p99 ${percentile(
          refused.map(({ latency }) => latency),
          99,
        ).toFixed(1)} ms; ${over.unsent} not sent`,
        `afterwards: ${slow.length} slow or refused, the last due at ${Math.round(slow.at(-1)?.due ?? 0)} ms, p99 ${percentile(latenciesOf(after), 99).toFixed(1)} ms; ${after.unsent} not sent`,
      ].join('\n    '),
    )
  }
}

const latenciesOf = ({ answered }: Offered): number[] =>
  answered.filter(({ status }) => status === 200).map(({ latency }) => latency)

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN
}
