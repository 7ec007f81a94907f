import { problemAt, schemaProblems, unknownVariable } from './setting-problems.js'
import { allSettings, fromTexts, isTree, type Tree } from './setting-tree.js'
import { readSettingsFile, type SettingsText } from './settings-file.js'
import { settingsSchema } from './settings-schema.js'

/** Variables of other commands. They are not reported as unknown. */
const otherCommands = ['CONCORDAT_CONFORM_FUNDED_KEY']

/** OpenTelemetry's variable. The endpoint of traces is below this URL. */
const traceBase = 'OTEL_EXPORTER_OTLP_ENDPOINT'

/** A command-line option, which takes precedence over all other sources. */
export interface OptionText {
  /** The option as typed. */
  readonly flag: string
  /** JSON pointer of its setting. */
  readonly pointer: string
  readonly text: string | undefined
}

/** Settings as written, with defaults. They are valid if there are no problems. */
export interface ReadSettings {
  readonly settings: unknown
  readonly problems: readonly string[]
  /** Describes a problem of a setting, with its name and its place in the file. */
  problemAt(pointer: string, reason: string): readonly string[]
}

/**
 * Reads and validates settings from the file, the environment and options. Later sources take precedence.
 * @param used the top-level settings that may not refer to missing variables; all by default
 */
export function readSources(
  env: Readonly<Record<string, string | undefined>>,
  file: SettingsText | undefined,
  options: readonly OptionText[],
  used?: readonly string[],
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
  const isUsed = (pointer: string) => used?.includes(pointer.split('/')[1] ?? '') ?? true
  const incomplete = read.incomplete.filter(({ pointer }) => isUsed(pointer)).map(({ problem }) => problem)
  const problems = [...read.problems, ...incomplete, ...unknownVariables(env, read.variables), ...invalid]
  return {
    settings,
    problems: [...new Set(problems)],
    problemAt: (pointer, reason) => problemAt(pointer, reason, settings, origins),
  }
}

/** Sets a text if its parents are mappings or missing. */
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
