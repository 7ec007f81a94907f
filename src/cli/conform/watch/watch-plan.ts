import { contractTerms, networkCalls, type Scenario } from '../../../judge/index.js'
import { duration, numbered } from '../../../judge/report/index.js'
import { UsageError } from '../../io.js'
import { planOf, type Run } from '../conform-run.js'
import { withDependencies } from './rotation.js'
import type { WatchOptions } from './watch-options.js'

/** What a watch will do. */
export interface WatchPlan {
  /** The cases of the rotation, and those that they run after. */
  readonly scenarios: readonly Scenario[]
  /** Number of cases that do not run, by reason. */
  readonly leftOut: ReadonlyMap<string, number>
  /** Requests that the first round may send. */
  readonly first: number
  /** Maximum requests of one round. */
  readonly burst: number
  /** Maximum duration of a rotation without failures, in milliseconds. */
  readonly rotation: number
}

/** Requests that a round must allow in addition to those for the head and the network: one plain case. */
const PLAIN_CASE = 2

/**
 * Chooses the cases of a watch and computes the duration of a rotation.
 * @throws UsageError when no case can run, or the budget is too small for the interval
 */
export async function planWatch(run: Run, { seconds, perHour }: WatchOptions): Promise<WatchPlan> {
  const leftOut = new Map<string, number>()
  const scenarios: Scenario[] = []
  let largest = 0
  for (const scenario of run.scenarios) {
    const { groups, total } = await planOf(run, withDependencies(run.scenarios, scenario), new Set())
    const [reason] = groups.flatMap(({ notTried }) => [...notTried.keys()])
    // Half of the budget remains for other cases.
    const cause = reason ?? (total.requests > perHour / 2 ? TOO_EXPENSIVE : undefined)
    if (cause !== undefined) {
      leftOut.set(cause, (leftOut.get(cause) ?? 0) + 1)
      continue
    }
    scenarios.push(scenario)
    largest = Math.max(largest, total.requests)
  }
  if (scenarios.length === 0) {
    const reasons = [...leftOut].map(([reason, cases]) => `${numbered(cases, 'case')}: ${reason}`)
    throw new UsageError(['--watch has no case to run', ...reasons].join('\n  '))
  }
  const { total } = await planOf(run, scenarios, new Set())
  const terms = contractTerms(run.suite.contract)
  const overhead = networkCalls(terms, scenarios).length + (terms.head === undefined ? 0 : 1)
  return { scenarios, leftOut, ...paceOf({ seconds, perHour, largest, overhead, all: total.requests }) }
}

const TOO_EXPENSIVE = 'it needs more than half of the requests of an hour: --watch-budget N'

/**
 * Computes the sizes of rounds and the duration of a rotation.
 * @param largest requests of the most expensive case
 * @param overhead requests of a round without its cases
 * @param all requests of all cases and of the search for data
 * @throws UsageError when the interval leaves too few requests for a round
 */
export function paceOf({
  seconds,
  perHour,
  largest,
  overhead,
  all,
}: Pick<WatchOptions, 'seconds' | 'perHour'> & {
  readonly largest: number
  readonly overhead: number
  readonly all: number
}): Omit<WatchPlan, 'scenarios' | 'leftOut'> {
  const share = (perHour * seconds) / HOUR_SECONDS
  if (share - overhead < PLAIN_CASE) {
    const least = Math.ceil(((overhead + PLAIN_CASE) * HOUR_SECONDS) / perHour)
    throw new UsageError(
      `--watch ${seconds} with ${numbered(perHour, 'request')} an hour leaves ${share.toFixed(1)} for a round, and ${overhead + PLAIN_CASE} are needed: use --watch ${least} or a larger --watch-budget`,
    )
  }
  return {
    first: Math.ceil(share),
    // What a round leaves over while an expensive case waits is kept for the next one.
    burst: largest + Math.ceil(share),
    rotation: Math.ceil(all / (share - overhead)) * seconds * 1000,
  }
}

const HOUR_SECONDS = 3600

/** Formats what the watch will do. @param metrics URL of the metrics */
export function startLines(
  { suite, target }: Pick<Run, 'suite' | 'target'>,
  { seconds, perHour }: WatchOptions,
  { scenarios, leftOut, rotation }: WatchPlan,
  metrics: string | undefined,
): readonly string[] {
  const { title, version } = suite.contract
  const rows = [
    ['Contract', `${title} ${version}`],
    ['Target', target.shown],
    [
      'Watch',
      `${numbered(scenarios.length, 'case')}, a part every ${duration(seconds * 1000)}, at most ${numbered(perHour, 'request')} an hour, read-only`,
    ],
    ['Rotation', `every case runs within about ${duration(rotation)}; while cases fail, up to twice that`],
    ...leftOutTexts(leftOut).map((text) => ['Left out', text] as const),
    ['Metrics', metrics ?? 'none; --metrics-port N serves them'],
    ['State', 'in memory: after a restart, every rule is judged anew'],
  ] as const
  return ['', ...rows.map(([label, text]) => `  ${label.padEnd(10)} ${text}`), '']
}

/** Names the cases that this budget excludes, and counts those that no run with these options has. */
function leftOutTexts(leftOut: WatchPlan['leftOut']): readonly string[] {
  const expensive = leftOut.get(TOO_EXPENSIVE) ?? 0
  const others = [...leftOut.values()].reduce((sum, cases) => sum + cases, 0) - expensive
  return [
    ...(expensive === 0 ? [] : [`${numbered(expensive, 'case')}: ${TOO_EXPENSIVE}`]),
    ...(others === 0
      ? []
      : [`${numbered(others, 'case')} that need more than these options; --plan says what`]),
  ]
}
