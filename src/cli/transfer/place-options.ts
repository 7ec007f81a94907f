import { type DatabasePlace, defaults, type OnProgress, OperatorError, QueryError } from '@concordat/gateway'
import type { Program } from '../define-command.js'
import { type CommandIo, UsageError } from '../io.js'
import { readServiceSettings } from '../serve/service-settings.js'

/** Adds the options that name a service's database. */
export const placeOptions = (program: Program) =>
  program
    .option(
      '--config <F>',
      `the service's configuration file, for its folder, database and secret; environment variables take precedence`,
    )
    .option('--data <DIR>', `the service's folder (CONCORDAT_DATA, default ${defaults.dataDir})`)

/**
 * Reads where the database of a service is, and its secret.
 * @throws UsageError
 */
export async function readPlace(
  options: { readonly config?: string | undefined; readonly data?: string | undefined },
  io: CommandIo,
): Promise<DatabasePlace> {
  const used = ['dataFolder', 'databaseUrl', 'secret'] as const
  const { dataDir, databaseUrl, secret } = await readServiceSettings({ ...options, used }, io)
  return { dataDir, databaseUrl, secret }
}

/**
 * Runs a command that copies a database, and prints its progress on standard error.
 * @param copy the work; returns the last line of the output
 * @throws UsageError for errors that an operator can solve
 */
export async function runCopy(
  io: CommandIo,
  copy: (onProgress: OnProgress) => Promise<string>,
): Promise<number> {
  const counts = new Map<string, number>()
  try {
    const done = await copy((table, rows) => {
      counts.set(table, rows)
      io.err(`${table}: ${rows} ${rows === 1 ? 'row' : 'rows'}`)
    })
    const rows = [...counts.values()].reduce((sum, each) => sum + each, 0)
    io.out(`${done}: ${rows} rows of ${counts.size} tables`)
    return 0
  } catch (error) {
    if (error instanceof OperatorError || error instanceof QueryError)
      throw new UsageError(error.message, { cause: error })
    throw error
  }
}
