import { type Dirent, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'
import { targetFacts } from './scenario-file.js'

/** A file of the folder that holds a scenario or a fixture, by its path. */
export interface ScenarioPath {
  readonly kind: 'scenario' | 'fixture'
  /** `group/case`, or the fixture's name. */
  readonly id: string
  readonly file: string
}

const KEBAB_CASE = /^[a-z0-9]+(-[a-z0-9]+)*$/
const FIXTURES = 'fixtures'
/** Known failures, which are no scenarios. */
const KNOWN = 'known'
/** Lists of rules, beside the groups: which have no case, and which no fault can break. */
const LISTS = ['rules-without-case.yaml', 'rules-without-fault.yaml']
/** Ids of cases that were made from the contract begin so. */
const DERIVED = 'derived'

/**
 * The scenario and fixture files below a folder in the order of their ids, and what is wrong with where files lie.
 * @throws ScenarioError where there is no such folder, or no scenario in it
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
    throw missing(folder, 'this folder holds no scenarios; they are files such as group/case.yaml in it')
  }
  const paths: ScenarioPath[] = []
  const problems: ScenarioProblem[] = []
  for (const parts of names) {
    const file = join(folder, ...parts)
    const id = parts.join('/').replace(/\.ya?ml$/i, '')
    const message = placeProblem(parts, id)
    if (message !== undefined) problems.push({ file, line: 1, column: 1, message })
    const isFixture = parts[0] === FIXTURES
    paths.push({
      kind: isFixture ? 'fixture' : 'scenario',
      id: isFixture ? id.slice(FIXTURES.length + 1) : id,
      file,
    })
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
    throw missing(folder, `${why}; name the folder that holds the scenarios`, { cause })
  }
}

function missing(folder: string, message: string, options?: ErrorOptions): ScenarioError {
  return new ScenarioError([{ file: folder, line: 1, column: 1, message }], options)
}

function placeProblem(parts: readonly string[], id: string): string | undefined {
  const [group = '', name = ''] = id.split('/')
  if (parts.length !== 2) return 'a scenario lies in the folder of its group: group/case.yaml; move it there'
  if (!parts[1]?.endsWith('.yaml')) return 'scenario files end in .yaml; rename it'
  if (![group, name].every((part) => KEBAB_CASE.test(part))) {
    return `"${id}" is to be the id: name folder and file in lower case with hyphens, such as logs/empty-range.yaml`
  }
  if (group === DERIVED)
    return `"${DERIVED}" is the group of cases made from the contract; name the folder otherwise`
  if (group === FIXTURES && targetFacts.includes(name)) {
    return `"${name}" is a fact of the target that \`needs\` names; give the fixture another name`
  }
  return undefined
}
