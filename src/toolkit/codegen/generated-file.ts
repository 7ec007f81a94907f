import type { Contract, ContractProblem } from '../contract/index.js'
import type { MemberPaths } from './emit/member-paths.js'
import type { TypeNames } from './types/type-writer.js'
import type { ContractCompiler } from './validators/compile.js'

/** A generated file: its path in the output folder, with `/` as separator, and its content. */
export interface GeneratedFile {
  readonly path: string
  readonly content: string
}

/** The generating tool. Every file header contains its name and version. */
export interface Tool {
  readonly name: string
  readonly version: string
}

/** The input of an emitter. */
export interface Source {
  readonly contract: Contract
  readonly names: TypeNames
  readonly paths: MemberPaths
  readonly tool: Tool
  /** Returns the compiler of the schemas, which is created on first use. */
  readonly validators: () => ContractCompiler
  /** True if only the problems of a file are wanted. Its names may then clash with those of the contract's types. */
  readonly problemsOnly?: boolean
}

/** An emitted file and the parts of the contract that it had to skip. */
export interface Emitted extends GeneratedFile {
  readonly leftOut?: readonly ContractProblem[]
}

/**
 * Creates one file from the contract alone: no disk, clock or environment. Returns undefined if the file
 * would be empty.
 */
export type Emitter = (source: Source) => Emitted | undefined
