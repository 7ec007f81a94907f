import { readFileSync } from 'node:fs'
import { isObject, member } from '../../toolkit/contract/index.js'
import type { Invariants } from '../scenario/invariant.js'
import type { Fixture, Scenario } from '../scenario/scenario.js'
import { ScenarioError, type ScenarioProblem } from '../scenario/scenario-error.js'
import { buildFixture, buildScenario, stepsOf } from './build-scenario.js'
import { auditScenario } from './check/audit-scenario.js'
import { checkLinks } from './check/check-links.js'
import type { PlacedProblem } from './check/check-steps.js'
import { expandTable } from './expand-table.js'
import { type FileContent, readInvariants } from './read-invariants.js'
import { type Position, readYaml } from './read-yaml.js'
import { capturesOf, checkFile, checkVariables, type ScenarioFile } from './scenario-file.js'
import { type ScenarioPath, scenarioPaths } from './scenario-paths.js'

/** The content of a folder of scenarios. */
export interface LoadedScenarios {
  readonly scenarios: Scenario[]
  readonly fixtures: Fixture[]
  readonly invariants: Invariants
}

/** A folder of scenarios, fixtures and invariants. */
export interface ScenarioFolder {
  readonly folder: string
  /** True for the scenarios of this package, each of which must name the rule that it tests. */
  readonly builtIn: boolean
  /** Loads only the fixtures, and the invariants with their entities. */
  readonly fixturesOnly?: boolean
}

/**
 * Loads all scenarios (`group/case.yaml`), fixtures (`fixtures/name.yaml`), invariants (`invariants/name.yaml`) and
 * entities (`entities/name.yaml`) of a folder in the order of their ids. Known failures (`known/`) and lists of rules are skipped.
 *
 * @throws ScenarioError with every problem of every file
 */
export function loadScenarios(
  folder: string,
  options: Pick<ScenarioFolder, 'builtIn'>,
): Promise<LoadedScenarios> {
  return loadFolders([{ folder, ...options }])
}

/**
 * Loads several folders in order. A fixture, invariant or entity replaces that of this package with the same name.
 *
 * @throws ScenarioError with every problem of every file
 */
export async function loadFolders(folders: readonly ScenarioFolder[]): Promise<LoadedScenarios> {
  const { paths, problems } = pathsIn(folders)
  const all = [...problems]
  const files: OwnedFile[] = []
  for (const path of paths.filter(hasSteps)) {
    const read = readScenario(path, readText(path.file), path.builtIn)
    all.push(...read.problems)
    files.push(...read.files.map((file) => ({ ...file, builtIn: path.builtIn })))
  }
  const stated = readInvariants(
    paths.filter((path) => !hasSteps(path)),
    readText,
  )
  all.push(...stated.problems)
  all.push(...duplicates(files), ...checkFiles(files, paths.filter(hasSteps)))
  const faulty = new Set(all.map(({ file }) => file))
  all.push(...files.filter(({ source }) => !faulty.has(source.file)).flatMap(auditFile))
  if (all.length > 0) throw new ScenarioError(distinct(all).sort(byPlace))
  return { ...built(files), invariants: stated.invariants }
}

/** The path of a scenario or fixture. */
type StepsPath = ScenarioPath<'scenario' | 'fixture'>

const hasSteps = <Path extends ScenarioPath>(path: Path): path is Path & StepsPath =>
  path.kind === 'scenario' || path.kind === 'fixture'

type OwnedPath = ScenarioPath & Pick<ScenarioFolder, 'builtIn'>
type OwnedFile = ScenarioFile & Pick<ScenarioFolder, 'builtIn'>

function pathsIn(folders: readonly ScenarioFolder[]) {
  const found = folders.map(({ folder, builtIn, fixturesOnly }) => {
    const { paths, problems } = scenarioPaths(folder)
    const wanted = fixturesOnly === true ? paths.filter(({ kind }) => kind !== 'scenario') : paths
    return { paths: wanted.map((path): OwnedPath => ({ ...path, builtIn })), problems }
  })
  const listed = found.flatMap(({ paths }) => paths)
  const isReplaced = (path: OwnedPath) =>
    path.builtIn && path.kind !== 'scenario' && listed.some((other) => !other.builtIn && isSame(path, other))
  const paths = listed.filter((path) => !isReplaced(path))
  return { paths, problems: found.flatMap(({ problems }) => problems) }
}

function isSame(one: Pick<ScenarioPath, 'kind' | 'id'>, other: Pick<ScenarioPath, 'kind' | 'id'>): boolean {
  return one.kind === other.kind && one.id === other.id
}

/** Reports cases and fixtures with the id of an earlier one. */
function duplicates(files: readonly OwnedFile[]): readonly ScenarioProblem[] {
  const seen = new Map<string, OwnedFile>()
  return files.flatMap((file) => {
    const { kind, id, source, problemAt } = file
    const earlier = seen.get(`${kind} ${id}`)
    seen.set(`${kind} ${id}`, earlier ?? file)
    if (earlier === undefined || earlier.source.file === source.file) return []
    const message = `the ${kind} "${id}" is in ${earlier.source.file} as well; rename one`
    return [problemAt({ pointer: file.row ?? '#', part: 'name', message })]
  })
}

/** A problem of the shared part of a table occurs once for each row. */
function distinct(problems: readonly ScenarioProblem[]): ScenarioProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}

/** Returns the text of a file, or why it cannot be read. */
function readText(file: string): FileContent {
  try {
    const bytes = readFileSync(file)
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch (cause) {
    if (cause instanceof TypeError) return { problem: 'this file is not UTF-8; save it in that encoding' }
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    return { problem: `this file cannot be read (${code}); repair or remove it` }
  }
}

interface Reading {
  /** One file, or one for each row of a table. */
  readonly files: readonly ScenarioFile[]
  readonly problems: readonly ScenarioProblem[]
}

function readScenario({ kind, id, file }: StepsPath, content: FileContent, builtIn: boolean): Reading {
  const at = ({ line, column }: Position, message: string) => ({ file, line, column, message })
  const refused = (...problems: readonly ScenarioProblem[]): Reading => ({ files: [], problems })
  if ('problem' in content) return refused(at({ line: 1, column: 1 }, content.problem))
  const { value, locate, problems } = readYaml(content.text)
  if (problems.length > 0) return refused(...problems.map((problem) => at(problem, problem.message)))
  if (!isObject(value)) {
    const message = `this file contains no ${kind}; begin with "${kind}:" and one sentence`
    return refused(at({ line: 1, column: 1 }, message))
  }
  const problemAt = ({ pointer, part, message }: PlacedProblem) => at(locate(pointer, part), message)
  const other = kind === 'scenario' ? 'fixture' : 'scenario'
  if (member(value, kind) === undefined && member(value, other) !== undefined) {
    const message =
      other === 'fixture'
        ? 'a fixture belongs in fixtures/; move it there'
        : 'fixtures/ is for fixtures; move it'
    return refused(problemAt({ pointer: `#/${other}`, part: 'name', message }))
  }
  const noRule = builtIn && kind === 'scenario' && member(value, 'rule') === undefined ? [NO_RULE] : []
  if (kind === 'fixture' || member(value, 'each') === undefined) {
    const source = { file, line: locate(`#/${kind}`, 'name').line }
    const checked = checkFile({ kind, id, document: value, source, problemAt })
    return { files: [checked.file], problems: [...checked.problems, ...noRule.map(problemAt)] }
  }
  const table = expandTable(value)
  const group = id.slice(0, id.indexOf('/'))
  const cases = table.cases.map(({ name, pointer, document }) => {
    const source = { file, line: locate(pointer).line }
    return checkFile({ kind, id: `${group}/${name}`, document, source, problemAt, row: pointer })
  })
  return {
    files: cases.map((checked) => checked.file),
    problems: [
      ...[...table.problems, ...noRule].map(problemAt),
      ...cases.flatMap((checked) => checked.problems),
    ],
  }
}

const NO_RULE: PlacedProblem = {
  pointer: '#/rule',
  message: 'a scenario of this package must name the rule of the contract that it tests; add `rule`',
}

/** Checks that need all files. */
function checkFiles(files: readonly ScenarioFile[], paths: readonly StepsPath[]): readonly ScenarioProblem[] {
  // Files that could not be read also count, so that links to them are no further problem.
  const readable = new Set(files.map(({ source }) => source.file))
  const unread = paths.filter(({ file }) => !readable.has(file))
  const named = (kind: StepsPath['kind']) =>
    [...unread, ...files].filter((one) => one.kind === kind).map(({ id }) => id)
  const wellFormed = files.filter((file) => file.wellFormed)
  const captures = new Map<string, readonly string[] | undefined>(
    named('fixture').map((name) => [name, undefined]),
  )
  for (const { kind, id, document } of wellFormed)
    if (kind === 'fixture') captures.set(id, capturesOf(document))
  return [
    ...checkLinks(wellFormed, { scenarios: named('scenario'), fixtures: named('fixture') }),
    ...wellFormed.flatMap((file) => checkVariables(file, captures)),
  ]
}

function auditFile({ kind, document, problemAt }: ScenarioFile): readonly ScenarioProblem[] {
  return kind === 'fixture' ? [] : auditScenario(stepsOf(document)).map(problemAt)
}

function built(files: readonly OwnedFile[]): Omit<LoadedScenarios, 'invariants'> {
  const scenarios: Scenario[] = []
  const fixtures: Fixture[] = []
  for (const { kind, id, document, source, builtIn } of files) {
    if (kind === 'fixture') fixtures.push(buildFixture(document, { name: id, source }))
    else scenarios.push(buildScenario(document, { id, builtIn, origin: 'file', source }))
  }
  return { scenarios, fixtures }
}

function byPlace(a: ScenarioProblem, b: ScenarioProblem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
