import { type Dirent, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ScenarioError, type ScenarioProblem } from '../scenario/scenario-error.js'
import { targetFacts } from './scenario-file.js'

/** The kinds of files in a folder of scenarios. */
export type FileKind = 'scenario' | 'fixture' | 'invariant' | 'entity'

/** The path of a file in a folder of scenarios. */
export interface ScenarioPath<Kind extends FileKind = FileKind> {
  readonly kind: Kind
  /** `group/case`, the name of a fixture or entity, or `invariants/name`. */
  readonly id: string
  readonly file: string
}

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/
const FIXTURES = 'fixtures'
/** Folders of files that are no scenarios, with their kind. */
const KINDS: Readonly<Record<string, Exclude<FileKind, 'scenario'>>> = {
  [FIXTURES]: 'fixture',
  invariants: 'invariant',
  entities: 'entity',
}
/** Folder of known failures, which contains no scenarios. */
const KNOWN = 'known'
/** Lists of rules without a case and of rules that no fault can break. */
const LISTS = ['rules-without-case.yaml', 'rules-without-fault.yaml']
/** Prefix of the ids of derived cases. */
const DERIVED = 'derived'

/**
 * Lists the scenario and fixture files of a folder in the order of their ids, with problems of their
 * locations.
 * @throws ScenarioError if the folder does not exist or has no scenario
 */
export function scenarioPaths(folder: string): {
  readonly paths: readonly ScenarioPath[]
  readonly problems: readonly ScenarioProblem[]
} {
  const names = listFiles(folder)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep))
    .filter((parts) => parts.length > 1 || !LISTS.includes(parts[0] ?? ''))
    .filter((parts) => parts[0] !== KNOWN && !parts.some((part) => part.startsWith('.')))
    .filter((parts) => /\.ya?ml$/i.test(parts.at(-1) ?? ''))
    .sort((a, b) => (a.join('/') < b.join('/') ? -1 : 1))
  if (names.length === 0) {
    throw missing(folder, 'this folder has no scenarios; add files such as group/case.yaml')
  }
  const paths: ScenarioPath[] = []
  const problems: ScenarioProblem[] = []
  for (const parts of names) {
    const file = join(folder, ...parts)
    const id = parts.join('/').replace(/\.ya?ml$/i, '')
    const message = placeProblem(parts, id)
    if (message !== undefined) problems.push({ file, line: 1, column: 1, message })
    const kind = KINDS[parts[0] ?? ''] ?? 'scenario'
    const isNamed = kind === 'fixture' || kind === 'entity'
    paths.push({ kind, id: isNamed ? id.slice(id.indexOf('/') + 1) : id, file })
  }
  return { paths, problems }
}

function listFiles(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => !entry.isDirectory(),
    )
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    const why = code === 'ENOENT' ? 'there is no such folder' : `this folder cannot be read (${code})`
    throw missing(folder, `${why}; give the folder of the scenarios`, { cause })
  }
}

function missing(folder: string, message: string, options?: ErrorOptions): ScenarioError {
  return new ScenarioError([{ file: folder, line: 1, column: 1, message }], options)
}

function placeProblem(parts: readonly string[], id: string): string | undefined {
  const [group = '', name = ''] = id.split('/')
  if (parts.length !== 2)
    return 'a scenario belongs in the folder of its group: group/case.yaml; move it there'
  if (!parts[1]?.endsWith('.yaml')) return 'scenario files end in .yaml; rename it'
  if (![group, name].every((part) => KEBAB_CASE.test(part))) {
    return `"${id}" is not a valid id: name folder and file in lower case with hyphens, such as logs/empty-range.yaml`
  }
  if (group === DERIVED)
    return `"${DERIVED}" is the group of cases derived from the contract; rename the folder`
  if (group === FIXTURES && targetFacts.includes(name)) {
    return `"${name}" is a fact of the target that \`needs\` names; give the fixture another name`
  }
  return undefined
}
