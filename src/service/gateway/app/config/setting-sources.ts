import { problemAt, removeUnknown, schemaProblems, unknownVariable } from './setting-problems.js'
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
  /** A sentence about each unknown setting that is ignored, because the settings are written for a newer version. */
  readonly ignored: readonly string[]
  /** Describes a problem of a setting, with its name and its place in the file. */
  problemAt(pointer: string, reason: string): readonly string[]
}

/**
 * Reads and validates settings from the file, the environment and options. Later sources take precedence.
 * @param used the top-level settings that may not refer to missing variables; all by default
 * @param version of the program; unknown settings are ignored if the settings state a newer one
 */
export function readSources(
  env: Readonly<Record<string, string | undefined>>,
  file: SettingsText | undefined,
  options: readonly OptionText[],
  used?: readonly string[],
  version?: string,
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
  const variables = unknownVariables(env, read.variables)
  const isForNewer = isTree(settings) && isNewer(settings['version'], version)
  const ignored = isForNewer
    ? [
        ...variables.map((name) => `${name} is not a setting of this version, and is ignored`),
        ...removeUnknown(settings, origins),
      ]
    : []
  const misspelt = isForNewer
    ? []
    : variables.map((name) => `${name} ${unknownVariable(name, knownVariables)}`)
  const invalid = schemaProblems(settings, origins)
  const isUsed = (pointer: string) => used?.includes(pointer.split('/')[1] ?? '') ?? true
  const incomplete = read.incomplete.filter(({ pointer }) => isUsed(pointer)).map(({ problem }) => problem)
  const problems = [...read.problems, ...incomplete, ...misspelt, ...invalid]
  return {
    settings,
    problems: [...new Set(problems)],
    ignored,
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

/** True if a stated version is newer than the program's. */
function isNewer(stated: unknown, program: string | undefined): boolean {
  if (typeof stated !== 'string' || program === undefined) return false
  const parts = (version: string) => version.split('.').map(Number)
  const own = parts(program)
  const differing = parts(stated)
    .map((part, at) => part - (own[at] ?? 0))
    .find((difference) => difference !== 0)
  return (differing ?? 0) > 0
}

const knownVariables = [...allSettings.map(({ variable }) => variable), ...otherCommands]

function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  taken: ReadonlySet<string>,
): readonly string[] {
  return Object.keys(env).filter(
    (name) =>
      name.startsWith('CONCORDAT_') && env[name] && !knownVariables.includes(name) && !taken.has(name),
  )
}
