import {
  arrayMember,
  isObject,
  type JsonObject,
  type JsonValue,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { CallStep, Scenario, Step } from '../scenario/scenario.js'
import { buildScenario } from './build-scenario.js'
import { scenariosOf } from './scenarios-of.js'

/**
 * Reads generated cases. Each sends its own requests, and a sequence ends where a result has nothing to pass
 * on.
 * @param document a document `{ scenarios: [...], not-run: [...] }`; the latter have reasons instead of steps
 * @throws ScenarioError if the document has the wrong form
 */
export function exploredScenarios(document: JsonValue): readonly Scenario[] {
  const made = scenariosOf(document, 'generated calls').map(
    (scenario): Scenario => ({
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
    }),
  )
  const notMade = isObject(document) ? arrayMember(document, 'not-run').filter(isObject).map(notRun) : []
  return [...made, ...notMade]
}

function notRun(entry: JsonObject): Scenario {
  const place = { builtIn: false, origin: 'derived', source: { file: 'generated calls', line: 1 } } as const
  const id = stringMember(entry, 'id') ?? ''
  return {
    ...buildScenario({ scenario: stringMember(entry, 'scenario') ?? '' }, { id, ...place }),
    notRun: stringMember(entry, 'reason') ?? '',
  }
}

/** True if a later call has a captured value as a parameter. */
function isPassedOn({ capture }: CallStep, later: readonly Step[]): boolean {
  const params = JSON.stringify(
    later.flatMap((step) => (step.kind === 'call' ? [step.call.params ?? []] : [])),
  )
  return Object.keys(capture).some((name) => params.includes(`\${${name}`))
}
