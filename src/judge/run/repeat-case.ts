import { hasPassed } from '../oracles/has-passed.js'
import type { CaseResult } from '../report/index.js'
import { SharedAnswers } from '../requests/shared-answers.js'
import type { Scenario } from '../scenario/scenario.js'
import { type CaseContext, runCase } from './run-case.js'

/**
 * Runs a case several times, until it does not pass. The repetitions send every request themselves, in other forms. A case that
 * writes or spends the quota runs once.
 * @param times number of runs
 * @param inForm gives the case the form of a run, from 1
 */
export async function repeatCase(
  scenario: Scenario,
  times: number,
  context: CaseContext,
  inForm: (scenario: Scenario, time: number) => Scenario,
): Promise<CaseResult> {
  let result = await runCase(inForm(scenario, 1), context)
  if (scenario.effect !== 'read') return result
  for (let time = 2; time <= times && hasPassed(result); time++) {
    const { billed, milliseconds, deviations = [] } = result
    const own = { ...context, steps: { ...context.steps, shared: new SharedAnswers() } }
    const next = await runCase(inForm(scenario, time), own)
    const reason = hasPassed(next) ? next.reason : `in run ${time} of ${times}: ${next.reason}`
    result = {
      ...next,
      reason,
      ...(deviations.length > 0 && {
        deviations: [...deviations, ...(next.deviations ?? []).map((one) => ({ ...one, run: time }))],
      }),
      billed: billed + next.billed,
      milliseconds: milliseconds + next.milliseconds,
    }
  }
  return result
}
