import { closest, distance } from 'fastest-levenshtein'
import { isNetwork, networkNames } from '../../networks/network.js'
import type { NodeSettings } from '../../nodes/node-settings.js'
import { nodesOfFile } from './file-nodes.js'
import { type Parse, Refusal } from './parse-setting.js'
import { type FileValue, type FileValues, readFileValues, type SettingsText } from './settings-file.js'

/** An option of the command line that wins over everything. */
export interface OptionText {
  /** As it is typed. */
  readonly flag: string
  readonly text: string | undefined
}

/** Where settings come from: the command line, the environment, a file, in this order. */
export interface SettingSource {
  /**
   * Reads one setting: what `parse` makes of its text, or the fallback; a text that `parse` refuses is a problem.
   * @param variable its name in the environment, if it has one there
   * @param path its name in the file, if it has one there; a list there is read as one text, with commas between
   */
  setting<T, F>(
    variable: string | undefined,
    path: string | undefined,
    fallback: F,
    parse: Parse<T>,
    option?: OptionText,
  ): T | F
  /** The nodes that the file lists for a network; undefined when it lists none. */
  fileNodes(network: string): readonly NodeSettings[] | undefined
  /** Makes a problem of each name that no setting has. To be called when all settings were read. */
  refuseUnknown(): void
  readonly problems: string[]
}

/** Settings whose text may hold a secret: a problem never repeats it. */
const confidential =
  /^(?:CONCORDAT_SECRET(?:_PREVIOUS)?|CONCORDAT_NODES_\w+|CONCORDAT_SMTP_URL|DATABASE_URL|secret(?:Previous)?|databaseUrl|smtpUrl|nodes\b.*)$/

/** The known name that is nearest to an unknown one, as the end of a sentence; empty where none is near. */
function suggestion(name: string, known: ReadonlySet<string>): string {
  const nearest = closest(name, [...known])
  return distance(name, nearest) <= name.length / 3 ? `: did you mean ${nearest}?` : ''
}

/** Settings that each network has one of: `CONCORDAT_NODES_<NAME>`, `nodes.<name>`. */
const ofNetwork = /^(?:CONCORDAT_(?:NODES|PUBLIC_URL)_(?<variable>\w+)|(?:nodes|publicUrls)\.(?<path>\w+))/

/** Why no setting has a name. */
function unknownReason(name: string, known: ReadonlySet<string>): string {
  const { variable, path } = ofNetwork.exec(name)?.groups ?? {}
  const network = variable?.toLowerCase() ?? path
  if (network === undefined || isNetwork(network))
    return `is no setting of this version${suggestion(name, known)}`
  return `is no setting: the contract has no network ${network}, its networks are ${networkNames.join(', ')}`
}

const nothing: FileValues = { values: new Map(), variables: new Set(), problems: [] }

/** Members of a node in the file. */
const nodeMember = /^nodes\.\w+\[\d+\](?:\.(?:url|name|weight|timeoutMs|headers\..+))?$/

/**
 * Opens the sources of settings.
 * @param ignored variables that are other programs' business
 */
export function createSettingSource(
  env: Readonly<Record<string, string | undefined>>,
  file: SettingsText | undefined,
  ignored: readonly string[],
): SettingSource {
  const {
    values,
    variables: taken,
    problems: inFile,
  } = file === undefined ? nothing : readFileValues(file, env)
  const problems = [...inFile]
  const variables = new Set([...ignored, ...taken])
  const paths = new Set<string>()
  /** Networks whose nodes the environment names: what the file lists for them is not looked at. */
  const isOverruled = (network: string) => Boolean(env[`CONCORDAT_NODES_${network.toUpperCase()}`])

  const refuse = (value: FileValue, reason: string) => {
    if (value.isIncomplete) return
    const hide = confidential.test(value.setting) || value.isFromEnvironment
    problems.push(`${value.place} ${value.setting} ${reason}${hide ? '' : `, not "${value.text}"`}`)
  }
  /** The value at a path, or the list of values there as one. */
  const valueAt = (path: string): FileValue | undefined => {
    paths.add(path)
    const single = values.get(path)
    if (single !== undefined) return single
    const list = [...values.values()].filter(
      ({ setting }) => /^\[\d+\]$/.test(setting.slice(path.length)) && setting.startsWith(path),
    )
    const [first] = list
    if (first === undefined || path.startsWith('nodes.')) return undefined
    for (const { setting } of list) paths.add(setting)
    return { ...first, setting: path, text: list.map(({ text }) => text).join(',') }
  }

  return {
    problems,
    setting(variable, path, fallback, parse, option) {
      if (variable !== undefined) variables.add(variable)
      const value = path === undefined ? undefined : valueAt(path)
      const typed = option?.text ?? ((variable && env[variable]) || undefined)
      const text = typed ?? value?.text
      if (text === undefined) return fallback
      const parsed = parse(text)
      if (!(parsed instanceof Refusal)) return parsed
      if (typed === undefined && value !== undefined) refuse(value, parsed.reason)
      else {
        const name = option?.text === undefined ? variable : option.flag
        problems.push(`${name} ${parsed.reason}${confidential.test(name ?? '') ? '' : `, not "${text}"`}`)
      }
      return fallback
    },
    fileNodes(network) {
      const listed = [...values.values()].filter(
        ({ path }) => path[0] === 'nodes' && path[1] === network && typeof path[2] === 'number',
      )
      for (const { setting } of listed) if (nodeMember.test(setting)) paths.add(setting)
      if (listed.length === 0 || isOverruled(network)) return undefined
      return nodesOfFile(
        network,
        listed.filter(({ setting }) => nodeMember.test(setting)),
        refuse,
      )
    },
    refuseUnknown() {
      for (const name of Object.keys(env)) {
        if (!name.startsWith('CONCORDAT_') || variables.has(name) || env[name] === '') continue
        problems.push(`${name} ${unknownReason(name, variables)}`)
      }
      for (const { setting, place } of values.values())
        if (!paths.has(setting)) problems.push(`${place} ${setting} ${unknownReason(setting, paths)}`)
    },
  }
}
