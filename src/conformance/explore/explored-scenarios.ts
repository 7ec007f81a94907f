import type { JsonValue } from '../../contract/index.js'
import { scenariosOf } from '../scenario/load/scenarios-of.js'
import type { Scenario } from '../scenario/scenario.js'

/**
 * Reads generated cases. Each sends its own requests, and a sequence ends where a result has nothing to pass
 * on.
 * @param document a document `{ scenarios: [...] }`
 * @throws ScenarioError if the document has the wrong form
 */
export function exploredScenarios(document: JsonValue): readonly Scenario[] {
  return scenariosOf(document, 'generated calls').map((scenario) => ({
    ...scenario,
    explored: true,
    steps: scenario.steps.map((step) =>
      step.kind === 'call' ? { ...step, share: false, mayEnd: true } : step,
    ),
  }))
}
