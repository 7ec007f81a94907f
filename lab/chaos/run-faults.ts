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

/** Effects of a fault. */
export interface Row {
  readonly fault: string
  readonly about: string
  /** Number of HTTP requests of the user far from the limit. */
  readonly requests: number
  /** Number of these requests by outcome. */
  readonly outcomes: Readonly<Record<string, number>>
  /** Share of these requests that failed, from 0 to 1. */
  readonly failedShare: number
  readonly longestMs: number
  /** JSON-RPC requests without an answer. */
  readonly unanswered: number
  /** JSON-RPC requests that must have been charged, judging by the answers. */
  readonly billed: number
  /** JSON-RPC requests that the database counts. */
  readonly counted: number
  /** Results that are missing in the usage statistics. */
  readonly missingInUsage: number
  /** Results of a user who exceeds the limit of the key, and the maximum that the limit allows. */
  readonly limited: { readonly results: number; readonly allowed: number }
  /**
   * Milliseconds from the end of the fault until every replica is ready and the last failed request has ended.
   * Undefined if the service did not recover.
   */
  readonly recoveryMs: number | undefined
  /** Restarts of replicas by their supervisors. */
  readonly restarts: number
  /** Broken promises; empty if the fault has passed. */
  readonly broken: readonly string[]
}

/** The following times and rates are for an idle machine. Slower machines stretch them by their slowdown factor. */

/** Load before the fault, in milliseconds. After six seconds, the user has the leases of an active user. */
const calmMs = (seconds: number) => Math.min(6, seconds) * 1_000
/** Load after the recovery, in milliseconds. */
const afterMs = 500
/** Time limit of the recovery, in milliseconds. A service that takes longer needs an operator. */
const recoveryLimitMs = 90_000
/** HTTP requests a second of the user far from the limit. */
const steadyRate = 60
/** HTTP requests a second of the user who exhausts the limit. */
const spenderRate = 20

/** Observations during a fault, before the counts of the database are final. */
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
 * Applies faults one after the other under load, and judges the answers to callers. Faults with the same need share
 * their programs.
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
 * Waits until every replica is ready, no request has failed for a second, and a request was answered since then.
 * @returns time since which every replica is ready; undefined if the service did not recover within the limit
 */
async function recovered(world: World, tally: Tally, endedAt: number): Promise<number | undefined> {
  let readyAt: number | undefined
  // Elapsed time, converted to that of an idle machine.
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
