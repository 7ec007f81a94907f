import type { Contract } from '../contract/index.js'
import { createSource } from './create-source.js'
import { emitValidators } from './emit-validators.js'
import type { Tool } from './generated-file.js'

/**
 * The text of a contract's `validators.js`: a module that imports nothing, for whoever loads it without a file.
 * @throws ContractError where names collide or a schema cannot be honoured
 */
export function validatorsText(contract: Contract, tool: Tool): string {
  return emitValidators(createSource(contract, tool)).content
}
