import { defaultLimits, type RunningServer } from '@concordat/server'
import { type Contract, ContractError, loadContract } from '../../contract/index.js'
import { createMock, type Mock, mockDefaults } from '../../mock/index.js'
import { contractMessage } from '../contract-message.js'
import { defaultDocumentWords, documentOf, documentWords } from '../document-argument.js'
import { type CommandIo, parseOptions, UsageError } from '../io.js'
import { nextSignal } from '../next-signal.js'
import { writeReadyFile } from '../ready-file.js'
import { mockBanner } from './mock-banner.js'
import { loadMethods } from './mock-methods.js'

const defaults = { port: '8080', host: '127.0.0.1', seed: 'concordat' } as const

/** Deadline for a stop, in milliseconds: one second more than requests in flight have. */
const stopDeadlineMs = (defaultLimits.gracefulStopSeconds + 1) * 1000

const help = `Usage: concordat mock [DOC] [--port N] [--host H] [--seed S] [--notify-every MS] [--allow-remote] [--ready-file F]

Serves an OpenRPC document without an implementation. A call with the parameters of an example returns the result or
error of the example. Any other call returns a generated value that matches the result's schema and is stable for the
same seed, method and parameters. Invalid calls are rejected as by the generated server.

  DOC             the document with the files that it refers to: ${documentWords}
                  (default: ${defaultDocumentWords})

  --port N        port to listen on, 0 for a free one (default ${defaults.port})
  --host H        address to listen on (default ${defaults.host}, reachable from this machine only)
  --seed S        any text; changes the generated values (default "${defaults.seed}")
  --notify-every MS  milliseconds between two notifications of a subscription (default ${mockDefaults.notifyMilliseconds})
  --allow-remote  fetch the http and https documents that references name
  --ready-file F  write {"url", "seed"} as JSON to F once the server listens
  --help          show this help

The server listens on / and on the paths of the document's servers. rpc.discover returns the document. WebSockets on the
same port take the same messages. There, a subscription (x-subscription) sends a generated item at once and then at the
pace of --notify-every.
SIGTERM or SIGINT stops it. Exit codes: 0 stopped, 2 could not run.`

/**
 * Runs `concordat mock`, which serves a contract from its examples until SIGTERM or SIGINT.
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 after a stop
 * @throws UsageError when arguments, document or address are invalid
 */
export async function mockCommand(args: readonly string[], io: CommandIo): Promise<number> {
  const options = readOptions(args)
  if (options.help) {
    io.out(help)
    return 0
  }
  const { contract, mock } = await load(options, io)
  const stopped = nextSignal(stopDeadlineMs)
  const server = await listen(mock, options)
  try {
    const { url } = server
    if (options.readyFile !== undefined) await writeReadyFile(options.readyFile, { url, seed: options.seed })
    io.out(mockBanner(contract, mock, url, options.seed))
    await stopped
  } finally {
    await server.close()
  }
  return 0
}

interface MockCommandOptions {
  readonly documents: readonly string[]
  readonly port: number
  readonly host: string
  readonly seed: string
  readonly notifyMilliseconds: number
  readonly allowRemote: boolean
  readonly readyFile: string | undefined
  readonly help: boolean
}

function readOptions(args: readonly string[]): MockCommandOptions {
  const { values, positionals } = parseArguments(args)
  const { port = defaults.port, host = defaults.host, seed = defaults.seed } = values
  const pace = values['notify-every'] ?? String(mockDefaults.notifyMilliseconds)
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`--port takes a number from 0 to 65535, not "${port}"`)
  }
  if (!/^[1-9]\d{0,8}$/.test(pace)) {
    throw new UsageError(`--notify-every takes a number of milliseconds from 1 to 999999999, not "${pace}"`)
  }
  if (host === '') throw new UsageError('--host needs an address')
  if (values['ready-file'] === '') throw new UsageError('--ready-file needs the name of a file')
  return {
    documents: positionals,
    port: Number(port),
    host,
    seed,
    notifyMilliseconds: Number(pace),
    allowRemote: values['allow-remote'] === true,
    readyFile: values['ready-file'],
    help: values.help === true,
  }
}

function parseArguments(args: readonly string[]) {
  return parseOptions(args, {
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      seed: { type: 'string' },
      'notify-every': { type: 'string' },
      'allow-remote': { type: 'boolean' },
      'ready-file': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
}

async function load(
  { documents, seed, notifyMilliseconds, allowRemote }: MockCommandOptions,
  io: CommandIo,
): Promise<{ readonly contract: Contract; readonly mock: Mock }> {
  const document = await documentOf(documents)
  try {
    const contract = await loadContract(document, { allowRemote })
    const methods = await loadMethods(contract)
    const mock = createMock({
      contract,
      methods,
      seed,
      notifyMilliseconds,
      onError: ({ method, cause }) =>
        io.err(`concordat mock: ${method ?? 'a request'} failed: ${inspectable(cause)}`),
    })
    return { contract, mock }
  } catch (cause) {
    if (!(cause instanceof ContractError)) throw cause
    throw new UsageError(await contractMessage(document, cause), { cause })
  }
}

function inspectable(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

async function listen(mock: Mock, { port, host }: MockCommandOptions): Promise<RunningServer> {
  try {
    return await mock.listen({ port, host })
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    const reason = problems[String(code)]?.(`${host}:${port}`)
    if (reason === undefined) throw cause
    throw new UsageError(reason, { cause })
  }
}

/** Explains errors of listening on an address. */
const problems: Readonly<Record<string, (address: string) => string>> = {
  EADDRINUSE: (address) => `${address} is in use: choose another port with --port, or 0 for a free one`,
  EADDRNOTAVAIL: (address) => `${address} is not an address of this machine: change --host`,
  ENOTFOUND: (address) => `${address} is not an address of this machine: change --host`,
  EACCES: (address) => `permission denied to listen on ${address}: choose a port above 1023 with --port`,
}
