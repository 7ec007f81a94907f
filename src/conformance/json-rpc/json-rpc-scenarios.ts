import { type Contract, isObject, member } from '../../contract/index.js'
import type { Scenario } from '../scenario/scenario.js'
import { scenariosOf } from '../scenario/scenarios-of.js'
import { jsonRpcCases } from './json-rpc-cases.js'

/** The codes that JSON-RPC 2.0 gives to failures (section 5.1), which a contract may answer with errors of its own. */
const CODES: Readonly<Record<string, string>> = {
  parseError: '-32700',
  invalidRequest: '-32600',
  methodNotFound: '-32601',
}

/**
 * The cases of JSON-RPC 2.0 itself, for a contract that does not say by `x-envelope` how requests are wrapped: one that
 * does has rules of its own, and scenarios for them. Left out are cases about a failure for which the contract states
 * an error of its own (`x-failures`).
 */
export function jsonRpcScenarios({ info }: Contract): readonly Scenario[] {
  if (isObject(member(info, 'x-envelope'))) return []
  const failures = member(info, 'x-failures')
  const own = Object.entries(CODES).flatMap(([name, code]) =>
    isObject(failures) && Object.hasOwn(failures, name) ? [code] : [],
  )
  const scenarios = jsonRpcCases.filter((each) => !own.some((code) => JSON.stringify(each).includes(code)))
  // They were looked at: the method that they call is no service's.
  return scenariosOf({ scenarios }, 'JSON-RPC 2.0').map((scenario) => ({
    ...scenario,
    builtIn: true,
    origin: 'file',
  }))
}
