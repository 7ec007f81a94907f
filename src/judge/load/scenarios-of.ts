import {
  arrayMember,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { Scenario } from '../scenario/scenario.js'
import { ScenarioError, type ScenarioProblem } from '../scenario/scenario-error.js'
import { buildScenario } from './build-scenario.js'
import { checkLinks } from './check/check-links.js'
import type { PlacedProblem } from './check/check-steps.js'
import { checkFile, checkVariables } from './scenario-file.js'

/**
 * Reads derived scenarios from a document `{ scenarios: [...] }`, in the form of scenario files with an `id`
 * each. They can consist of automatic checks only.
 *
 * @param file source of the document, for messages
 * @throws ScenarioError if the document has the wrong form
 */
export function scenariosOf(document: JsonValue, file: string): Scenario[] {
  const at = (pointer: string, message: string) => ({
    file,
    line: 1,
    column: 1,
    message: `${pointer}: ${message}`,
  })
  if (!isObject(document) || !Array.isArray(member(document, 'scenarios'))) {
    throw new ScenarioError([at('#', 'the list "scenarios" is missing; run `concordat generate` again')])
  }
  const read = arrayMember(document, 'scenarios').map((item, index) =>
    readDerived(item, joinPointer('#/scenarios', index), at),
  )
  const files = read.flatMap((reading) => reading.file ?? [])
  const ids = files.map(({ id }) => id)
  const wellFormed = files.filter((one) => one.wellFormed)
  const problems = [
    ...read.flatMap((reading) => reading.problems),
    ...files
      .filter(({ id }, index) => ids.indexOf(id) !== index)
      .map(({ id, problemAt }) => problemAt({ pointer: '#/id', message: `the id "${id}" is not unique` })),
    ...checkLinks(wellFormed, { scenarios: ids, fixtures: [] }),
    ...wellFormed.flatMap((one) => checkVariables(one, new Map())),
  ]
  if (problems.length > 0) throw new ScenarioError(problems)
  return files.map(({ id, document, source }) =>
    sharing(buildScenario(document, { id, builtIn: false, origin: 'derived', source })),
  )
}

/** Derived read cases get the same responses as any case with the same request, so they share them. Own ids are sent. */
function sharing(scenario: Scenario): Scenario {
  if (scenario.effect !== 'read') return scenario
  const steps = scenario.steps.map((step) =>
    step.kind === 'call' && step.call.id === undefined ? { ...step, share: true } : step,
  )
  return { ...scenario, steps }
}

function readDerived(
  item: JsonValue,
  place: string,
  at: (pointer: string, message: string) => ScenarioProblem,
): Partial<ReturnType<typeof checkFile>> & { readonly problems: readonly ScenarioProblem[] } {
  const id = isObject(item) ? stringMember(item, 'id') : undefined
  if (!isObject(item) || id === undefined || !/^[^/]+\/./.test(id)) {
    return { problems: [at(place, 'a derived case is an object with an id such as "derived/method/case"')] }
  }
  if (member(item, 'each') !== undefined) {
    return {
      problems: [at(`${place}/each`, 'a derived case is no table; list each case with its own id')],
    }
  }
  const document: JsonObject = { ...item }
  const { id: _, ...scenario } = document
  const problemAt = ({ pointer, message }: PlacedProblem) => at(`${place}${pointer.slice(1)}`, message)
  const source = { file: at(place, '').file, line: 1 }
  return checkFile({ kind: 'scenario', id, document: scenario, source, problemAt })
}
