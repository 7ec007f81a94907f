import { setTimeout as delay } from 'node:timers/promises'
import { createCalls, type JudgedCall } from './calls.js'
import type { Fault } from './faults.js'
import { answered, createJudge } from './judge.js'
import { startCallers, type Tally } from './load.js'
import { createScope } from './scope.js'
import { type Balancer, type Need, type NewKey, startWorld, type World } from './world.js'

/** Options of a run. */
export interface RunOptions {
  /** Duration of each fault, in seconds. */
  readonly seconds: number
  readonly seed: number
  readonly balancer: Balancer
  /** Receives lines of progress. */
  readonly tell: (line: string) => void
  /** Receives rows as soon as their counts are final. */
  readonly onRows: (rows: readonly Row[]) => void
}

/** What a fault did. */
export interface Row {
  readonly fault: string
  readonly about: string
  /** HTTP requests of the callers, and how many had each outcome. */
  readonly requests: number
  readonly outcomes: Readonly<Record<string, number>>
  /** Part of the requests of the user far from the limit that failed. */
  readonly failedShare: number
  readonly longestMs: number
  /** JSON-RPC requests without an answer. */
  readonly unanswered: number
  /** Requests that answers were charged as, and those that the database counts. */
  readonly billed: number
  readonly counted: number
  /** Results that the statistics lack. */
  readonly missingInUsage: number
  /** Results of a user who goes on beyond the limit of the key, and the most that the limit allows. */
  readonly limited: { readonly results: number; readonly allowed: number }
  /**
   * From the end of the fault until every replica is ready and the last failed request has ended. A fault that ends by
   * itself counts from its beginning.
   */
  readonly recoveryMs: number | undefined
  /** Starts of replicas by their supervisors. */
  readonly restarts: number
  /** The broken promises; none for a passed fault. */
  readonly broken: readonly string[]
}

/** The following times and rates are those of an idle machine. On a slow one, everything takes longer in the same order. */

/** Time of load before the fault: with six seconds, the leases of the user are those of a user who is active. */
const calmMs = (seconds: number) => Math.min(6, seconds) * 1_000
/** Time of load after the recovery. */
const afterMs = 500
/** A service that has not recovered by then needs an operator. */
const recoveryLimitMs = 90_000
/** HTTP requests a second of the user far from the limit, and of the user who spends the own limit. */
const steadyRate = 60
const spenderRate = 20

/** What is known of a fault before the counts are final. */
interface Observed {
  readonly name: string
  readonly fault: Fault
  readonly steady: Tally
  readonly spender: Tally
  readonly keys: { readonly steady: NewKey; readonly spender: NewKey }
  readonly limit: number
  readonly recoveryMs: number | undefined
  readonly restarts: number
}

/**
 * Applies faults one after the other under load, and judges what callers saw. Faults with the same need share their
 * programs.
 */
export async function runFaults(
  faults: Readonly<Record<string, Fault>>,
  options: RunOptions,
): Promise<readonly Row[]> {
  const judge = await createJudge()
  const rows: Row[] = []
  for (const need of new Set(Object.values(faults).map((fault) => fault.need))) {
    const group = Object.entries(faults).filter(([, fault]) => fault.need === need)
    const done = await runGroup(group, need, judge, options)
    options.onRows(done)
    rows.push(...done)
  }
  return rows
}

type Judge = Awaited<ReturnType<typeof createJudge>>

async function runGroup(
  faults: readonly (readonly [name: string, fault: Fault])[],
  need: Need | undefined,
  judge: Judge,
  options: RunOptions,
): Promise<readonly Row[]> {
  const scope = createScope(options.tell)
  try {
    const world = await startWorld(scope, options.balancer, need)
    const observed: Observed[] = []
    for (const [name, fault] of faults) {
      options.tell(`${name}: ${fault.about}`)
      observed.push(await observe(world, judge, name, fault, options))
    }
    // Stopped replicas return their leases and write all counts.
    for (const replica of world.replicas) await replica.stop()
    const rows: Row[] = []
    for (const one of observed) rows.push(await rowOf(world, one))
    return rows
  } finally {
    await scope.end()
  }
}

async function observe(
  world: World,
  judge: Judge,
  name: string,
  fault: Fault,
  { seconds, seed }: RunOptions,
): Promise<Observed> {
  const { slowness } = world
  const slow = slowness.now
  const calm = calmMs(seconds)
  // The limit is reached in the middle of the fault.
  const limit = Math.ceil((spenderRate * (calm + seconds * 500)) / 1_000)
  const keys = {
    steady: await world.newKey(`steady-${name}`),
    spender: await world.newKey(`spender-${name}`, '--daily-limit', `${limit}`),
  }
  const chainId: JudgedCall = { method: 'eth_chainId', params: [], isTrue: (result) => result === '0x1f' }
  const steady = startCallers(
    `${world.origin}${keys.steady.path}`,
    steadyRate / slow,
    createCalls(seed, world.chain, slowness),
    judge,
  )
  const spender = startCallers(
    `${world.origin}${keys.spender.path}`,
    spenderRate / slow,
    () => [chainId],
    judge,
  )
  const restartsBefore = restartsOf(world)
  await delay(calm * slow)
  await fault.begin(world, seconds)
  let endedAt = performance.now()
  if (fault.end !== undefined) {
    await delay(seconds * 1_000 * slow)
    await fault.end(world)
    endedAt = performance.now()
  }
  const readyAt = await recovered(world, steady.tally, endedAt)
  await delay(afterMs * slow)
  await Promise.all([steady.stop(), spender.stop()])
  return {
    name,
    fault,
    steady: steady.tally,
    spender: spender.tally,
    keys,
    limit,
    recoveryMs:
      readyAt === undefined ? undefined : Math.max(readyAt, steady.tally.lastFailureAt, endedAt) - endedAt,
    restarts: restartsOf(world) - restartsBefore,
  }
}

const restartsOf = ({ replicas }: World) => replicas.reduce((sum, { restarts }) => sum + restarts, 0)

/**
 * Waits until every replica is ready, no request failed for a second, and one was answered.
 * @returns the time from which every replica was ready; undefined if that is not so within the limit
 */
async function recovered(world: World, tally: Tally, endedAt: number): Promise<number | undefined> {
  let readyAt: number | undefined
  // What an idle machine would have needed so far.
  let [spentMs, before] = [0, endedAt]
  while (spentMs < recoveryLimitMs) {
    const { now: slow } = world.slowness
    const at = performance.now()
    spentMs += (at - before) / slow
    before = at
    const ready = await Promise.all(world.replicas.map((replica) => replica.isReady(slow)))
    if (!ready.every(Boolean)) readyAt = undefined
    else readyAt ??= at
    await delay(100)
    const calmSince = Math.max(readyAt ?? 0, tally.lastFailureAt)
    const isCalm = tally.lastAnsweredAt > calmSince && performance.now() - calmSince > 1_000 * slow
    if (readyAt !== undefined && isCalm) return readyAt
  }
  return undefined
}

async function rowOf(world: World, one: Observed): Promise<Row> {
  const { name, fault, steady, spender, keys, limit, recoveryMs, restarts } = one
  const counts = async (subject: string) =>
    (
      await world.query(
        `select granted, used from quota_counts where subject = '${subject}' and period = 'day'`,
      )
    ).map(({ granted, used }) => ({ granted: Number(granted), used: Number(used) }))
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const usage = async (keyId: string) =>
    Number(
      (
        await world.query(
          `select coalesce(sum(requests), 0)::int as requests from usage_hours where key_id = '${keyId}' and code = 0`,
        )
      )[0]?.['requests'],
    )
  const own = await counts(keys.steady.userId)
  const limited = await counts(keys.spender.id)
  const counted = sum(own.map(({ granted }) => granted))
  const allowed = limit * Math.max(1, limited.length)
  const outside = [...steady.outside, ...spender.outside]
  const wrong = [...steady.wrong, ...spender.wrong]
  const broken = [
    ...(spender.results > allowed ? [`over quota: ${spender.results} results, limit ${allowed}`] : []),
    ...limited
      .filter(({ granted }) => granted > limit)
      .map(({ granted }) => `over quota: ${granted} requests counted, limit ${limit}`),
    ...(steady.billed > counted ? [`not counted: ${steady.billed} billed answers, ${counted} counted`] : []),
    ...(wrong.length > 0 ? [`${wrong.length} wrong answers, such as ${wrong[0]}`] : []),
    ...(outside.length > 0 ? [`${outside.length} answers outside the contract, such as ${outside[0]}`] : []),
    ...(recoveryMs === undefined ? [`not recovered ${recoveryLimitMs / 1_000} s after the fault`] : []),
  ]
  return {
    fault: name,
    about: fault.about,
    requests: steady.requests,
    outcomes: Object.fromEntries([...steady.outcomes].sort(([, one], [, other]) => other - one)),
    failedShare: 1 - (steady.outcomes.get(answered) ?? 0) / steady.requests,
    longestMs: Math.round(steady.longestMs),
    unanswered: steady.unanswered,
    billed: steady.billed,
    counted,
    missingInUsage: steady.results - (await usage(keys.steady.id)),
    limited: { results: spender.results, allowed },
    recoveryMs: recoveryMs === undefined ? undefined : Math.round(recoveryMs),
    restarts,
    broken,
  }
}
