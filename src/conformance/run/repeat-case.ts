import type { Scenario } from '../scenario/scenario.js'
import { hasPassed } from './result/has-passed.js'
import type { CaseResult } from './result/report.js'
import { type CaseContext, runCase } from './run-case.js'

/**
 * Runs a case several times, until it does not pass. The repetitions send every request themselves. A case that
 * writes or spends the quota runs once.
 * @param times number of runs
 */
export async function repeatCase(
  scenario: Scenario,
  times: number,
  context: CaseContext,
): Promise<CaseResult> {
  let result = await runCase(scenario, context)
  if (scenario.effect !== 'read') return result
  const alone = { ...context, steps: { ...context.steps, shared: undefined } }
  for (let time = 2; time <= times && hasPassed(result); time++) {
    const { billed, milliseconds } = result
    const next = await runCase(scenario, alone)
    const reason = hasPassed(next) ? next.reason : `in run ${time} of ${times}: ${next.reason}`
    result = {
      ...next,
      reason,
      billed: billed + next.billed,
      milliseconds: milliseconds + next.milliseconds,
    }
  }
  return result
}
