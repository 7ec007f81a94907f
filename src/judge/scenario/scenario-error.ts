/** A problem in a scenario or fixture file. */
export interface ScenarioProblem {
  /** Path of the file, starting with the folder as given. */
  readonly file: string
  /** Starts at 1. */
  readonly line: number
  /** Starts at 1, in UTF-16 code units as editors count. */
  readonly column: number
  /** The problem and how to fix it. */
  readonly message: string
}

/** Scenarios are invalid. Every problem of every file is listed. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly ScenarioProblem[]

  constructor(problems: readonly ScenarioProblem[], options?: ErrorOptions) {
    super(problems.map(scenarioProblemText).join('\n'), options)
    this.problems = problems
  }
}

/** Formats a problem on one line: `logs/empty-range.yaml:4:3: …`. */
function scenarioProblemText({ file, line, column, message }: ScenarioProblem): string {
  return `${file}:${line}:${column}: ${message}`
}
