/** The output streams and environment of a command. */
export interface CommandIo {
  /** Writes a line of output. The line end is added. */
  readonly out: (line: string) => void
  /** Writes a line for the user: progress, warnings and errors. */
  readonly err: (line: string) => void
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Width of help, in columns. Default: that of the terminal. */
  readonly columns?: number
}

/**
 * A command. Receives the arguments after its name and returns the exit code: 0 success, 1 problems found, 2
 * could not run.
 */
export type Command = (args: readonly string[], io: CommandIo) => Promise<number>

/**
 * Thrown when arguments, settings or files are invalid. The message is printed in one line and the exit code
 * is 2.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
