import type { Contract, Documents, JsonObject, SourcePosition } from '../contract/index.js'
import type { Fix } from './apply-fixes.js'

/** An error makes the contract unusable or wrong. A warning points out a weakness. A hint is only shown. */
export type Severity = 'error' | 'warning' | 'hint'

/** The contract as rules see it. */
export interface LintSubject {
  readonly contract: Contract
  readonly documents: Documents
  /** The main document. */
  readonly document: JsonObject
  readonly info: JsonObject
}

/** A violation of a rule. */
export interface LintProblem {
  /** A JSON pointer, with the file name in front unless it is in the main document. */
  readonly pointer: string
  /** What is wrong and how to fix it. */
  readonly message: string
  /** The position, for problems without a pointer. */
  readonly position?: SourcePosition
  /** Edits that certainly correct the problem without changing the meaning of the contract. */
  readonly fix?: Fix
}

/** A lint rule. Configurations refer to its name. */
export interface LintRule {
  readonly name: string
  readonly severity: Severity
  /** The requirement in one sentence. */
  readonly summary: string
  /** How to fix a problem, if its message does not say. */
  readonly advice?: string
  /** Absent for rules that are checked while reading the contract. */
  readonly check?: (subject: LintSubject) => readonly LintProblem[]
}
