import { isObject, type JsonValue, member, objectMember } from '../json.js'
import { joinPointer } from '../json-pointer.js'
import type { LintProblem, LintRule } from './lint-rule.js'

/** Members that tell networks apart: calls and keys would be taken for those of another network. */
const identifying = ['chainId', 'netVersion', 'keySuffix'] as const

/** Rules about the networks that a contract states in "x-networks". */
export const networkRules: readonly LintRule[] = [
  {
    name: 'duplicate-network',
    severity: 'error',
    summary: 'No two networks of "x-networks" have the same chain id, network number or key suffix.',
    advice: 'give each network its own',
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
    return [{ pointer, message: `the network "${other}" has ${name} ${JSON.stringify(value)} too` }]
  })
}
