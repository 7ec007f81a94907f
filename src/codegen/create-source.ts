import type { Contract, Method } from '../contract/index.js'
import { memberPaths } from './emit/member-paths.js'
import type { Source, Tool } from './generated-file.js'
import { typeNames } from './types/type-names.js'
import { type CompiledMethod, compileMethod } from './validators/compile.js'

/**
 * Creates the shared input of all emitters. Methods are compiled on first use.
 * @throws ContractError if two names collide
 */
export function createSource(contract: Contract, tool: Tool): Source {
  const known = new Map<Method, CompiledMethod>()
  return {
    contract,
    tool,
    names: typeNames(contract),
    paths: memberPaths(contract.methods),
    compiled: (method) => {
      const compiled = known.get(method) ?? compileMethod(contract, method)
      known.set(method, compiled)
      return compiled
    },
  }
}
