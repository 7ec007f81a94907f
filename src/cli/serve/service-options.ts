import { parseArgs } from 'node:util'
import { UsageError } from '../io.js'

/** What a command that runs the service is told. */
export interface ServiceArguments {
  readonly config: string | undefined
  readonly port: string | undefined
  readonly data: string | undefined
  /** Names of networks, separated by commas. */
  readonly network: string | undefined
  readonly readyFile: string | undefined
  /** Seconds between blocks of a development chain; 0 mines each transaction at once. */
  readonly blockSeconds: number
  readonly help: boolean
}

const text = { type: 'string' } as const
const shared = {
  port: text,
  data: text,
  network: { type: 'string', multiple: true },
  'ready-file': text,
  help: { type: 'boolean', short: 'h', default: false },
} as const

/**
 * Reads the arguments of a command that runs the service.
 * @param takesConfig true where a configuration file may be named
 * @throws UsageError
 */
export function readServiceArguments(args: readonly string[], takesConfig: boolean): ServiceArguments {
  const {
    config,
    port,
    data,
    network,
    help,
    'ready-file': readyFile,
    'block-seconds': seconds,
  } = parsed(args, takesConfig)
  if (config === '') throw new UsageError('--config needs the name of a file')
  if (readyFile === '') throw new UsageError('--ready-file needs the name of a file')
  return {
    config,
    port,
    data,
    network: network?.join(','),
    readyFile,
    blockSeconds: readBlockSeconds(seconds),
    help,
  }
}

/** The longest time between blocks that makes sense, in seconds. */
const mostBlockSeconds = 3600

/**
 * Reads the value of `--block-seconds`.
 * @returns 0 where it is not given
 * @throws UsageError
 */
export function readBlockSeconds(text = '0'): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= mostBlockSeconds) return seconds
  throw new UsageError(`--block-seconds takes a whole number of seconds from 0 to ${mostBlockSeconds}`)
}

function parsed(args: readonly string[], takesConfig: boolean) {
  try {
    return takesConfig
      ? {
          ...parseArgs({ args: [...args], options: { ...shared, config: text } }).values,
          'block-seconds': undefined,
        }
      : {
          ...parseArgs({ args: [...args], options: { ...shared, 'block-seconds': text } }).values,
          config: undefined,
        }
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}
