import { defaultLimits, type RunningServer } from '@concordat/server'
import { FramingError } from '@concordat/server/stdio'
import { type Contract, ContractError, loadContract } from '../../toolkit/contract/index.js'
import { createMock, type Mock, mockDefaults } from '../../toolkit/mock/index.js'
import { contractMessage } from '../contract-message.js'
import {
  defineCommand,
  type InvocationOf,
  type Program,
  refuseBeside,
  text,
  wholeNumber,
} from '../define-command.js'
import { allowRemoteOption, documentHelp, documentOf } from '../document-argument.js'
import { type CommandIo, UsageError } from '../io.js'
import { nextSignal } from '../next-signal.js'
import { writeReadyFile } from '../ready-file.js'
import { mockBanner } from './mock-banner.js'
import { loadMethods } from './mock-methods.js'

/** Deadline for a stop, in milliseconds: one second more than requests in flight have. */
const stopDeadlineMs = (defaultLimits.gracefulStopSeconds + 1) * 1000

const define = (program: Program) =>
  program
    .argument('[DOC]', documentHelp)
    .option('--port <N>', 'port to listen on, 0 for a free one', wholeNumber(0, 65_535), 8080)
    .option(
      '--host <H>',
      'address to listen on; the default is reachable from this machine only',
      text,
      '127.0.0.1',
    )
    .option('--seed <S>', 'any text; changes the generated values', String, 'concordat')
    .option(
      '--notify-every <MS>',
      'milliseconds between two notifications of a subscription',
      wholeNumber(1),
      mockDefaults.notifyMilliseconds,
    )
    .option(
      '--stdio',
      'serve standard input and output instead of a port, in the framing of the document (x-session)',
      false,
    )
    .option(...allowRemoteOption)
    .option('--ready-file <F>', 'write {"url", "seed"} as JSON to F once the server listens')

/** Runs `concordat mock`, which serves a contract from its examples until SIGTERM or SIGINT. */
export const mockCommand = defineCommand({
  name: 'mock',
  description: `Serves an OpenRPC document without an implementation. A call with the parameters of an example returns the
result or error of the example. Any other call returns a generated value that matches the result's schema and is stable
for the same seed, method and parameters. Invalid calls are rejected as by the generated server.`,
  define,
  examples: [
    { says: "the project's document on port 8080", line: 'concordat mock' },
    { says: 'another document on a free port', line: 'concordat mock openrpc.json --port 0' },
  ],
  notes: `The server listens on / and on the paths of the document's servers. rpc.discover returns the document.
WebSockets on the same port take the same messages. There, a subscription (x-subscription) sends a generated item at once
and then at the pace of --notify-every. With --stdio, one client is served over standard input and output, and all other
output goes to standard error.

SIGTERM or SIGINT stops it, and with --stdio the end of the input. Exit codes: 0 stopped, 2 could not run.`,
  run: serveMock,
})

type Options = InvocationOf<typeof define>['options']

async function serveMock({
  args: [named],
  options,
  given,
  io,
}: InvocationOf<typeof define>): Promise<number> {
  if (options.stdio) refuseUnusable(named, given)
  const { contract, mock } = await load(named, options, io)
  const stopped = nextSignal(stopDeadlineMs)
  if (options.stdio) return serveStreams(contract, mock, options, stopped, io)
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

/**
 * Refuses what has no meaning without a port.
 * @throws UsageError
 */
function refuseUnusable(named: string | undefined, given: InvocationOf<typeof define>['given']): void {
  refuseBeside('--stdio', ['--port', '--host', '--ready-file'], given)
  if (named === '-')
    throw new UsageError('with --stdio, the document cannot come from standard input: use a file')
}

/** Serves standard input and output until the input ends or a signal arrives. */
async function serveStreams(
  contract: Contract,
  mock: Mock,
  { seed }: Options,
  stopped: Promise<void>,
  io: CommandIo,
): Promise<number> {
  io.err(mockBanner(contract, mock, undefined, seed))
  try {
    await Promise.race([mock.serveStreams(), stopped])
    return 0
  } catch (cause) {
    if (!(cause instanceof FramingError)) throw cause
    throw new UsageError(`standard input: ${cause.message}`, { cause })
  } finally {
    // An open input would keep the process running.
    process.stdin.destroy()
  }
}

async function load(
  named: string | undefined,
  { seed, notifyEvery: notifyMilliseconds, allowRemote }: Options,
  io: CommandIo,
): Promise<{ readonly contract: Contract; readonly mock: Mock }> {
  const document = await documentOf(named)
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

async function listen(mock: Mock, { port, host }: Options): Promise<RunningServer> {
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
