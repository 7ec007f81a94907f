import type { Contract } from '../../toolkit/contract/index.js'
import type { ReviewedChange } from './accepted-changes.js'

/** One of the two contracts. */
export interface DiffSide {
  readonly contract: Contract
  /** The path of the document as the user can open it. */
  readonly file: string
  /** Finds the line and column of a place. */
  readonly find: (place: string) => { readonly line: number; readonly column: number }
}

/** The result of one run. */
export interface DiffReport {
  readonly old: DiffSide
  readonly next: DiffSide
  readonly changes: readonly ReviewedChange[]
  /** Returns true for a change that makes the command fail. */
  readonly isFailure: (change: ReviewedChange) => boolean
  readonly version: string
}
