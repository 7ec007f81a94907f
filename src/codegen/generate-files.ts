import type { Contract } from '../contract/index.js'
import { emitClient } from './emit-client.js'
import { emitConformance } from './emit-conformance.js'
import { emitContract } from './emit-contract.js'
import { emitErrors } from './emit-errors.js'
import { emitMethods } from './emit-methods.js'
import { emitReference } from './emit-reference.js'
import { emitService } from './emit-service.js'
import { emitTypes } from './emit-types.js'
import { emitValidators, emitValidatorTypes } from './emit-validators.js'
import type { Emitter, GeneratedFile, Tool } from './generated-file.js'
import { memberPaths } from './member-paths.js'
import { typeNames } from './type-names.js'

/** One emitter a file, in the order in which a reader would open them. */
const emitters: readonly Emitter[] = [
  emitTypes,
  emitMethods,
  emitValidators,
  emitValidatorTypes,
  emitErrors,
  emitService,
  emitClient,
  emitContract,
  emitReference,
  emitConformance,
]

/**
 * Everything that is generated from a contract: the same files, byte for byte, for the same contract and tool.
 * @throws ContractError where names collide or a schema cannot be honoured
 */
export function generateFiles(contract: Contract, tool: Tool): readonly GeneratedFile[] {
  const source = { contract, tool, names: typeNames(contract), paths: memberPaths(contract.methods) }
  return emitters.map((emit) => emit(source))
}
