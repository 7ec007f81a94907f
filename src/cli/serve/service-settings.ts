import { readFile } from 'node:fs/promises'
import { ConfigError, readSettings, type Settings } from '../../gateway/app/config.js'
import { type CommandIo, UsageError } from '../io.js'
import type { ServiceArguments } from './service-options.js'

/**
 * Reads the service's settings from a configuration file, if one is named, and the environment, which wins.
 * @throws UsageError with all problems at once
 */
export async function readServiceSettings(
  { config, port, data, network }: Pick<ServiceArguments, 'config' | 'port' | 'data' | 'network'>,
  { env }: Pick<CommandIo, 'env'>,
): Promise<Settings> {
  const file = config === undefined ? undefined : await readConfig(config)
  try {
    return readSettings(env, { port, data, network, file })
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
