import type { Settings } from '@concordat/gateway'
import {
  createLog,
  EmbeddedChainError,
  type Gateway,
  type GatewayOptions,
  ListenError,
  type Log,
  OperatorError,
  startGateway,
  systemCode,
} from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import { type CommandIo, UsageError } from '../io.js'
import { nextSignal } from '../next-signal.js'
import { readToolVersions } from '../package-file.js'
import { writeReadyFile } from '../ready-file.js'
import type { ServiceArguments } from './service-options.js'
import { readServiceSettings } from './service-settings.js'

/** Options that `start` and `serve` share. */
export interface ServiceOptions extends ServiceArguments {
  readonly gateway: GatewayOptions
  /** Called once the service listens. */
  readonly onReady: (gateway: Gateway, settings: Settings, log: Log) => void
}

/** Exit code after the loss of the database. */
const lostDatabaseCode = 2

/**
 * Deadline for a stop, in milliseconds. After the requests in flight, counts are written and the database is
 * closed, which can take seconds. The examples in `deploy/` allow more time than this.
 */
const stopDeadlineMs = (limits.gracefulStopSeconds + 4) * 1000

/**
 * Runs the service until SIGTERM or SIGINT. SIGHUP reloads the configuration.
 * @param options the command's options
 * @param io output and environment
 * @returns 0 after a stop, 2 after the loss of the embedded database, so that a supervisor restarts the
 *   process
 * @throws UsageError with advice, when the service does not start
 */
export async function serveService(options: ServiceOptions, io: CommandIo): Promise<number> {
  const starting = begin(options, io)
  // Registered first and removed last, because an unhandled SIGHUP ends the process.
  const reloads = takeHangups(async () => reloadSettings(await starting, options, io))
  try {
    return await serveUntil(await starting, options, reloads)
  } finally {
    reloads.close()
  }
}

/** A started service. */
interface Served {
  readonly settings: Settings
  readonly log: Log
  readonly gateway: Gateway
  /** Resolves on a signal to stop. */
  readonly stopped: Promise<void>
}

async function begin(options: ServiceOptions, io: CommandIo): Promise<Served> {
  const settings = await readServiceSettings(options, io)
  const log = createLog(settings.logLevel, io.err, settings.tuning.logBytesPerMinute)
  logWarnings(log)
  logIgnored(settings, log)
  const stopped = nextSignal(stopDeadlineMs)
  return { settings, log, gateway: await startedGateway(settings, log, options.gateway), stopped }
}

/** Logs a warning for each setting that this version does not support. */
function logIgnored({ ignored }: Settings, log: Log): void {
  for (const sentence of ignored) log.warn(sentence)
}

/** Logs Node.js warnings, such as those of the database driver, as JSON instead of text. */
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
    log.fatal(end, 'the embedded database ended; the process exits and keeps its data for the next start')
    // Without a database, a complete shutdown is not possible.
    await gateway.stop().catch((error: unknown) => log.error({ err: error }, 'a part failed to stop'))
    return lostDatabaseCode
  } finally {
    reloads.ignore()
    await gateway.stop()
  }
}

/** Handles SIGHUP. */
interface Hangups {
  /** Ignores further signals. */
  ignore(): void
  close(): void
}

/** Reloads on SIGHUP, one reload at a time. Signals that arrive while a reload waits are merged with it. */
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
      // A failed start is reported by the caller of begin.
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

/** Reloads the configuration. An invalid one is logged and ignored. */
async function reloadSettings(
  { gateway, log }: Pick<Served, 'gateway' | 'log'>,
  options: ServiceOptions,
  io: CommandIo,
): Promise<void> {
  try {
    const settings = await readServiceSettings(options, io)
    const { changed, needRestart } = gateway.reload(settings)
    logIgnored(settings, log)
    log.info({ changed }, 'configuration reloaded')
    if (needRestart.length > 0) log.warn({ needRestart }, 'these changed settings need a restart')
  } catch (error) {
    const reason = error instanceof UsageError ? { reason: error.message } : { err: error }
    log.error(reason, 'the configuration is invalid; the previous one stays in effect')
  }
}

/**
 * Starts the service.
 * @throws UsageError with advice, when the service does not start
 */
export async function startedGateway(
  settings: Settings,
  log: Log,
  options: GatewayOptions,
): Promise<Gateway> {
  try {
    const { version } = await readToolVersions()
    return await startGateway(settings, log, { ...options, version })
  } catch (error) {
    const reason = startProblem(error, settings)
    if (reason === undefined) throw error
    throw new UsageError(reason, { cause: error })
  }
}

/** Explains an error that prevented the start. Returns undefined for a defect of concordat. */
function startProblem(error: unknown, settings: Settings): string | undefined {
  if (error instanceof OperatorError || error instanceof EmbeddedChainError) return error.message
  return error instanceof ListenError ? listenProblem(error, settings) : undefined
}

/** Explains an error of listening on an address. */
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
      return `${address} is in use: choose another port with ${option}, or 0 for a free one`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${address} is not an address of this machine: change ${setting}`
    case 'EACCES':
      return `permission denied to listen on ${address}: choose a port above 1023 with ${option}`
    default:
      return undefined
  }
}

/** Returns the content of the ready file. Its URLs contain keys, so only the owner can read it. */
function readyContent({ networks, metrics, dashboard }: Gateway): object {
  const shown = Object.entries(networks).map(([name, { chainId, url }]) => [name, { chainId, url }])
  return {
    dashboard: dashboard.url,
    ...(metrics === undefined ? {} : { metrics }),
    networks: Object.fromEntries(shown),
  }
}
