import {
  type Option,
  type OptionValues,
  type Program,
  refuseBeside,
  timerSeconds,
  wholeNumber,
} from '../../define-command.js'
import { UsageError } from '../../io.js'

/** Default budget of `--watch`, in billed requests an hour: half of what the contract of this service grants. */
const watchDefaults = { perHour: 500 } as const

/** The parsed options of `--watch`. */
export interface WatchOptions {
  /** Seconds from the start of a round to the start of the next. */
  readonly seconds: number
  /** Maximum billed requests in any hour. */
  readonly perHour: number
  /** Port of 127.0.0.1 for metrics. 0 chooses a free port. */
  readonly metricsPort: number | undefined
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
].map((name) => `--${name}`)

/** The help group of `--watch` and the options that need it. */
const watchGroup = 'Watch:'

/** Adds `--watch` and the options that need it. */
export const watchOptions = <Args extends unknown[], Options extends OptionValues>(
  program: Program<Args, Options>,
) =>
  program
    .optionsGroup(watchGroup)
    .option(
      '--watch <SECONDS>',
      `run until SIGINT or SIGTERM: every SECONDS a small part of the cases that only read, so that each case has its
      turn. A rule fails from the failure of one of its cases until all of them pass; inconclusive cases change nothing.
      Changes are printed. States are kept in memory`,
      timerSeconds,
    )
    .option(
      '--watch-budget <N>',
      'maximum billed requests in any hour',
      wholeNumber(1),
      watchDefaults.perHour,
    )
    .option(
      '--metrics-port <N>',
      'serve Prometheus metrics on 127.0.0.1 at /metrics (0: a free port)',
      wholeNumber(0, 65_535),
    )

/** The values of the options that {@link watchOptions} adds. */
interface Values {
  readonly watch?: number
  readonly watchBudget: number
  readonly metricsPort?: number
}

/**
 * Returns the options of `--watch`.
 * @param given the options that were given
 * @returns undefined without `--watch`
 * @throws UsageError for options that cannot be combined
 */
export function readWatch(
  { watch: seconds, watchBudget: perHour, metricsPort }: Values,
  given: readonly Option[],
): WatchOptions | undefined {
  for (const { long = '', helpGroupHeading } of given) {
    if (seconds === undefined && helpGroupHeading === watchGroup) {
      throw new UsageError(`${long} needs --watch SECONDS`)
    }
  }
  refuseBeside('--watch', single, given)
  return seconds === undefined ? undefined : { seconds, perHour, metricsPort }
}
