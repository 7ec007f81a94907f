import {
  composedLines,
  composedOutcomeLine,
  composeFaults,
  exploredScenarios,
  type Fault,
  isComposedProven,
  runComposed,
  withExploredForms,
} from '../../judge/index.js'
import { exploredCases } from '../../toolkit/cases/index.js'
import type { CommandIo } from '../io.js'
import { sampledFaults } from './selftest-faults.js'
import { withSelftestService } from './with-selftest-service.js'

/** Options of `concordat selftest --composed`. */
export interface ComposedSelftest {
  readonly url: string | undefined
  readonly contract?: string | undefined
  readonly scenarios: readonly string[]
  readonly blockSeconds: number
  /** True to try each fault under all conditions, instead of under one of them. */
  readonly full: boolean
  /** Number of composed faults to try for each group of rules, of those under all conditions. */
  readonly sample?: number | undefined
  readonly seed: number
  /** Number of generated calls. */
  readonly calls: number
  /** Number of times that each case that only reads runs. */
  readonly repeat: number
  readonly json: boolean
}

/** Daily requests of a user: more than all runs of the cases that read send together. */
const requestsPerDay = 20_000

/**
 * Tries faults that show only under a condition.
 * @param simple the faults that are composed
 * @returns 0 if no exercised fault was missed, otherwise 1
 * @throws UsageError when the suite is invalid or the service fails
 */
export async function selftestComposed(
  simple: readonly Fault[],
  options: ComposedSelftest,
  io: CommandIo,
): Promise<number> {
  const { seed, full, sample, calls, repeat, json } = options
  const isWhole = full || sample !== undefined
  const faults = sampledFaults(composeFaults(simple, isWhole ? undefined : seed), sample, seed)
  const report = await withSelftestService(
    { ...options, faults, requestsPerDay },
    async ({ suite, progress, ...common }) => {
      const mayCall = (method: string) => suite.checks.effects.get(method) === 'read'
      const { contract } = suite
      const document = exploredCases(contract, { calls, seed, mayCall })
      const explored = withExploredForms(contract, exploredScenarios(document))
      return runComposed({
        ...common,
        scenarios: [...suite.scenarios, ...explored],
        faults,
        repeat,
        onOutcome: (outcome, done) => {
          progress.clear()
          if (!json) io.out(composedOutcomeLine(outcome))
          progress.show(outcome.name, done)
        },
      })
    },
  )
  io.out(json ? JSON.stringify(report, null, 2) : composedLines(report).join('\n'))
  return isComposedProven(report) ? 0 : 1
}
