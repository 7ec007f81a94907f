import { limits } from '../../../generated/contract.js'
import type { Settings } from '../../gateway/app/config.js'
import { type Gateway, type GatewayOptions, startGateway } from '../../gateway/app/gateway.js'
import { EmbeddedChainError } from '../../gateway/dev-chain/embedded-chain-error.js'
import { OperatorError, systemCode } from '../../gateway/store/operator-error.js'
import { createLog, type Log } from '../../gateway/telemetry/log.js'
import { ListenError } from '../../util/listen-error.js'
import { type CommandIo, UsageError } from '../io.js'
import { nextSignal } from '../next-signal.js'
import { writeReadyFile } from '../ready-file.js'
import type { ServiceArguments } from './service-options.js'
import { readServiceSettings } from './service-settings.js'

/** What `start` and `serve` have in common. */
export interface ServiceOptions extends Omit<ServiceArguments, 'help' | 'blockSeconds'> {
  readonly gateway: GatewayOptions
  /** Told once it answers. */
  readonly onReady: (gateway: Gateway, settings: Settings, log: Log) => void
}

/** The service could not go on. */
const lostDatabaseCode = 2

/**
 * A stop that takes this long, in milliseconds, hangs: requests in flight have their time, and then counts are written
 * and the database is closed, which takes a busy machine seconds. It is less than the examples in `deploy/` allow.
 */
const stopDeadlineMs = (limits.gracefulStopSeconds + 4) * 1000

/**
 * Runs the service until SIGTERM or SIGINT; SIGHUP puts a changed configuration in force where that is safe.
 * @returns 0 after such a stop, 2 where the embedded database was lost: whoever supervises the process starts it anew
 * @throws UsageError with what a person can do about it where it does not start
 */
export async function serveService(options: ServiceOptions, io: CommandIo): Promise<number> {
  const starting = begin(options, io)
  // From before the configuration is read to the last moment: a SIGHUP that nobody takes ends the process.
  const reloads = takeHangups(async () => reloadSettings(await starting, options, io))
  try {
    return await serveUntil(await starting, options, reloads)
  } finally {
    reloads.close()
  }
}

/** A service that has started. */
interface Served {
  readonly settings: Settings
  readonly log: Log
  readonly gateway: Gateway
  /** Resolves when it is told to stop. */
  readonly stopped: Promise<void>
}

async function begin(options: ServiceOptions, io: CommandIo): Promise<Served> {
  const settings = await readServiceSettings(options, io)
  const log = createLog(settings.logLevel, io.err)
  logWarnings(log)
  const stopped = nextSignal(stopDeadlineMs)
  return { settings, log, gateway: await start(settings, log, options), stopped }
}

/** Node.js writes warnings, such as the database driver's about TLS, as text between the lines of JSON. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log.warn({ name }, message))
}

async function serveUntil(
  { settings, log, gateway, stopped }: Served,
  options: ServiceOptions,
  reloads: Pick<Hangups, 'ignore'>,
): Promise<number> {
  try {
    if (options.readyFile !== undefined) await writeReadyFile(options.readyFile, readyContent(gateway))
    options.onReady(gateway, settings, log)
    const lost = gateway.lost.then((err) => ({ err }))
    const end = await Promise.race([stopped, lost])
    if (end === undefined) return 0
    log.fatal(end, 'the embedded database ended; the process ends, and keeps its data for the next start')
    // Without a database more than that cannot be done in order.
    await gateway.stop().catch((error: unknown) => log.error({ err: error }, 'a part did not stop in order'))
    return lostDatabaseCode
  } finally {
    reloads.ignore()
    await gateway.stop()
  }
}

/** Takes SIGHUP. */
interface Hangups {
  /** From now on nothing is done about it. */
  ignore(): void
  close(): void
}

/** Reloads behind each SIGHUP, one time after the other: those that come while one waits are one with it. */
function takeHangups(reload: () => Promise<void>): Hangups {
  let last = Promise.resolve()
  let isWaiting = false
  let isIgnoring = false
  const onSignal = () => {
    if (isWaiting || isIgnoring) return
    isWaiting = true
    last = last
      .then(() => {
        isWaiting = false
        return isIgnoring ? undefined : reload()
      })
      // What kept the service from starting is told by who starts it.
      .catch(() => undefined)
  }
  process.on('SIGHUP', onSignal)
  return {
    ignore() {
      isIgnoring = true
    },
    close: () => process.off('SIGHUP', onSignal),
  }
}

/** A configuration that cannot be used leaves the one in force as it is. */
async function reloadSettings(
  { gateway, log }: Pick<Served, 'gateway' | 'log'>,
  options: ServiceOptions,
  io: CommandIo,
): Promise<void> {
  try {
    const { changed, needRestart } = gateway.reload(await readServiceSettings(options, io))
    log.info({ changed }, 'configuration read again')
    if (needRestart.length > 0) log.warn({ needRestart }, 'what was changed here needs a restart')
  } catch (error) {
    const reason = error instanceof UsageError ? { reason: error.message } : { err: error }
    log.error(reason, 'the configuration cannot be used; the one before stays in force')
  }
}

async function start(settings: Settings, log: Log, { gateway }: ServiceOptions): Promise<Gateway> {
  try {
    return await startGateway(settings, log, gateway)
  } catch (error) {
    const reason = startProblem(error, settings)
    if (reason === undefined) throw error
    throw new UsageError(reason, { cause: error })
  }
}

/** Says what a person can do about an error that kept the service from starting; undefined when it is a defect of ours. */
function startProblem(error: unknown, settings: Settings): string | undefined {
  if (error instanceof OperatorError || error instanceof EmbeddedChainError) return error.message
  return error instanceof ListenError ? listenProblem(error, settings) : undefined
}

/** The same for an address that cannot be listened on. */
function listenProblem({ of, cause }: ListenError, settings: Settings): string | undefined {
  const { host, port, option, setting } =
    of === 'metrics'
      ? {
          ...settings.metrics,
          option: 'CONCORDAT_METRICS_PORT',
          setting: 'metrics.host',
        }
      : { host: settings.host, port: settings.port, option: '--port', setting: 'CONCORDAT_HOST' }
  const address = `${host}:${port}`
  switch (systemCode(cause)) {
    case 'EADDRINUSE':
      return `${address} is in use; choose another port with ${option}, or 0 for a free one`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address} is no address of this machine (${setting})`
    case 'EACCES':
      return `not allowed to listen on ${address}; choose a port above 1023 with ${option}`
    default:
      return undefined
  }
}

/** What the ready file says; keys in the URLs make it the owner's alone. */
function readyContent({ networks, metrics, dashboard }: Gateway): object {
  const shown = Object.entries(networks).map(([name, { chainId, url }]) => [name, { chainId, url }])
  return {
    ...(dashboard === undefined ? {} : { dashboard: dashboard.url }),
    ...(metrics === undefined ? {} : { metrics }),
    networks: Object.fromEntries(shown),
  }
}
