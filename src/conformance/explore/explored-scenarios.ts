import type { JsonValue } from '../../contract/index.js'
import { scenariosOf } from '../scenario/load/scenarios-of.js'
import type { CallStep, Scenario, Step } from '../scenario/scenario.js'

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
    steps: scenario.steps.map((step, at) =>
      step.kind === 'call'
        ? {
            ...step,
            share: false,
            mayEnd: isPassedOn(step, scenario.steps.slice(at + 1)) ? 'null' : 'missing',
          }
        : step,
    ),
  }))
}

/** True if a later call has a captured value as a parameter. */
function isPassedOn({ capture }: CallStep, later: readonly Step[]): boolean {
  const params = JSON.stringify(
    later.flatMap((step) => (step.kind === 'call' ? [step.call.params ?? []] : [])),
  )
  return Object.keys(capture).some((name) => params.includes(`\${${name}`))
}
