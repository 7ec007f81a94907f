import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** A configuration file as it was read. */
export interface SettingsText {
  /** What problems call the file. */
  readonly name: string
  /** YAML, of which JSON is a part. */
  readonly text: string
}

/** A value of the file. */
export interface FileValue {
  /** Names and positions that lead to it, such as `nodes`, `test`, 0, `url`. */
  readonly path: readonly (string | number)[]
  /** The path as people write it: `nodes.test[0].url`. */
  readonly setting: string
  readonly text: string
  /** File, line and column. */
  readonly place: string
  /** True when a part of it comes from the environment: a problem does not repeat it. */
  readonly isFromEnvironment: boolean
  /** True when that part is missing, which is a problem already. */
  readonly isIncomplete: boolean
}

/** What a file sets, by the names of settings, and what is wrong with its form. */
export interface FileValues {
  readonly values: ReadonlyMap<string, FileValue>
  /** Names of the environment's variables that it takes. */
  readonly variables: ReadonlySet<string>
  readonly problems: readonly string[]
}

type Path = FileValue['path']

/** `${NAME}`: the text of an environment's variable. */
const variable = /\$\{(\w+)\}/g

/** No setting lies deeper than `nodes.test[0].headers.name`; an alias could lead back to where it stands. */
const deepest = 5

const shown = (path: Path) =>
  path.map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`)).join('')

/**
 * Reads the values of a configuration file: scalars by the names and positions that lead to them; null is an unset one.
 * @param env where `${NAME}` is looked up
 */
export function readFileValues(
  { name, text }: SettingsText,
  env: Readonly<Record<string, string | undefined>>,
): FileValues {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const values = new Map<string, FileValue>()
  const variables = new Set<string>()
  const problems: string[] = []
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${name}:${line}:${col}`
  }
  const placeOf = (node: Node) => place(node.range?.[0] ?? 0)

  function addScalar(node: Node, value: unknown, path: Path): void {
    const setting = shown(path)
    const written = String(value)
    let isIncomplete = false
    const filled = written.replace(variable, (_, variableName: string) => {
      variables.add(variableName)
      const found = env[variableName]
      if (found) return found
      isIncomplete = true
      problems.push(
        `${placeOf(node)} ${setting} takes ${variableName} from the environment, where it is not set`,
      )
      return ''
    })
    const isFromEnvironment = filled !== written
    values.set(setting, {
      path,
      setting,
      text: filled,
      place: placeOf(node),
      isFromEnvironment,
      isIncomplete,
    })
  }

  function visit(node: unknown, path: Path): void {
    if (path.length > deepest) problems.push(`${name}: ${shown(path)} is nested too deeply`)
    else if (isAlias(node)) visit(node.resolve(document), path)
    else if (isMap(node)) {
      for (const { key, value } of node.items)
        visit(value, [...path, String(isScalar(key) ? key.value : key)])
    } else if (isSeq(node)) {
      if (node.items.length === 0 && path[0] === 'nodes')
        problems.push(`${placeOf(node)} ${shown(path)} must list a node, or be the word embedded`)
      for (const [at, item] of node.items.entries()) visit(item, [...path, at])
    } else if (isScalar(node) && node.value !== null) addScalar(node, node.value, path)
  }

  for (const { message, pos } of document.errors) problems.push(`${place(pos[0])} ${message}`)
  const { contents } = document
  if (problems.length > 0) return { values, variables, problems }
  if (isMap(contents)) visit(contents, [])
  else if (contents !== null && !(isScalar(contents) && contents.value === null))
    problems.push(`${placeOf(contents)} must be a mapping of settings`)
  return { values, variables, problems }
}
