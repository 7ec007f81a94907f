import type { JsonObject } from '../json.js'
import type { Documents } from '../load/documents.js'
import type { SourcePosition } from '../load/source-position.js'
import type { Contract } from '../model/contract.js'

/** An error makes the contract unusable or untrue; a warning makes it worse than it could be. */
export type Severity = 'error' | 'warning'

/** What a rule looks at. */
export interface LintSubject {
  readonly contract: Contract
  readonly documents: Documents
  /** The contract's own document. */
  readonly document: JsonObject
  readonly info: JsonObject
}

/** A place that goes against a rule. */
export interface LintProblem {
  /** A JSON pointer, with the file's name in front where it is not the contract's own document. */
  readonly pointer: string
  /** What is wrong, and what to do. */
  readonly message: string
  /** Where it stands, for what no pointer leads to. */
  readonly position?: SourcePosition
}

/** One rule: its name is what a configuration turns off, and what a person searches for. */
export interface LintRule {
  readonly name: string
  readonly severity: Severity
  /** What it asks for, in one sentence. */
  readonly summary: string
  /** What to do, where the message of a problem does not say. */
  readonly advice?: string
  /** Absent for the rules that reading the contract applies. */
  readonly check?: (subject: LintSubject) => readonly LintProblem[]
}
