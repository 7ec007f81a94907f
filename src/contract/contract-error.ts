import type { SourcePosition } from './load/source-position.js'

/** One thing wrong with a contract. */
export interface ContractProblem {
  /** Where it is: a JSON pointer in fragment form such as `#/methods/3/params/0`, or `''` for the file as a whole. */
  readonly pointer: string
  /** What is wrong and, where it is known, what to do. */
  readonly message: string
  /** The lint rule that it goes against, where it has a name. */
  readonly rule?: string
  /** The position in its file, when the document was read from text. */
  readonly position?: SourcePosition
}

/** The contract cannot be used; every problem that was found is listed. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly ContractProblem[]

  constructor(problems: readonly ContractProblem[], options?: ErrorOptions) {
    super(problems.map(problemText).join('\n'), options)
    this.problems = problems
  }
}

/** A contract error with one problem. */
export function contractError(pointer: string, message: string, options?: ErrorOptions): ContractError {
  return new ContractError([{ pointer, message }], options)
}

/** `#/methods/0: …`, in one line; what has no pointer says its line. */
export function problemText({ pointer, message, position }: ContractProblem): string {
  if (pointer !== '') return `${pointer}: ${message}`
  return position ? `${message} (line ${position.line}, column ${position.column})` : message
}
