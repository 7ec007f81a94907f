import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, fetch } from 'undici'
import { type ConcordatProcess, cleanEnvironment, isService, startConcordat } from './concordat-process.js'
import { startHeldNode } from './held-node.js'

export { cleanEnvironment } from './concordat-process.js'

const compiled = new URL('../../dist/src/cli/main.js', import.meta.url)

/** A network of a service, with its development key. */
export interface ServedNetwork {
  readonly chainId: string
  readonly url: string
}

/** A service in a child process, started as users start it and found by its ready file. */
export interface RunningService {
  /** URLs with the development keys, and the chain ids. */
  readonly networks: Readonly<
    Record<'test' | 'main', ServedNetwork> & Record<string, ServedNetwork | undefined>
  >
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Base URL of its metrics; undefined without a metrics port. */
  readonly metrics: string | undefined
  readonly data: string
  readonly process: ChildProcess
  readonly output: ConcordatProcess['output']
  readonly said: ConcordatProcess['said']
  /** Sends a signal to the process by its id. Resolves to the exit code, or to null when the signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Options to start a service. */
export interface StartOptions {
  /** `start` by default. */
  readonly command?: 'start' | 'serve'
  readonly env?: Readonly<Record<string, string>>
  /** An existing data folder. The default is a new folder that `stop` removes. */
  readonly data?: string
  readonly args?: readonly string[]
  /**
   * True when a test needs only the chain id and the head. Minimal nodes then replace the development chains, which
   * take a third of the start.
   */
  readonly isChainless?: boolean
  /** `bin/concordat.js` of another copy of this project. */
  readonly launcher?: string
  /** True for a heap of 256 MB, which must be enough for every load. */
  readonly isHeapSmall?: boolean
  /** Further options of Node.js. */
  readonly nodeOptions?: readonly string[]
}

/**
 * Runs a command of the compiled program and returns its output. Services run in a child process; the other commands
 * run in this process, because a child process takes two seconds to load them.
 */
export async function runConcordat(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  if (isService(args)) {
    const { ended, output } = startConcordat(args, env)
    const code = await ended
    return { code, ...output() }
  }
  return runInProcess(args, env)
}

/** Runs a command of the compiled program in this process: also that of a service, if it must not start. */
export async function runInProcess(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const texts = { out: '', err: '' }
  const write = (stream: 'out' | 'err') => (line: string) => {
    texts[stream] += `${line}\n`
  }
  const { main } = (await import(compiled.href)) as typeof import('../../src/cli/main.js')
  const code = await main(args, { out: write('out'), err: write('err'), env: cleanEnvironment(env) })
  return { code, ...texts }
}

/**
 * Starts the service on a free port and waits for its ready file. Fails with the output when the process exits first.
 */
export async function startService(options: StartOptions = {}): Promise<RunningService> {
  const home = await mkdtemp(join(tmpdir(), 'concordat-service-'))
  const data = options.data ?? join(home, 'data')
  const readyFile = join(home, 'ready.json')
  const command = options.command ?? 'start'
  const args = [command, '--port', '0', '--data', data, '--ready-file', readyFile, ...(options.args ?? [])]
  const nodes = options.isChainless ? await startNodes() : undefined
  const service = startConcordat(
    args,
    { ...(options.launcher === undefined && manyCallers), ...nodes?.env, ...options.env },
    {
      launcher: options.launcher,
      nodeOptions: [
        ...(options.isHeapSmall === true ? ['--max-old-space-size=256'] : []),
        ...(options.nodeOptions ?? []),
      ],
    },
  )
  const ready = await service.ready(readyFile)
  if (ready === undefined) {
    nodes?.close()
    await rm(home, { recursive: true, force: true })
    const { out, err } = service.output()
    throw new Error(`the service exited before it was ready:\n${out}${err}`)
  }
  const { networks, metrics, dashboard } = JSON.parse(ready) as Pick<
    RunningService,
    'networks' | 'metrics'
  > & {
    readonly dashboard: string
  }
  return {
    networks,
    // The dashboard's address may differ from the service's.
    origin: new URL(Object.values(networks)[0]?.url ?? dashboard).origin,
    metrics,
    data,
    process: service.child,
    output: service.output,
    said: service.said,
    stop: async (signal) => {
      const code = await service.stop(signal)
      nodes?.close()
      await rm(home, { recursive: true, force: true })
      return code
    },
  }
}

/** A test is many callers at one address. Another version may not have these settings. */
const manyCallers = {
  CONCORDAT_LIMIT_CONNECTIONS_PER_ADDRESS: '10000',
  CONCORDAT_LIMIT_NEW_CONNECTIONS_PER_ADDRESS: '1000000',
}

/** Starts a node for each network that knows its chain id and its head. */
async function startNodes() {
  const [test, main] = await Promise.all(
    ['0x1f', '0x1e'].map((chain) => startHeldNode({ eth_chainId: chain, eth_blockNumber: '0x97f' })),
  )
  return {
    env: { CONCORDAT_NODES_TEST: test?.url ?? '', CONCORDAT_NODES_MAIN: main?.url ?? '' },
    close() {
      test?.close()
      main?.close()
    },
  }
}

/** Connections without time limits: a busy machine accepts and answers them late. */
const patient = new Agent({ connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0 })

/** Sends one JSON-RPC request and returns the answer with its HTTP status and headers. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    dispatcher: patient,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body:
      body instanceof Uint8Array ? Buffer.from(body) : typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

/** Calls a method and returns its result. An error answer is thrown as text. */
export async function call(url: string, method: string, ...params: readonly unknown[]) {
  const { json } = await post(url, { jsonrpc: '2.0', id: 1, method, params })
  if (json.error !== undefined) throw new Error(`${method}: ${JSON.stringify(json.error)}`)
  return json.result
}
