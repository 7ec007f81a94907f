import { isObject, type JsonObject, joinPointer, member } from '../../toolkit/contract/index.js'
import type { Scenario } from '../scenario/scenario.js'
import type { ScenarioProblem } from '../scenario/scenario-error.js'
import { checkForm } from './check/check-form.js'
import { checkScope, checkStep, keyFacts, type PlacedProblem, shareProblems } from './check/check-steps.js'
import { childrenOf, type StepContents, stepContents } from './check/step-contents.js'

/** A scenario or fixture file. */
export interface ScenarioFile {
  readonly kind: 'scenario' | 'fixture'
  /** The case's id, or the fixture's name. */
  readonly id: string
  readonly document: JsonObject
  readonly source: Scenario['source']
  /** Creates a problem at a place in the document. */
  readonly problemAt: (problem: PlacedProblem) => ScenarioProblem
  /** JSON pointer of the row in its table, in fragment form. */
  readonly row?: string
  /** True if the document conforms to the schema. */
  readonly wellFormed: boolean
}

/** Checks the form of a document, its paths, patterns and variables. */
export function checkFile(source: Omit<ScenarioFile, 'wellFormed'>): {
  readonly file: ScenarioFile
  readonly problems: readonly ScenarioProblem[]
} {
  const { kind, document, problemAt } = source
  const form = checkForm(document, kind)
  const content = stepsOf(document).flatMap(({ pointer, step, contents }) => [
    ...checkStep(contents),
    ...shareProblems(step, pointer),
  ])
  return {
    file: { ...source, wellFormed: form.length === 0 },
    problems: [...form, ...content].map(problemAt),
  }
}

/** Facts about a target that `needs` can name, in addition to fixtures. */
export const targetFacts: readonly string[] = [
  'key',
  'second-key',
  'revoked-key',
  'funded-key',
  'token',
  'patience',
]

/** Returns the facts that the document itself introduces: keys of any name that its steps use. */
export function keysNeeded({ document }: Pick<ScenarioFile, 'document'>): readonly string[] {
  return stepsOf(document).flatMap(({ pointer, step }) => keyFacts(step, pointer).map(({ value }) => value))
}

/**
 * Reports variables that no earlier step or fixture provides, and keys that are missing in `needs`.
 * @param fixtures captures of each fixture; undefined for one that could not be read
 */
export function checkVariables(
  { document, problemAt }: ScenarioFile,
  fixtures: ReadonlyMap<string, readonly string[] | undefined>,
): readonly ScenarioProblem[] {
  const needs = listOf(document, 'needs')
  const steps = stepsOf(document)
  const keys = steps
    .flatMap(({ pointer, step }) => keyFacts(step, pointer))
    .filter(({ value: fact }) => !needs.includes(fact))
    .map(({ pointer, value: fact }) => ({
      pointer,
      message: `this key is not always given; add ${fact} to \`needs\``,
    }))
  if (needs.some((name) => fixtures.has(name) && fixtures.get(name) === undefined)) return keys.map(problemAt)
  const scope = new Set(needs.flatMap((name) => fixtures.get(name) ?? []))
  if (needs.includes('funded-key')) scope.add('fundedKey')
  if (needs.includes('token')) scope.add('token')
  const captured = new Set(steps.flatMap(({ contents }) => contents.captured))
  const unknown = steps.flatMap(({ contents }) => {
    const problems = checkScope(contents, scope, captured)
    for (const name of contents.captured) scope.add(name)
    return problems
  })
  return [...keys, ...unknown].map(problemAt)
}

/** Returns the names of the variables that a fixture captures and exports. */
export function capturesOf(document: JsonObject): readonly string[] {
  return stepsOf(document, ['steps']).flatMap(({ contents }) => contents.captured.filter(isGiven))
}

/** Returns a member that is a string or a list of strings as a list. */
export function listOf(document: JsonObject, name: string): readonly string[] {
  const value = member(document, name)
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

/** Returns the steps in the order of their scope. Those of `still` follow those of `steps`. */
function stepsOf(document: JsonObject, lists: readonly string[] = ['steps', 'still']) {
  const steps = lists.flatMap((name) =>
    childrenOf({ pointer: joinPointer('#', name), value: member(document, name) ?? null }),
  )
  return steps.flatMap(({ pointer, value }) => {
    if (!isObject(value)) return []
    const contents: StepContents = stepContents(value, pointer)
    return [{ pointer, step: value, contents }]
  })
}

/**
 * Returns true if a fixture exports a variable to cases, profiles and reports. Names that begin with _ are
 * private.
 */
export function isGiven(name: string): boolean {
  return !name.startsWith('_')
}
