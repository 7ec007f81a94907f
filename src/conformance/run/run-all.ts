import type { Scenario } from '../scenario/scenario.js'
import { inPool } from './in-pool.js'
import { phasesOf } from './phases.js'
import type { CaseResult } from './report.js'
import { type CaseContext, runCase } from './run-case.js'
import type { RunOptions } from './run-options.js'
import { Turns } from './turns.js'

/**
 * Runs all cases, phase by phase.
 * @param results receives the result of each case by its id, as soon as the case begins
 */
export async function runAll(
  { scenarios, mode, onProgress }: Pick<RunOptions, 'scenarios' | 'mode' | 'onProgress'>,
  context: Omit<CaseContext, 'resultOf'>,
  results: Map<string, Promise<CaseResult>>,
): Promise<void> {
  const turns = new Turns()
  const resultOf = async (id: string) => results.get(id)
  let done = 0
  for (const phase of phasesOf(scenarios)) {
    await inPool(phase.scenarios, phase.isSerial ? 1 : mode.concurrency, async (scenario) => {
      const running = Promise.all(scenario.after.map(resultOf)).then(() =>
        judged(scenario, { ...context, resultOf }, turns),
      )
      results.set(scenario.id, running)
      const last = await running
      done++
      onProgress?.({ done, total: scenarios.length, last })
    })
  }
}

/**
 * Runs a case. One without an answer may have been kept waiting by another case: when the service answers again, a case
 * that reads is tried once more while no other runs. Nothing else is sent before the service answers again.
 */
async function judged(scenario: Scenario, context: CaseContext, turns: Turns): Promise<CaseResult> {
  const { value: first, wasAlone } = await turns.beside(() => runCase(scenario, context))
  if (first.verdict !== 'no-answer') return first
  return turns.alone(async () => {
    await context.untilAnswered()
    if (wasAlone || scenario.effect !== 'read') return first
    const second = await runCase(scenario, context)
    if (second.verdict === 'no-answer') await context.untilAnswered()
    return {
      ...second,
      billed: first.billed + second.billed,
      milliseconds: first.milliseconds + second.milliseconds,
    }
  })
}
