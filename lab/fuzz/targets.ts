import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createChecks } from '../../src/judge/index.js'
import { loadContract } from '../../src/toolkit/contract/index.js'
import { type ConcordatProcess, startConcordat } from '../../test/support/concordat-process.js'
import { createKey } from '../../test/support/keys.js'
import { startNodeServer } from '../../test/support/node-server.js'
import { type RunningService, startService } from '../../test/support/service.js'
import { separateVisitors } from '../../test/support/visitor.js'
import { type CalledService, httpDirection, rawDirection } from './callers.js'
import type { Direction } from './direction.js'
import { formDirection } from './forms.js'
import { frameDirection } from './frames.js'
import { createRequestTexts } from './inputs/request-texts.js'
import { createAnswerJudge } from './judge-answers.js'
import { answerFromContract, nodeDirection } from './nodes.js'
import { isRunning, watchIn } from './watched-process.js'

/** The programs that receive inputs: the service, and `concordat mock` for WebSockets. */
export interface Targets {
  /** Each direction, and its share of the inputs, from 0 to 1. */
  readonly directions: readonly { readonly direction: Direction; readonly part: number }[]
  /** The process of the service, and the URL of its metrics. */
  readonly pid: number
  readonly metrics: string
  /** Called once when a program exits before `close`. */
  onExit: ((program: string) => void) | undefined
  /** Returns the problems of the programs so far, other than wrong answers. */
  readonly problems: () => Promise<readonly string[]>
  /** Returns the last line of the service's log at level `error`; undefined if the log is empty. */
  readonly lastError: () => string | undefined
  /** Returns the longest block of the service's event loop, in milliseconds of processor time. */
  readonly longestBlock: () => Promise<number | undefined>
  readonly close: () => Promise<void>
}

const operatorAddress = 'operator@example.com'
/** Maximum requests of each user, below the contract's daily limit. */
const requestsOfUser = 20_000
const document = fileURLToPath(new URL('../../openrpc.json', import.meta.url))

/** Starts the programs. The test network has a node that follows the contract, and the main network a hostile one. */
export async function startTargets(seed: number): Promise<Targets> {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-fuzz-'))
  const contract = await loadContract(document)
  const [proper, hostile] = [await startNodeServer(), await startNodeServer({ chainId: '0x1e' })]
  const checks = createChecks(contract)
  answerFromContract(
    proper,
    contract,
    seed,
    ({ method, params }, result) => checks.result(method, params, result).length === 0,
  )
  const watched = watchIn(folder)
  const service = await startService({
    env: {
      ...watched.env,
      ...separateVisitors,
      CONCORDAT_NODES_TEST: proper.url,
      CONCORDAT_NODES_MAIN: hostile.url,
      CONCORDAT_OPERATORS: operatorAddress,
      CONCORDAT_LOG_LEVEL: 'error',
      CONCORDAT_METRICS_PORT: '0',
      CONCORDAT_LIMIT_NODE_CALLS_PER_SECOND: '100000',
      CONCORDAT_LIMIT_NODE_CALLS_AT_ONCE: '10000',
    },
  })
  const mock = await startMock(folder)
  const requests = createRequestTexts(contract)
  const judge = createAnswerJudge(contract)
  const called = (network: string) => calledService(service, network)
  const http = httpDirection(called('test'), requests, judge)
  const nodes = nodeDirection(called('main'), hostile, contract, requests, judge)
  const targets: Targets = {
    directions: [
      { direction: http as Direction, part: 0.55 },
      { direction: rawDirection(called('test'), requests, judge) as Direction, part: 0.1 },
      { direction: nodes as Direction, part: 0.2 },
      { direction: frameDirection(mock.url, requests, judge) as Direction, part: 0.1 },
      { direction: (await formDirection(service.origin, operatorAddress)) as Direction, part: 0.05 },
    ],
    pid: service.process.pid ?? 0,
    metrics: service.metrics ?? '',
    onExit: undefined,
    async problems() {
      const { errors } = await watched.read()
      const { err } = service.output()
      const defects = err
        .split('\n')
        .filter((line) => line.includes('"kind":"handlerFailed"') || isDefect(line))
      const ended = [
        ...(isRunning({ child: service.process }) ? [] : [`the service exited: ${err.slice(-2_000)}`]),
        ...(isRunning({ child: mock.process.child })
          ? []
          : [`the mock exited: ${mock.process.output().err.slice(-2_000)}`]),
      ]
      return [...errors, ...defects, ...ended]
    },
    lastError: () => service.output().err.trimEnd().split('\n').at(-1) || undefined,
    longestBlock: async () => (await watched.read()).longestBlock,
    async close() {
      targets.onExit = undefined
      await Promise.all([http.close(), nodes.close()])
      await Promise.all([service.stop(), mock.process.stop(), proper.close(), hostile.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
  service.process.once('exit', () => targets.onExit?.('the service'))
  mock.process.child.once('exit', () => targets.onExit?.('the mock'))
  return targets
}

/** True for a line of the log with a JavaScript error, which is a defect of the program. */
const isDefect = (line: string): boolean =>
  /"type":"(?:TypeError|RangeError|ReferenceError|SyntaxError)"/.test(line)

async function startMock(
  folder: string,
): Promise<{ readonly url: string; readonly process: ConcordatProcess }> {
  const file = join(folder, 'mock.json')
  const process = startConcordat(['mock', document, '--port', '0', '--ready-file', file])
  const ready = await process.ready(file)
  if (ready === undefined) throw new Error(process.output().err)
  return { url: (JSON.parse(ready) as { readonly url: string }).url, process }
}

let addresses = 0

/** Gives callers keys of a network. After a number of requests, the keys belong to a new user. */
function calledService(service: RunningService, network: string): CalledService {
  let left = 0
  let users = 0
  let key: Promise<string> | undefined
  return {
    origin: service.origin,
    keyFor(cost) {
      left -= cost
      if (key === undefined || left < 0) {
        left = requestsOfUser - cost
        users += 1
        const user = `${network}${users}@example.com`
        key = createKey(service, '--user', user, '--network', network, '--name', 'fuzz').then(({ url }) =>
          new URL(url).pathname.slice(1),
        )
        // The next input creates another key.
        key.catch(() => {
          key = undefined
        })
      }
      return key
    },
    newAddress() {
      addresses += 1
      return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
    },
  }
}
