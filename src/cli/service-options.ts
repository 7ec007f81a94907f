import { parseArgs } from 'node:util'
import { UsageError } from './io.js'

/** What a command that runs the service is told. */
export interface ServiceArguments {
  readonly config: string | undefined
  readonly port: string | undefined
  readonly data: string | undefined
  readonly readyFile: string | undefined
  readonly help: boolean
}

const text = { type: 'string' } as const
const shared = {
  port: text,
  data: text,
  'ready-file': text,
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Reads the arguments of a command that runs the service.
 * @param takesConfig true where a configuration file may be named
 * @throws UsageError
 */
export function readServiceArguments(args: readonly string[], takesConfig: boolean): ServiceArguments {
  const { config, port, data, help, 'ready-file': readyFile } = parsed(args, takesConfig)
  if (config === '') throw new UsageError('--config needs the name of a file')
  if (readyFile === '') throw new UsageError('--ready-file needs the name of a file')
  return { config, port, data, readyFile, help }
}

function parsed(args: readonly string[], takesConfig: boolean) {
  try {
    return takesConfig
      ? parseArgs({ args: [...args], options: { ...shared, config: text } }).values
      : { ...parseArgs({ args: [...args], options: shared }).values, config: undefined }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}
