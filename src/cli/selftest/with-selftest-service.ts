import { chainFunctions } from '../../judge/functions/index.js'
import { type Fault, type FaultyRunOptions, SelftestTrouble } from '../../judge/index.js'
import { stopOnSignal } from '../conform/conform-interrupt.js'
import { targetOf } from '../conform/conform-setup.js'
import { loadSuite, type Suite } from '../conform/conform-suite.js'
import { UsageError } from '../io.js'
import { checkRules } from './selftest-faults.js'
import { type StartedService, startSelftestService } from './selftest-service.js'

/** What a selftest tries, and where. */
interface ServiceOptions {
  /** A running service; undefined starts the embedded one. */
  readonly url: string | undefined
  readonly contract?: string | undefined
  readonly scenarios: readonly string[]
  readonly faults: readonly Fault[]
  /** Seconds between blocks of the embedded chains. */
  readonly blockSeconds: number
  /** Daily requests of a user of the embedded service. */
  readonly requestsPerDay?: number | undefined
}

/** What every selftest with a service needs. */
interface SelftestContext extends FaultyRunOptions {
  readonly suite: Suite
  readonly progress: ReturnType<typeof createFaultProgress>
}

/**
 * Loads the suite, starts or uses a service, runs a selftest and stops the service.
 * @throws UsageError for an invalid suite, a service that does not start or fails, or a signal
 */
export async function withSelftestService<Result>(
  options: ServiceOptions,
  run: (context: SelftestContext) => Promise<Result>,
): Promise<Result> {
  const { url, faults, blockSeconds, requestsPerDay } = options
  const suite = await loadSuite({ document: options.contract, folders: options.scenarios })
  const { contract, checks, sha256, scenarios, fixtures, invariants, tool } = suite
  checkRules(faults, contract)
  const stop = stopOnSignal()
  const progress = createFaultProgress(faults.length)
  progress.say('  starting the embedded service')
  const starting =
    url === undefined ? startSelftestService({ blockSeconds, requestsPerDay }) : given(url, suite)
  const service = await starting.catch((error: unknown) => {
    progress.clear()
    throw error
  })
  progress.say('  running the cases without a fault')
  try {
    return await run({
      ...{ suite, progress, tool, contract, contractSha256: sha256, scenarios, fixtures, invariants, checks },
      ...{ functions: chainFunctions, service, signal: stop.signal },
    })
  } catch (error) {
    if (stop.signal.aborted) throw new UsageError('stopped before all faults were tried')
    throw error instanceof SelftestTrouble ? new UsageError(error.message, { cause: error }) : error
  } finally {
    progress.clear()
    await service.stop()
    stop.end()
  }
}

/**
 * Uses a running service, with one user for all faults.
 * @throws UsageError for a URL of another machine, because cases may write and spend quota
 */
async function given(url: string, suite: Parameters<typeof targetOf>[1]): Promise<StartedService> {
  const { isLoopback } = targetOf({ url }, suite)
  const { protocol } = new URL(url)
  if (!isLoopback || protocol !== 'http:') {
    throw new UsageError('the selftest may write: it needs an http URL of this machine')
  }
  return { fundedKey: undefined, newUser: async () => ({ url }), stop: async () => undefined }
}

/** Clears the current line of a terminal. */
const CLEAR = '\r\u001b[2K'

/** Shows progress in one line of a terminal. Writes nothing if the stream is not a terminal. */
function createFaultProgress(total: number) {
  const stream = process.stderr
  const write = (text: string) => stream.isTTY === true && stream.write(text)
  return {
    say: (text: string) => write(`${CLEAR}${text}`),
    show: (name: string, done: number) => write(`${CLEAR}  ${done} of ${total}  ${name}`),
    clear: () => write(CLEAR),
  }
}
