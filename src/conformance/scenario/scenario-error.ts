/** One thing wrong with a scenario or fixture file. */
export interface ScenarioProblem {
  /** Its path, beginning with the folder as that was named. */
  readonly file: string
  /** From 1. */
  readonly line: number
  /** From 1, in UTF-16 units as editors count. */
  readonly column: number
  /** What is wrong and what to do. */
  readonly message: string
}

/** Scenarios cannot be used; every problem of every file is listed. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly ScenarioProblem[]

  constructor(problems: readonly ScenarioProblem[], options?: ErrorOptions) {
    super(problems.map(scenarioProblemText).join('\n'), options)
    this.problems = problems
  }
}

/** `logs/empty-range.yaml:4:3: …`, in one line. */
function scenarioProblemText({ file, line, column, message }: ScenarioProblem): string {
  return `${file}:${line}:${column}: ${message}`
}
