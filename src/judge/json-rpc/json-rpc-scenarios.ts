import {
  arrayMember,
  type Contract,
  isObject,
  type JsonObject,
  member,
} from '../../toolkit/contract/index.js'
import { scenariosOf } from '../load/scenarios-of.js'
import type { Scenario } from '../scenario/scenario.js'
import { jsonRpcCases } from './json-rpc-cases.js'

/** Error codes of JSON-RPC 2.0 (section 5.1) that a contract may replace with its own errors. */
const CODES: Readonly<Record<string, string>> = {
  parseError: '-32700',
  invalidRequest: '-32600',
  methodNotFound: '-32601',
}

/**
 * Returns the cases of JSON-RPC 2.0 for a contract without `x-envelope`; other contracts have their own
 * rules. Leaves out failures for which the contract declares its own error (`x-failures`), and `rpc.discover` if the
 * contract declares that method.
 * @param contract the contract to test
 */
export function jsonRpcScenarios(contract: Contract): readonly Scenario[] {
  const { info } = contract
  if (isObject(member(info, 'x-envelope'))) return []
  const failures = member(info, 'x-failures')
  const own = Object.entries(CODES).flatMap(([name, code]) =>
    isObject(failures) && Object.hasOwn(failures, name) ? [code] : [],
  )
  const declaresDiscover = contract.methods.some(({ name }) => name === 'rpc.discover')
  const scenarios = jsonRpcCases.filter(
    (item) =>
      !own.some((code) => JSON.stringify(item).includes(code)) &&
      !(declaresDiscover && item['id'] === 'json-rpc/discover'),
  )
  // Built-in cases may send their requests: the method that they call does not exist.
  return scenariosOf({ scenarios: scenarios.map(withCauses) }, 'JSON-RPC 2.0').map((scenario) => ({
    ...scenario,
    builtIn: true,
    origin: 'file',
  }))
}

/** The specification leaves all tolerated answers to implementations. */
function withCauses(document: JsonObject): JsonObject {
  const steps = arrayMember(document, 'steps')
    .filter(isObject)
    .map((step) => {
      const tolerate = arrayMember(step, 'tolerate').filter(isObject)
      const stated = tolerate.map((one): JsonObject => ({ ...one, 'depends-on': 'implementation' }))
      return stated.length === 0 ? step : { ...step, tolerate: stated }
    })
  return { ...document, steps }
}
