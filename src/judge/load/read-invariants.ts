import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
  objectMember,
  stringMember,
} from '../../toolkit/contract/index.js'
import { jsonPathProblem } from '../scenario/capture.js'
import type {
  Entity,
  EntityPlace,
  Invariant,
  InvariantForm,
  Invariants,
  Settled,
} from '../scenario/invariant.js'
import { nearestName } from '../scenario/nearest-name.js'
import { parseTemplate } from '../scenario/parse-template.js'
import type { Condition } from '../scenario/scenario.js'
import type { ScenarioProblem } from '../scenario/scenario-error.js'
import { buildStep } from './build-step.js'
import { checkForm } from './check/check-form.js'
import { type Position, readYaml } from './read-yaml.js'
import { listOf } from './scenario-file.js'
import type { ScenarioPath } from './scenario-paths.js'

/** The text of a file, or why it cannot be read. */
export type FileContent = { readonly text: string } | { readonly problem: string }

interface StatedFile {
  readonly path: ScenarioPath
  readonly document: JsonObject
  readonly source: Invariant['source']
  readonly problemAt: (pointer: string, message: string) => ScenarioProblem
}

/** Reads invariants and entities, with every problem of every file. */
export function readInvariants(
  paths: readonly ScenarioPath[],
  readText: (file: string) => FileContent,
): { readonly invariants: Invariants; readonly problems: readonly ScenarioProblem[] } {
  const problems: ScenarioProblem[] = []
  const files: StatedFile[] = []
  for (const path of paths) {
    const read = readFile(path, readText(path.file))
    if ('document' in read) files.push(read)
    else problems.push(...read.problems)
  }
  const names = paths.filter(({ kind }) => kind === 'entity').map(({ id }) => id)
  problems.push(...files.flatMap((file) => contentProblems(file, names)))
  return {
    problems,
    invariants: {
      invariants: files.filter(({ path }) => path.kind === 'invariant').map(invariantOf),
      entities: files.filter(({ path }) => path.kind === 'entity').map(entityOf),
    },
  }
}

function readFile(
  path: ScenarioPath,
  content: FileContent,
): StatedFile | { readonly problems: readonly ScenarioProblem[] } {
  const { kind, file } = path
  const at = ({ line, column }: Position, message: string) => ({ file, line, column, message })
  const start = { line: 1, column: 1 }
  if ('problem' in content) return { problems: [at(start, content.problem)] }
  const { value, locate, problems } = readYaml(content.text)
  if (problems.length > 0) return { problems: problems.map((problem) => at(problem, problem.message)) }
  if (!isObject(value) || member(value, kind) === undefined) {
    const message = `this file contains no ${kind}; begin with "${kind}:" and one sentence`
    return { problems: [at(start, message)] }
  }
  const form = checkForm(value, kind)
  if (form.length > 0) {
    return { problems: form.map(({ pointer, part, message }) => at(locate(pointer, part), message)) }
  }
  return {
    path,
    document: value,
    source: { file, line: locate(`#/${kind}`, 'name').line },
    problemAt: (pointer, message) => at(locate(pointer), message),
  }
}

/** Checks patterns, JSONPaths, names of entities and the form and scope of variables. */
function contentProblems(
  { path, document, problemAt }: StatedFile,
  entities: readonly string[],
): readonly ScenarioProblem[] {
  const problems: ScenarioProblem[] = []
  const add = (pointer: string, message: string | undefined) => {
    if (message !== undefined) problems.push(problemAt(pointer, message))
  }
  const of = stringMember(document, 'of')
  const others = Object.entries(objectMember(document, 'with'))
  const computations = arrayMember(document, 'compute').filter(isObject)
  const known = new Set([
    ...(of === undefined ? [] : [of]),
    ...others.map(([name]) => name),
    ...computations.flatMap((step) => Object.keys(objectMember(step, 'capture'))),
  ])
  for (const name of ['pattern', 'by', 'reset']) {
    const pattern = stringMember(objectMember(document, 'header'), name)
    if (pattern !== undefined) add(`#/header/${name}`, groupProblem(pattern))
  }
  const text = stringMember(objectMember(document, 'no-text'), 'pattern')
  if (text !== undefined) add('#/no-text/pattern', patternProblem(text))
  for (const [at, place] of arrayMember(document, 'from').entries()) {
    const found = isObject(place) ? stringMember(place, 'at') : undefined
    if (found !== undefined) add(`#/from/${at}/at`, jsonPathProblem(found))
  }
  for (const [at, step] of computations.entries()) {
    for (const [name, found] of Object.entries(objectMember(step, 'capture'))) {
      if (typeof found === 'string') add(`#/compute/${at}/capture/${name}`, jsonPathProblem(found))
    }
  }
  if (of !== undefined) add('#/of', entityProblem(of, entities))
  for (const [name, other] of others) {
    const entity = isObject(other) ? (stringMember(other, 'entity') ?? '') : ''
    add(`#/with/${name}/entity`, entityProblem(entity, entities))
  }
  if (path.kind === 'invariant' && of !== undefined) {
    const states = ['same', 'expect', 'ordered'].filter((name) => member(document, name) !== undefined)
    if (states.length !== 1)
      add('#/of', 'an invariant of an entity has one of `same`, `ordered` and `expect`')
    for (const name of ['with', 'if', 'compute', 'expect', 'ordered', 'settled']) {
      const value = member(document, name)
      if (value === undefined) continue
      const pointer = joinPointer('#', name)
      if (['with', 'if', 'compute'].includes(name) && states[0] !== 'expect')
        add(pointer, `\`${name}\` has no effect without \`expect\`; remove it`)
      for (const variable of variablesIn(value, (message) => add(pointer, message))) {
        const [root = ''] = variable.split('.')
        if (known.has(root) || root === 'limit' || root === 'network') continue
        add(pointer, `no variable "${variable}" is known here; known are ${[...known].join(', ')}`)
      }
    }
  }
  return problems
}

function patternProblem(pattern: string): string | undefined {
  const problem = groupProblem(`(${pattern})`)
  if (problem !== undefined) return problem
  return new RegExp(pattern, 'u').test('') ? 'it matches an empty text' : undefined
}

function groupProblem(pattern: string): string | undefined {
  try {
    const groups = new RegExp(`${pattern}|`, 'u').exec('')?.length ?? 0
    return groups > 1 ? undefined : `"${pattern}" has no group; put the value in parentheses`
  } catch (cause) {
    return `not a regular expression: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

function entityProblem(name: string, entities: readonly string[]): string | undefined {
  if (entities.includes(name)) return undefined
  const nearest = nearestName(name, entities)
  const hint = nearest === undefined ? `add the file entities/${name}.yaml` : `did you mean "${nearest}"?`
  return `"${name}" is not an entity; ${hint}`
}

/** Returns the variables in all strings of a value. */
function variablesIn(value: JsonValue, refuse: (message: string) => void): readonly string[] {
  if (isArray(value)) return value.flatMap((item) => variablesIn(item, refuse))
  if (isObject(value)) return Object.values(value).flatMap((item) => variablesIn(item ?? null, refuse))
  if (typeof value !== 'string') return []
  const parts = parseTemplate(value)
  if (typeof parts !== 'string') return parts.flatMap((part) => ('variable' in part ? [part.variable] : []))
  refuse(parts)
  return []
}

function invariantOf({ path, document, source }: StatedFile): Invariant {
  return {
    id: path.id,
    invariant: stringMember(document, 'invariant') ?? '',
    rules: listOf(document, 'rule'),
    form: formOf(document),
    source,
  }
}

function formOf(document: JsonObject): InvariantForm {
  const header = member(document, 'header')
  if (isObject(header)) {
    const number = {
      header: (stringMember(header, 'name') ?? '').toLowerCase(),
      pattern: stringMember(header, 'pattern') ?? '',
      by: stringMember(header, 'by'),
    }
    const is = stringMember(header, 'is')
    if (is === 'falls') return { kind: 'falls', ...number, resets: stringMember(header, 'reset') }
    if (is === 'steady') return { kind: 'steady', ...number }
    const window = member(header, 'window')
    return { kind: 'resets', ...number, window: typeof window === 'number' ? window : String(window) }
  }
  const text = member(document, 'no-text')
  if (isObject(text)) {
    const except = new Set(listOf(text, 'except'))
    return { kind: 'no-text', pattern: stringMember(text, 'pattern') ?? '', except }
  }
  const entity = stringMember(document, 'of') ?? ''
  const same = member(document, 'same')
  if (same !== undefined) {
    const except = isObject(same) ? listOf(same, 'except') : []
    const members = isArray(same) ? listOf(document, 'same') : undefined
    return { kind: 'same', entity, members, except: new Set(except) }
  }
  const stated = objectMember(document, 'settled')
  const settled: Settled | undefined =
    stringMember(stated, 'value') === undefined
      ? undefined
      : { value: stringMember(stated, 'value') ?? '', distance: Number(member(stated, 'distance')) }
  const ordered = member(document, 'ordered')
  if (isObject(ordered)) {
    const [by = '', value = ''] = [stringMember(ordered, 'by'), stringMember(ordered, 'value')]
    return { kind: 'ordered', entity, by, value, settled }
  }
  return {
    kind: 'relation',
    entity,
    others: Object.entries(objectMember(document, 'with')).flatMap(([variable, other]) =>
      isObject(other)
        ? [{ variable, entity: stringMember(other, 'entity') ?? '', key: stringMember(other, 'key') ?? '' }]
        : [],
    ),
    conditions: conditionsOf(document, 'if'),
    computations: arrayMember(document, 'compute')
      .filter(isObject)
      .map(buildStep)
      .filter((step) => step.kind === 'compute'),
    expectations: conditionsOf(document, 'expect'),
    settled,
  }
}

function conditionsOf(document: JsonObject, name: 'if' | 'expect'): readonly Condition[] {
  return arrayMember(document, name)
    .filter(isObject)
    .map((condition) => ({ value: member(condition, 'value') ?? null, is: member(condition, 'is') ?? null }))
}

function entityOf({ path, document, source }: StatedFile): Entity {
  return {
    name: path.id,
    entity: stringMember(document, 'entity') ?? '',
    key: stringMember(document, 'key') ?? '',
    places: arrayMember(document, 'from').filter(isObject).map(placeOf),
    source,
  }
}

function placeOf(place: JsonObject): EntityPlace {
  return { methods: listOf(place, 'call'), at: stringMember(place, 'at'), is: member(place, 'is') }
}
