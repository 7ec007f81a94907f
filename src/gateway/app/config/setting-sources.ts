import { problemAt, schemaProblems, unknownVariable } from './setting-problems.js'
import { allSettings, fromTexts, isTree, type Tree } from './setting-tree.js'
import { readSettingsFile, type SettingsText } from './settings-file.js'
import { settingsSchema } from './settings-schema.js'

/** Variables of other commands, which are accepted here. */
const otherCommands = ['CONCORDAT_CONFORM_FUNDED_KEY']

/** OpenTelemetry's own: the endpoint of traces lies below it. */
const traceBase = 'OTEL_EXPORTER_OTLP_ENDPOINT'

/** An option of the command line that wins over everything. */
export interface OptionText {
  /** The option as typed. */
  readonly flag: string
  /** JSON pointer of its setting. */
  readonly pointer: string
  readonly text: string | undefined
}

/** Settings as they are written, with defaults; they are valid where there is no problem. */
export interface ReadSettings {
  readonly settings: unknown
  readonly problems: readonly string[]
  /** Makes a problem of a setting, with its name and its place in the file. */
  problemAt(pointer: string, reason: string): readonly string[]
}

/** Reads the file, the environment and options, the last that has a setting winning, and validates what they set. */
export function readSources(
  env: Readonly<Record<string, string | undefined>>,
  file: SettingsText | undefined,
  options: readonly OptionText[],
): ReadSettings {
  const read = readSettingsFile(file ?? { name: '', text: '' }, env)
  const origins = new Map(read.origins)
  const tree: unknown = read.value ?? {}
  const set = (pointer: string, text: string, variable: string) => {
    if (!setAt(tree, pointer, text)) return
    for (const known of origins.keys()) if (known.startsWith(`${pointer}/`)) origins.delete(known)
    origins.set(pointer, { variable })
  }
  const base = env[traceBase]?.replace(/\/+$/, '')
  if (base && !(isTree(tree) && isTree(tree['traces']) && tree['traces']['endpoint'] !== undefined))
    set('/traces/endpoint', `${base}/v1/traces`, traceBase)
  for (const { path, variable } of allSettings) {
    const text = env[variable]
    if (text) set(`/${path.join('/')}`, text, variable)
  }
  for (const { pointer, text, flag } of options) if (text !== undefined) set(pointer, text, flag)

  const settings = fromTexts(tree, settingsSchema)
  const invalid = schemaProblems(settings, origins)
  const problems = [...read.problems, ...unknownVariables(env, read.variables), ...invalid]
  return {
    settings,
    problems: [...new Set(problems)],
    problemAt: (pointer, reason) => problemAt(pointer, reason, settings, origins),
  }
}

/** Sets a text where the members above it are mappings, or are not there. */
function setAt(tree: unknown, pointer: string, text: string): boolean {
  const path = pointer.split('/').slice(1)
  const last = path.pop() ?? ''
  let inner = tree
  for (const part of path) {
    if (!isTree(inner)) return false
    inner[part] ??= {}
    inner = inner[part]
  }
  if (!isTree(inner)) return false
  ;(inner as Tree)[last] = text
  return true
}

function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  taken: ReadonlySet<string>,
): readonly string[] {
  const known = [...allSettings.map(({ variable }) => variable), ...otherCommands]
  return Object.keys(env)
    .filter((name) => name.startsWith('CONCORDAT_') && env[name] && !known.includes(name) && !taken.has(name))
    .map((name) => `${name} ${unknownVariable(name, known)}`)
}
