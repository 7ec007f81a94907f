import { arrayMember, isObject, type JsonValue, stringMember } from '../../contract/index.js'
import { buildScenario } from './build-scenario.js'
import type { Scenario } from './scenario.js'

/**
 * The scenarios that were derived from the contract, of a document `{ scenarios: [...] }` in the form of scenario
 * files with an `id` each.
 * @throws ScenarioError where the document does not follow the form
 */
export function scenariosOf(document: JsonValue, file: string): Scenario[] {
  const scenarios = isObject(document) ? arrayMember(document, 'scenarios').filter(isObject) : []
  return scenarios.map((scenario) =>
    buildScenario(scenario, {
      id: stringMember(scenario, 'id') ?? '',
      builtIn: false,
      origin: 'derived',
      source: { file, line: 1 },
    }),
  )
}
