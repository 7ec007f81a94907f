import { UsageError } from '../../io.js'

/** Default budget of `--watch`, in billed requests an hour: half of what the contract of this service grants. */
export const watchDefaults = { perHour: 500 } as const

/** The parsed options of `--watch`. */
export interface WatchOptions {
  /** Seconds from the start of a round to the start of the next. */
  readonly seconds: number
  /** Maximum billed requests in any hour. */
  readonly perHour: number
  /** Port of 127.0.0.1 for metrics. 0 chooses a free port. */
  readonly metricsPort: number | undefined
  /** URL that receives changes of rules. It is a secret. */
  readonly webhook: string | undefined
}

/** Options that judge or report a single run. */
const single = [
  ...[
    'allow',
    'plan',
    'list',
    'budget',
    'replay',
    'explore',
    'repeat',
    'seed',
    'save',
    'profile',
    'report',
    'baseline',
  ],
  ...['fail-on', 'min-coverage', 'max-latency', 'latency', 'latency-tolerance', 'require-complete'],
]

/** Options that only `--watch` has. */
const own = ['watch-budget', 'metrics-port', 'webhook'] as const

/**
 * Reads the options of `--watch`.
 * @param given all options of the command
 * @param wholeNumber parses an integer option
 * @returns undefined without `--watch`
 * @throws UsageError, without the webhook's URL, for invalid values and for options that cannot be combined
 */
export function readWatch(
  given: Readonly<Partial<Record<'watch' | (typeof own)[number], string>>>,
  wholeNumber: (name: string, given: string | undefined, least: number) => number | undefined,
): WatchOptions | undefined {
  const seconds = wholeNumber('watch', given.watch, 1)
  if (seconds === undefined) {
    const alone = own.find((name) => given[name] !== undefined)
    if (alone !== undefined) throw new UsageError(`--${alone} needs --watch SECONDS`)
    return undefined
  }
  for (const name of single) {
    const value: unknown = Object.entries(given).find(([option]) => option === name)?.[1]
    if (value !== undefined && value !== false) {
      throw new UsageError(`--watch and --${name} cannot be combined`)
    }
  }
  const metricsPort = wholeNumber('metrics-port', given['metrics-port'], 0)
  if (metricsPort !== undefined && metricsPort > 65_535) {
    throw new UsageError('--metrics-port needs a whole number up to 65535')
  }
  const { webhook } = given
  if (webhook !== undefined && !(URL.canParse(webhook) && /^https?:$/.test(new URL(webhook).protocol))) {
    throw new UsageError('--webhook needs a complete URL that starts with http:// or https://')
  }
  const perHour = wholeNumber('watch-budget', given['watch-budget'], 1) ?? watchDefaults.perHour
  return { seconds, perHour, metricsPort, webhook }
}
