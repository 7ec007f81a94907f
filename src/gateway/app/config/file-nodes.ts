import type { NodeSettings } from '../../nodes/node-settings.js'
import {
  nodeDefaults,
  type Parse,
  parseHeaderValue,
  parseNodeName,
  parseNodeTimeout,
  parseNodeUrl,
  parseNodeWeight,
  Refusal,
} from './parse-setting.js'
import type { FileValue } from './settings-file.js'

/** RFC 9110, section 5.1. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/

/** Where the members of a node stand in their path: behind `nodes`, the network and its position. */
const memberAt = 3

/**
 * Makes the nodes of a network that a file lists: URLs, or mappings with `url`, `name`, `weight`, `headers` and
 * `timeoutMs`.
 * @param values those below `nodes.<network>`
 * @param refuse takes what is wrong with a value
 */
export function nodesOfFile(
  network: string,
  values: readonly FileValue[],
  refuse: (value: FileValue, reason: string) => void,
): readonly NodeSettings[] {
  const byPosition = new Map<number, FileValue[]>()
  for (const value of values) {
    const at = Number(value.path[memberAt - 1])
    byPosition.set(at, [...(byPosition.get(at) ?? []), value])
  }
  const names = new Set<string>()
  return [...byPosition].map(([at, members]) => {
    const find = (member: string | undefined) => members.find(({ path }) => path[memberAt] === member)
    const read = <T>(member: string | undefined, fallback: T, parse: Parse<T>): T => {
      const value = find(member)
      const parsed = value === undefined ? fallback : parse(value.text)
      if (!(parsed instanceof Refusal)) return parsed
      if (value !== undefined) refuse(value, parsed.reason)
      return fallback
    }
    const defaults = nodeDefaults(network, at)
    const [first] = members
    if (first !== undefined && find(undefined) === undefined && find('url') === undefined)
      refuse(first, 'belongs to a node without url')
    const name = read('name', defaults.name, parseNodeName)
    const named = find('name') ?? first
    if (names.has(name) && named !== undefined) refuse(named, `is called ${name}, as an earlier node is`)
    names.add(name)
    return {
      url: find('url') === undefined ? read(undefined, '', parseNodeUrl) : read('url', '', parseNodeUrl),
      name,
      weight: read('weight', defaults.weight, parseNodeWeight),
      headers: headersOf(members, refuse),
      timeoutMs: read('timeoutMs', defaults.timeoutMs, parseNodeTimeout),
    }
  })
}

function headersOf(
  members: readonly FileValue[],
  refuse: (value: FileValue, reason: string) => void,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const value of members.filter(({ path }) => path[memberAt] === 'headers')) {
    const name = String(value.path.at(-1)).toLowerCase()
    const parsed = headerName.test(name)
      ? parseHeaderValue(value.text)
      : new Refusal('is no name of a header')
    if (parsed instanceof Refusal) refuse(value, parsed.reason)
    else headers[name] = parsed
  }
  return headers
}
