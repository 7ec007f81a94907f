import type { Contract } from '../contract/index.js'
import type { MemberPaths } from './member-paths.js'
import type { TypeNames } from './type-names.js'

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
}

/** Makes one file from the contract, and nothing else: no disk, no clock, no environment. */
export type Emitter = (source: Source) => GeneratedFile
