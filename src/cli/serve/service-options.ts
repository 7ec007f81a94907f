import { parseOptions, UsageError } from '../io.js'

/** The arguments of a command that runs the service. */
export interface ServiceArguments {
  readonly config: string | undefined
  readonly port: string | undefined
  readonly data: string | undefined
  /** Network names, separated by commas. */
  readonly network: string | undefined
  readonly readyFile: string | undefined
  /** Seconds between blocks of a development chain. 0 mines each transaction immediately. */
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
 * Parses the arguments of a command that runs the service.
 * @param args the arguments after the command name
 * @param takesConfig true if the command has the option --config
 * @throws UsageError when they are invalid
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

/** Maximum time between blocks, in seconds. */
const mostBlockSeconds = 3600

/**
 * Parses the value of `--block-seconds`.
 * @param text the value, `0` if the option is not given
 * @returns seconds
 * @throws UsageError when it is not an integer within the limit
 */
export function readBlockSeconds(text = '0'): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (seconds <= mostBlockSeconds) return seconds
  throw new UsageError(`--block-seconds takes an integer from 0 to ${mostBlockSeconds} seconds`)
}

function parsed(args: readonly string[], takesConfig: boolean) {
  return takesConfig
    ? { ...parseOptions(args, { options: { ...shared, config: text } }).values, 'block-seconds': undefined }
    : { ...parseOptions(args, { options: { ...shared, 'block-seconds': text } }).values, config: undefined }
}
