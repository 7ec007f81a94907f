import { type Contract, isObject, member } from '../../contract/index.js'
import type { Scenario } from '../scenario/scenario.js'
import { scenariosOf } from '../scenario/scenarios-of.js'
import { jsonRpcCases } from './json-rpc-cases.js'

/**
 * The cases of JSON-RPC 2.0 itself, for a contract that does not say by `x-envelope` how requests are wrapped: one that
 * does has rules of its own, and scenarios for them.
 */
export function jsonRpcScenarios({ info }: Contract): readonly Scenario[] {
  if (isObject(member(info, 'x-envelope'))) return []
  // They were looked at: the method that they call is no service's.
  return scenariosOf({ scenarios: jsonRpcCases }, 'JSON-RPC 2.0').map((scenario) => ({
    ...scenario,
    builtIn: true,
    origin: 'file',
  }))
}
