import { phasesOf } from './plan/phases.js'
import type { RunOptions } from './plan/run-options.js'
import type { CaseResult } from './result/report.js'
import { type CaseContext, runCase } from './run-case.js'
import { Turns } from './turns.js'

/**
 * Runs all cases, phase by phase.
 * @param results receives the promise of each case's result, by id, when the case begins
 */
export async function runAll(
  { scenarios, mode, onProgress }: Pick<RunOptions, 'scenarios' | 'mode' | 'onProgress'>,
  context: Omit<CaseContext, 'resultOf' | 'turns'>,
  results: Map<string, Promise<CaseResult>>,
): Promise<void> {
  const caseContext = { ...context, turns: new Turns(), resultOf: async (id: string) => results.get(id) }
  let done = 0
  for (const phase of phasesOf(scenarios)) {
    const queue = phase.scenarios.values()
    const worker = async (): Promise<void> => {
      for (const scenario of queue) {
        const running = runCase(scenario, caseContext)
        results.set(scenario.id, running)
        const last = await running
        done++
        onProgress?.({ done, total: scenarios.length, last })
      }
    }
    const workers = phase.isSerial ? 1 : Math.max(1, mode.concurrency)
    await Promise.all(Array.from({ length: workers }, worker))
  }
}
