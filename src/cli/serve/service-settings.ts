import { readFile } from 'node:fs/promises'
import { ConfigError, readSettings, type Settings } from '@concordat/gateway'
import { type CommandIo, UsageError } from '../io.js'
import { readToolVersions } from '../package-file.js'

/** The options that take precedence over the file and the environment. */
interface SettingsOptions {
  /** The configuration file. */
  readonly config?: string | undefined
  readonly port?: string | undefined
  readonly data?: string | undefined
  readonly network?: readonly string[] | undefined
  /** The settings that are used; others may refer to variables that are not set. All by default. */
  readonly used?: Parameters<typeof readSettings>[1]['used']
}

/**
 * Reads the service's settings from a configuration file, if given, and the environment, which takes
 * precedence.
 * @param options the command's options
 * @param io the environment
 * @throws UsageError with all problems
 */
export async function readServiceSettings(
  options: SettingsOptions,
  io: Pick<CommandIo, 'env'>,
): Promise<Settings> {
  const { config, port, data, network = [], used } = options
  const file = config === undefined ? undefined : await readConfig(config)
  const { version } = await readToolVersions()
  try {
    return readSettings(io.env, {
      port,
      data,
      network: network.length === 0 ? undefined : network.join(','),
      file,
      used,
      version,
    })
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.problems.join('; ')) : error
  }
}

async function readConfig(name: string) {
  try {
    return { name, text: await readFile(name, 'utf8') }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`the configuration file cannot be read: ${reason}`, { cause })
  }
}
