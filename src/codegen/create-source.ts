import type { Contract, Method } from '../contract/index.js'
import { type ChosenNames, withErrorNames, withTypeNames } from './chosen-names.js'
import { memberPaths } from './emit/member-paths.js'
import type { Source, Tool } from './generated-file.js'
import { typeNames } from './types/type-names.js'
import { type CompiledMethod, compileMethod } from './validators/compile.js'

/**
 * Creates the shared input of all emitters. Methods are compiled on first use.
 * @param chosen names of the project in place of generated ones
 * @throws ContractError if two names collide
 * @throws ChosenNameError if a chosen name cannot be used
 */
export function createSource(given: Contract, tool: Tool, chosen: ChosenNames = {}): Source {
  const contract = withErrorNames(given, chosen.errors)
  const known = new Map<Method, CompiledMethod>()
  return {
    contract,
    tool,
    names: withTypeNames(typeNames(contract, chosen.types), chosen.types),
    paths: memberPaths(contract.methods),
    compiled: (method) => {
      const compiled = known.get(method) ?? compileMethod(contract, method)
      known.set(method, compiled)
      return compiled
    },
  }
}
