import type { Contract, ContractProblem, Method } from '../contract/index.js'
import type { MemberPaths } from './member-paths.js'
import type { TypeNames } from './type-names.js'
import type { CompiledMethod } from './validators/compile.js'

/** A file to be written: its path inside the output folder, with `/` between names, and its whole text. */
export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** Who generates: name and version stand in every header. */
export interface Tool {
  readonly name: string
  readonly version: string
}

/** What an emitter has to go by. */
export interface Source {
  readonly contract: Contract
  readonly names: TypeNames
  readonly paths: MemberPaths
  readonly tool: Tool
  /**
   * A method's compiled checks, made once.
   * @throws ContractError where a schema cannot be honoured
   */
  readonly compiled: (method: Method) => CompiledMethod
}

/** A file, and what of the contract it has no place for. */
export interface Emitted extends GeneratedFile {
  readonly leftOut?: readonly ContractProblem[]
}

/** Makes one file from the contract, and nothing else: no disk, no clock, no environment; none where it would be empty. */
export type Emitter = (source: Source) => Emitted | undefined
