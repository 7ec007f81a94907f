/** A place in a text, counted from 1. */
export interface SourcePosition {
  readonly line: number
  readonly column: number
}

/** A problem in a contract. */
export interface ContractProblem {
  /**
   * The place: a JSON pointer in fragment form such as `#/methods/3/params/0`, or `''` for the whole file.
   */
  readonly pointer: string
  /** What is wrong and, if known, how to fix it. */
  readonly message: string
  /** The name of the lint rule, if the problem belongs to one. */
  readonly rule?: string
  /** The position in the file, if the document was read from text. */
  readonly position?: SourcePosition
}

/** Thrown when a contract cannot be used. Lists all problems that were found. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
  readonly problems: readonly ContractProblem[]

  constructor(problems: readonly ContractProblem[], options?: ErrorOptions) {
    super(problems.map(problemText).join('\n'), options)
    this.problems = problems
  }
}

/** Creates a contract error with one problem. */
export function contractError(pointer: string, message: string, options?: ErrorOptions): ContractError {
  return new ContractError([{ pointer, message }], options)
}

/** Formats a problem as one line: `#/methods/0: …`, or with line and column if it has no pointer. */
export function problemText({ pointer, message, position }: ContractProblem): string {
  if (pointer !== '') return `${pointer}: ${message}`
  return position ? `${message} (line ${position.line}, column ${position.column})` : message
}
