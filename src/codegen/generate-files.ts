import type { Contract, ContractProblem } from '../contract/index.js'
import { createSource } from './create-source.js'
import { emitClient } from './emit-client.js'
import { emitConformance } from './emit-conformance.js'
import { emitContract } from './emit-contract.js'
import { emitErrors } from './emit-errors.js'
import { emitExamples } from './emit-examples.js'
import { emitLinks } from './emit-links.js'
import { emitMethods } from './emit-methods.js'
import { emitReference } from './emit-reference.js'
import { emitReferenceHtml } from './emit-reference-html.js'
import { emitService } from './emit-service.js'
import { emitTypes } from './emit-types.js'
import { emitValidators, emitValidatorTypes } from './emit-validators.js'
import type { Emitter, GeneratedFile, Tool } from './generated-file.js'

/** One emitter a file, in the order in which a reader would open them. */
const emitters: readonly Emitter[] = [
  emitTypes,
  emitMethods,
  emitValidators,
  emitValidatorTypes,
  emitErrors,
  emitService,
  emitClient,
  emitExamples,
  emitLinks,
  emitContract,
  emitReference,
  emitReferenceHtml,
  emitConformance,
]

/** What is made of a contract. */
export interface Generated {
  readonly files: readonly GeneratedFile[]
  /** What the contract shows and no code could be made of, such as examples that break their schemas. */
  readonly leftOut: readonly ContractProblem[]
}

/**
 * Everything that is generated from a contract: the same files, byte for byte, for the same contract and tool.
 * @throws ContractError where names collide or a schema cannot be honoured
 */
export function generate(contract: Contract, tool: Tool): Generated {
  const source = createSource(contract, tool)
  const emitted = emitters.flatMap((emit) => emit(source) ?? [])
  return {
    files: emitted.map(({ path, content }) => ({ path, content })),
    leftOut: emitted.flatMap(({ leftOut }) => leftOut ?? []),
  }
}

/**
 * The files of {@link generate}.
 * @throws ContractError where names collide or a schema cannot be honoured
 */
export function generateFiles(contract: Contract, tool: Tool): readonly GeneratedFile[] {
  return generate(contract, tool).files
}
