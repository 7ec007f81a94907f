import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConcordatProcess, startConcordat } from './concordat-process.js'
import { startHeldNode } from './held-node.js'

export { cleanEnvironment, uncounted } from './concordat-process.js'

/** A network of a service, with its development key. */
export interface ServedNetwork {
  readonly chainId: string
  readonly url: string
}

/** A service started as a user starts it: a process of its own, known by its ready file. */
export interface RunningService {
  /** URLs with the development keys, and the chain ids. */
  readonly networks: Readonly<
    Record<'test' | 'main', ServedNetwork> & Record<string, ServedNetwork | undefined>
  >
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string
  /** Where its metrics are; undefined where no port is set for them. */
  readonly metrics: string | undefined
  readonly data: string
  readonly process: ChildProcess
  readonly output: ConcordatProcess['output']
  readonly said: ConcordatProcess['said']
  /** Ends it with a signal by its own process id; resolves to its exit code, null when the signal ended it. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** How to start it. */
export interface StartOptions {
  /** `start` by default. */
  readonly command?: 'start' | 'serve'
  readonly env?: Readonly<Record<string, string>>
  /** An existing data folder; a new one, removed with `stop`, by default. */
  readonly data?: string
  readonly args?: readonly string[]
  /**
   * True where nothing is asked of a chain but its number and its head: nodes that tell these take the place of the
   * development chains, which are a third of the work of a start.
   */
  readonly isChainless?: boolean
  /** `bin/concordat.js` of another copy of this project. */
  readonly launcher?: string
}

/** Runs the command line as a process and waits for its end. */
export async function runConcordat(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { ended, output } = startConcordat(args, env)
  const code = await ended
  return { code, ...output() }
}

/** Starts the service on a free port and waits until its ready file is there; fails with its output when it ends first. */
export async function startService(options: StartOptions = {}): Promise<RunningService> {
  const home = await mkdtemp(join(tmpdir(), 'concordat-service-'))
  const data = options.data ?? join(home, 'data')
  const readyFile = join(home, 'ready.json')
  const command = options.command ?? 'start'
  const args = [command, '--port', '0', '--data', data, '--ready-file', readyFile, ...(options.args ?? [])]
  const nodes = options.isChainless ? await startNodes() : undefined
  const service = startConcordat(args, { ...nodes?.env, ...options.env }, '', options.launcher)
  const ready = await service.ready(readyFile)
  if (ready === undefined) {
    nodes?.close()
    await rm(home, { recursive: true, force: true })
    const { out, err } = service.output()
    throw new Error(`the service ended before it was ready:\n${out}${err}`)
  }
  const { networks, metrics, dashboard } = JSON.parse(ready) as Pick<
    RunningService,
    'networks' | 'metrics'
  > & {
    readonly dashboard: string
  }
  return {
    networks,
    // The dashboard may be shown at another address than the service listens on.
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

/** A node of each network that knows its number and its head. */
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

/** Sends one JSON-RPC request and reads the answer with its HTTP status and headers. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
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

/** Calls a method and gives its result; an error answer is thrown as text. */
export async function call(url: string, method: string, ...params: readonly unknown[]) {
  const { json } = await post(url, { jsonrpc: '2.0', id: 1, method, params })
  if (json.error !== undefined) throw new Error(`${method}: ${JSON.stringify(json.error)}`)
  return json.result
}
