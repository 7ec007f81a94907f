import { rename, rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { limits } from '../../generated/contract.js'
import { EmbeddedChainError } from '../gateway/chain/embedded-chain-error.js'
import { ConfigError, readSettings, type Settings } from '../gateway/config.js'
import { type Gateway, startGateway } from '../gateway/gateway.js'
import { createLog } from '../gateway/ops/log.js'
import { OperatorError } from '../gateway/store/operator-error.js'
import { type CommandIo, UsageError } from './io.js'
import { startBanner } from './start-banner.js'

const help = `Usage: npm start [-- options], or concordat start [options]

Runs the node access service: the contract's methods over HTTP, API keys and quota kept in an embedded
database, and a development chain for each network without a node.

  --port N         port to listen on, 0 for a free one (CONCORDAT_PORT, default 8080)
  --data DIR       folder of the database, the secret and the control socket (CONCORDAT_DATA, default .concordat)
  --ready-file F   write the service's URLs as JSON to F once it answers
  --help           this text

From the environment:
  CONCORDAT_HOST                    address to listen on (default 127.0.0.1)
  CONCORDAT_NODES_TEST, _MAIN       URLs of a network's nodes, separated by commas (default: an embedded chain)
  CONCORDAT_PUBLIC_URL_TEST, _MAIN  what users are shown as the base of their URLs
  CONCORDAT_SECRET                  secret that keys are encrypted with (default: made once, kept in DIR)
  CONCORDAT_LIMIT_REQUESTS_PER_DAY  requests per user and day, at most ${limits.requestsPerUserPerDay} (the contract's)
  CONCORDAT_LOG_LEVEL               fatal, error, warn, info, debug, trace or silent (default info)

SIGTERM or SIGINT ends it: what is in flight is answered first, for up to ${limits.gracefulStopSeconds} seconds.`

/**
 * `concordat start`: the service until SIGTERM or SIGINT.
 * @returns 0 after a stop, 2 when it could not start
 */
export async function startCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const options = readOptions(args)
  if (options.help) {
    io.out(help)
    return 0
  }
  const settings = settingsOf(options, io)
  const stopped = nextSignal()
  const gateway = await start(settings, io)
  try {
    if (options.readyFile !== undefined) await writeReadyFile(options.readyFile, gateway)
    io.out(startBanner(gateway, settings.dataDir))
    await stopped
  } finally {
    await gateway.stop()
  }
  return 0
}

interface StartOptions {
  readonly port: string | undefined
  readonly data: string | undefined
  readonly readyFile: string | undefined
  readonly help: boolean
}

function readOptions(args: readonly string[]): StartOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        data: { type: 'string' },
        'ready-file': { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values['ready-file'] === '') throw new UsageError('--ready-file needs the name of a file')
    return { port: values.port, data: values.data, readyFile: values['ready-file'], help: values.help }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}

function settingsOf(options: StartOptions, io: CommandIo): Settings {
  try {
    return readSettings(io.env, options, limits.requestsPerUserPerDay)
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.problems.join('; ')) : error
  }
}

async function start(settings: Settings, io: CommandIo): Promise<Gateway> {
  try {
    return await startGateway(settings, createLog(settings.logLevel, io.err))
  } catch (error) {
    const reason = startProblem(error, settings)
    if (reason === undefined) throw error
    throw new UsageError(reason)
  }
}

/** Says what a person can do about an error that kept the service from starting; undefined when it is a defect of ours. */
function startProblem(error: unknown, settings: Settings): string | undefined {
  if (error instanceof OperatorError || error instanceof EmbeddedChainError) return error.message
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  const address = `${settings.host}:${settings.port}`
  if (code === 'EADDRINUSE')
    return `${address} is in use; choose another port with --port, or 0 for a free one`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `${address} is no address of this machine (CONCORDAT_HOST)`
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen') {
    return `not allowed to listen on ${address}; choose a port above 1023 with --port`
  }
  return undefined
}

/** Signals this close together, in milliseconds, are one: npm passes on the Ctrl-C that the terminal sends here, too. */
const sameSignalMs = 500

/** A stop that takes this long, in milliseconds, hangs: a second more than requests in flight have. */
const stopDeadlineMs = (limits.gracefulStopSeconds + 1) * 1000

/**
 * Resolves on the first SIGTERM or SIGINT. A second one ends the process at once, as people expect of Ctrl-C, and so
 * does the deadline, also while the service is still starting: what it started ends with it.
 */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = () => {
      if (first === undefined) {
        first = performance.now()
        setTimeout(() => process.exit(1), stopDeadlineMs).unref()
        resolve()
      } else if (performance.now() - first > sameSignalMs) process.exit(1)
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}

/** Writes the service's URLs whole or not at all; the keys in them make the file the owner's alone. */
async function writeReadyFile(file: string, gateway: Gateway): Promise<void> {
  const networks = Object.fromEntries(
    Object.entries(gateway.networks).map(([name, { chainId, url }]) => [name, { chainId, url }]),
  )
  const unfinished = `${file}.${process.pid}`
  try {
    await writeFile(unfinished, `${JSON.stringify({ networks })}\n`, { mode: 0o600 })
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw new UsageError(
      `the ready file cannot be written: ${error instanceof Error ? error.message : error}`,
    )
  }
}
