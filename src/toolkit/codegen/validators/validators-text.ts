import type { Contract } from '../../contract/index.js'
import { createSource } from '../generate-files.js'
import type { Tool } from '../generated-file.js'
import { emitValidators } from './emit-validators.js'

/**
 * Returns the source of `validators.js`, a module without imports that can be loaded without a file.
 * @throws ContractError if names collide or a schema cannot be compiled
 */
export function validatorsText(contract: Contract, tool: Tool): string {
  return emitValidators(createSource(contract, tool)).content
}
