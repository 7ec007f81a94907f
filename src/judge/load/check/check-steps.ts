import {
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
} from '../../../toolkit/contract/index.js'
import { jsonPathProblem } from '../../scenario/capture.js'
import { parseTemplate } from '../../scenario/parse-template.js'
import { childrenOf, type Placed, type StepContents, stepsWithin } from './step-contents.js'

/** A problem at a place in a file. */
export interface PlacedProblem {
  /** JSON pointer in fragment form. */
  readonly pointer: string
  readonly part?: 'name' | 'value'
  readonly message: string
}

/**
 * Checks the parts of a step that do not depend on scope: JSONPaths, patterns, ids, the form of variables.
 */
export function checkStep(contents: StepContents): readonly PlacedProblem[] {
  return [
    ...contents.jsonPaths.flatMap(({ pointer, value }) => found(pointer, jsonPathProblem(value))),
    ...contents.headerPatterns.flatMap(({ pointer, value }) => found(pointer, headerPatternProblem(value))),
    ...contents.requestIds.flatMap(({ pointer, value }) => found(pointer, idProblem({ pointer, value }))),
    ...[...contents.expectations, ...contents.tolerances].flatMap(patternProblems),
    ...variableUses(contents).flatMap((use) => ('message' in use ? [use] : [])),
  ]
}

/** Reports variables that a step uses and no earlier step provides. */
export function checkScope(
  contents: StepContents,
  scope: ReadonlySet<string>,
  captured: ReadonlySet<string>,
): readonly PlacedProblem[] {
  return variableUses(contents).flatMap((use) => {
    if ('message' in use || scope.has(use.variable) || /^(network|limit|run)\../.test(use.variable)) return []
    const { variable, ...place } = use
    return [{ ...place, message: scopeMessage(variable, scope, captured) }]
  })
}

type VariableUse = PlacedProblem | (Omit<PlacedProblem, 'message'> & { readonly variable: string })

function variableUses({ templates }: StepContents): readonly VariableUse[] {
  return templates.flatMap(usesWithin)
}

/** Returns the variables in all strings of a value, including member names. */
function usesWithin(place: Placed): readonly VariableUse[] {
  const { pointer, value } = place
  const names = isObject(value)
    ? Object.keys(value).flatMap((name) => usesOf(name, joinPointer(pointer, name), 'name'))
    : []
  const own = typeof value === 'string' ? usesOf(value, pointer) : []
  return [...own, ...names, ...childrenOf(place).flatMap(usesWithin)]
}

function usesOf(text: string, pointer: string, part: 'name' | 'value' = 'value'): readonly VariableUse[] {
  const parts = parseTemplate(text)
  if (typeof parts === 'string') return [{ pointer, part, message: parts }]
  return parts.flatMap((one) => ('variable' in one ? [{ pointer, part, variable: one.variable }] : []))
}

function scopeMessage(name: string, scope: ReadonlySet<string>, captured: ReadonlySet<string>): string {
  if (name === 'fundedKey') return '"fundedKey" is only known if `needs` contains funded-key; add it there'
  if (captured.has(name)) return `"${name}" is captured in this step or later; capture it in an earlier one`
  const known = [...scope]
  const hint = known.length === 0 ? 'nothing is captured before' : `known here are ${known.join(', ')}`
  return `no variable "${name}" is known here: ${hint}; capture it in an earlier step, or add its fixture to \`needs\``
}

function headerPatternProblem(pattern: string): string | undefined {
  const problem = patternProblem(pattern)
  if (problem !== undefined) return problem
  const groups = new RegExp(`${pattern}|`, 'u').exec('')?.length ?? 0
  return groups > 1 ? undefined : `"${pattern}" has no group; put the captured part in parentheses`
}

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (cause) {
    const reason =
      cause instanceof Error ? cause.message.replace(/^Invalid regular expression: /, '') : String(cause)
    return `not a regular expression: ${reason}; escape literal characters`
  }
}

/** Patterns with variables are unknown before the case runs. */
function patternProblems(place: Placed): readonly PlacedProblem[] {
  return childrenOf(place).flatMap((child) => {
    if (child.pointer.endsWith('/$is')) return []
    const isPattern = child.pointer.endsWith('/$pattern') && typeof child.value === 'string'
    if (isPattern && !usesOf(String(child.value), child.pointer).some((use) => 'variable' in use)) {
      return found(child.pointer, patternProblem(String(child.value)))
    }
    return patternProblems(child)
  })
}

/** An id with variables is unknown before the case runs. */
function idProblem({ pointer, value }: Placed<string>): string | undefined {
  if (usesOf(value, pointer).length > 0) return undefined
  try {
    JSON.parse(value)
    return undefined
  } catch {
    const text = JSON.stringify(value)
    return `${text} is not JSON text; write '7' for the number, '"a"' for a string, or send it with raw`
  }
}

function found(pointer: string, message: string | undefined): readonly PlacedProblem[] {
  return message === undefined ? [] : [{ pointer, message }]
}

/**
 * Reports members of a step that need a response of its own and therefore cannot be combined with `share`.
 */
export function shareProblems(step: JsonObject, pointer: string): readonly PlacedProblem[] {
  const within = stepsWithin(step, pointer).filter(({ value }) => member(value, 'share') === true)
  const message = 'an answer of another case cannot be shared here; remove `share`'
  if (within.length > 0)
    return within.map((place) => ({ pointer: joinPointer(place.pointer, 'share'), message }))
  if (member(step, 'share') !== true) return []
  const expected = member(step, 'expect')
  const own = [
    ...Object.keys(step).filter((name) => OF_ONE_ANSWER.includes(name)),
    ...Object.keys(isObject(expected) ? expected : {}).filter((name) =>
      EXPECTED_OF_ONE_ANSWER.includes(name),
    ),
  ][0]
  if (own === undefined) return []
  return [{ pointer: joinPointer(pointer, 'share'), message: `${message}, or \`${own}\`` }]
}

/** Members of a step that need a request of their own, so that its answer is not shared. */
const OF_ONE_ANSWER: readonly string[] = [
  'id',
  'headers',
  'verb',
  'path',
  'key',
  'capture-header',
  'repeat-until',
]

/** Members of an expectation that need a request of their own. Only answers with HTTP 200 are shared. */
const EXPECTED_OF_ONE_ANSWER: readonly string[] = ['id', 'status', 'within']

/** Returns the facts that a step's keys require, with their places: `second-key` for `key: second`. */
export function keyFacts(step: JsonObject, pointer: string): readonly Placed<string>[] {
  return [{ pointer, value: step }, ...stepsWithin(step, pointer)].flatMap((place) => {
    const fact = keyFact(member(place.value, 'key'))
    return fact === undefined ? [] : [{ pointer: joinPointer(place.pointer, 'key'), value: fact }]
  })
}

/** Returns the fact that a key requires. */
function keyFact(key: JsonValue | undefined): string | undefined {
  return typeof key === 'string' && key !== 'other-case' ? `${key}-key` : undefined
}
