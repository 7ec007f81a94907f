/** Where a command writes, and the environment that it reads. */
export interface CommandIo {
  /** Writes a line of what was asked for; the line end is added. */
  readonly out: (line: string) => void
  /** Writes a line for the person at the terminal: progress, warnings and errors. */
  readonly err: (line: string) => void
  /** The environment's variables. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A command: its arguments without its own name, answered with the exit code (0 as wanted, 1 found wrong, 2 could not run). */
export type Command = (args: readonly string[], io: CommandIo) => Promise<number>

/** The arguments, settings or files cannot be used: one clear line, exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
