import { type Contract, ContractError, type ContractProblem } from '../contract/index.js'
import { type ChosenNames, withErrorNames, withTypeNames } from './chosen-names.js'
import { emitClient } from './emit/client/emit-client.js'
import { emitWebSocket, isHttpOnly } from './emit/client/emit-web-socket.js'
import { emitConformance } from './emit/emit-conformance.js'
import { emitContract } from './emit/emit-contract.js'
import { emitDecoded } from './emit/emit-decoded.js'
import { emitDocument } from './emit/emit-document.js'
import { emitErrors } from './emit/emit-errors.js'
import { emitExamples } from './emit/emit-examples.js'
import { emitMethods } from './emit/emit-methods.js'
import { emitService } from './emit/emit-service.js'
import { emitTypes } from './emit/emit-types.js'
import { memberPaths } from './emit/member-paths.js'
import type { Emitter, GeneratedFile, Source, Tool } from './generated-file.js'
import { emitReference, emitReferenceHtml } from './reference/emit-reference.js'
import { freeTypeNames, ownNames } from './types/own-names.js'
import { typeNames } from './types/type-names.js'
import { jsonTypes } from './types/type-writer.js'
import { type ContractCompiler, createCompiler } from './validators/compile.js'
import { emitValidators, emitValidatorTypes } from './validators/emit-validators.js'

/** The emitters of each part, in the order in which a reader would open their files. */
const emittersByPart = {
  types: [emitTypes],
  methods: [emitMethods, emitDocument],
  validators: [emitValidators, emitValidatorTypes],
  errors: [emitErrors],
  service: [emitService],
  client: [emitClient],
  decoded: [emitDecoded],
  'web-socket': [emitWebSocket],
  examples: [emitExamples],
  contract: [emitContract],
  reference: [emitReference, emitReferenceHtml],
  conformance: [emitConformance],
} as const satisfies Readonly<Record<string, readonly Emitter[]>>

/** A part of what is generated: one file, or two that belong together. */
export type Part = keyof typeof emittersByPart

/** All parts, in the order of their files. */
export const parts = Object.keys(emittersByPart) as readonly Part[]

/** The result of generating code from a contract. */
export interface Generated {
  readonly files: readonly GeneratedFile[]
  /** Parts of the contract that were skipped, such as examples that violate their schemas. */
  readonly leftOut: readonly ContractProblem[]
}

/** Options for {@link generate}. */
export interface GenerateOptions {
  /** The parts to generate. By default all, without the WebSocket client of a contract for HTTP alone. */
  readonly only?: readonly Part[] | undefined
  /** Names of the project in place of generated ones. */
  readonly names?: ChosenNames | undefined
}

/**
 * Generates files from a contract: the same files, byte for byte, for the same contract and tool.
 * @throws ContractError where names collide or a schema cannot be honoured
 * @throws ChosenNameError if a chosen name cannot be used
 */
export function generate(contract: Contract, tool: Tool, { only, names }: GenerateOptions = {}): Generated {
  const source = createSource(contract, tool, names)
  const emitted = emittersOf(contract, only).flatMap((emit) => emit(source) ?? [])
  return {
    files: emitted.map(({ path, content }) => ({ path, content })),
    leftOut: emitted.flatMap(({ leftOut }) => leftOut ?? []),
  }
}

/**
 * Creates the shared input of all emitters. Schemas are compiled on first use.
 * @param chosen names of the project in place of generated ones
 * @throws ContractError if two names collide
 * @throws ChosenNameError if a chosen name cannot be used
 */
export function createSource(given: Contract, tool: Tool, chosen: ChosenNames = {}): Source {
  const contract = withErrorNames(given, chosen.errors)
  let validators: ContractCompiler | undefined
  const source: Source = {
    contract,
    tool,
    names: typeNames(contract, chosen.types),
    paths: memberPaths(contract.methods),
    validators: () => {
      validators ??= createCompiler(contract)
      return validators
    },
  }
  const own = new Set([...jsonTypes, ...(ownNames(emitTypes, source) ?? [])])
  return { ...source, names: withTypeNames(freeTypeNames(source.names, own), own, chosen.types) }
}

function emittersOf(
  contract: Contract,
  only: readonly Part[] | undefined,
  among: readonly Part[] = parts,
): readonly Emitter[] {
  const isWanted = (part: Part) => only?.includes(part) ?? (part !== 'web-socket' || !isHttpOnly(contract))
  return among.flatMap((part): readonly Emitter[] => (isWanted(part) ? emittersByPart[part] : []))
}

/** The parts whose emitters can refuse a contract. The reference only describes it. */
const refusingParts = parts.filter((part) => part !== 'reference')

/** The reasons why {@link generate} refuses a contract, and the parts of it that it leaves out. */
export interface GenerationProblems {
  /** Problems for each of which {@link generate} throws. */
  readonly refused: readonly ContractProblem[]
  readonly leftOut: readonly ContractProblem[]
}

/**
 * Runs all steps of {@link generate} that can refuse something and collects the problems of each method and each file,
 * instead of stopping at the first one.
 * @throws ChosenNameError if a chosen name cannot be used
 */
export function generationProblems(
  contract: Contract,
  tool: Tool,
  { names }: Pick<GenerateOptions, 'names'> = {},
): GenerationProblems {
  const refused: ContractProblem[] = []
  const attempt = <Value>(step: () => Value): Value | undefined => {
    try {
      return step()
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      refused.push(...error.problems)
      return undefined
    }
  }
  const created = attempt(() => createSource(contract, tool, names))
  if (created === undefined) return { refused, leftOut: [] }
  const source: Source = { ...created, problemsOnly: true }
  for (const method of contract.methods) attempt(() => source.validators().method(method))
  for (const error of contract.errors) attempt(() => source.validators().data(error))
  // Files with validators would repeat what is known.
  if (refused.length > 0) return { refused, leftOut: [] }
  const emitters = attempt(() => emittersOf(contract, undefined, refusingParts)) ?? []
  const emitted = emitters.flatMap((emit) => attempt(() => emit(source)) ?? [])
  return { refused, leftOut: emitted.flatMap(({ leftOut }) => leftOut ?? []) }
}

/**
 * Generates the files of a contract, without the list of skipped parts.
 * @throws ContractError if names collide or a schema cannot be compiled
 */
export function generateFiles(contract: Contract, tool: Tool): readonly GeneratedFile[] {
  return generate(contract, tool).files
}

/**
 * Returns the source of `validators.js`, a module without imports that can be loaded without a file.
 * @throws ContractError if names collide or a schema cannot be compiled
 */
export function validatorsText(contract: Contract, tool: Tool): string {
  return emitValidators(createSource(contract, tool)).content
}
