import { isObject, type JsonValue, joinPointer, member, objectMember } from '../../contract/index.js'
import type { LintProblem, LintRule } from '../lint-rule.js'

/** Members that identify a network. If two networks share one, calls or keys may reach the wrong network. */
const identifying = ['chainId', 'netVersion', 'keySuffix'] as const

/** Rules about the networks in "x-networks". */
export const networkRules: readonly LintRule[] = [
  {
    name: 'duplicate-network',
    severity: 'error',
    summary: 'Chain ids, network numbers and key suffixes in "x-networks" are unique.',
    advice: 'use a unique value for each network',
    check: ({ info }) => {
      const networks = Object.entries(objectMember(info, 'x-networks'))
      return identifying.flatMap((name) => duplicates(networks, name))
    },
  },
]

function duplicates(
  networks: readonly (readonly [string, JsonValue | undefined])[],
  name: (typeof identifying)[number],
): readonly LintProblem[] {
  const first = new Map<JsonValue, string>()
  return networks.flatMap(([network, stated]) => {
    const value = isObject(stated) ? member(stated, name) : undefined
    if (value === undefined) return []
    const other = first.get(value)
    if (other === undefined) {
      first.set(value, network)
      return []
    }
    const pointer = joinPointer('#/info/x-networks', network, name)
    return [{ pointer, message: `the network "${other}" has the same ${name} ${JSON.stringify(value)}` }]
  })
}
