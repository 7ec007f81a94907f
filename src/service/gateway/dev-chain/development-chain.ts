import { createUpstream, type Upstream, type UpstreamOptions } from '../nodes/index.js'
import type { Log } from '../telemetry/index.js'
import { type EmbeddedChain, startEmbeddedChain } from './embedded-chain.js'

/** A replaced chain that ends within this time, in milliseconds, is not replaced again. */
const shortLifeMs = 10_000

/** How a development chain is opened. */
type Options = Omit<UpstreamOptions, 'nodes' | 'profile'> & {
  /** Name of the chain's node in logs and metrics. */
  readonly name: string
  readonly log: Log
  /** Seconds between blocks; with 0, each transaction is mined immediately. */
  readonly blockSeconds: number
  /** Path of the chain's journal; undefined for a chain in memory only. */
  readonly journal: Promise<string> | undefined
}

/**
 * Starts a development chain with its upstream. If anvil exits unexpectedly, a new chain replays the journal and
 * replaces the old chain. Calls fail with `noNode` in the meantime.
 * @throws EmbeddedChainError if the first chain does not start
 */
export async function openDevelopmentChain({
  log,
  name,
  blockSeconds,
  journal,
  ...options
}: Options): Promise<Upstream> {
  let isClosed = false

  async function open(): Promise<{ readonly chain: EmbeddedChain; readonly upstream: Upstream }> {
    const chain = await startEmbeddedChain({
      chainId: options.chainId,
      blockSeconds,
      journal,
      log: (line) => log.debug(line),
      warn: (line) => log.warn(line),
    })
    const node = { name, url: chain.url, weight: 1, headers: {}, timeoutMs: options.timeoutMs }
    // The blocks of a development chain come with its transactions, however long that takes.
    const tuning = { ...options.tuning, nodeStaleSeconds: 0 }
    const upstream = createUpstream({ ...options, tuning, log, nodes: [node], profile: chain.profile })
    chain.ended.then(() => {
      if (!isClosed) replacing = replace()
    })
    return { chain, upstream }
  }

  async function replace(): Promise<void> {
    if (performance.now() - replacedAt < shortLifeMs) {
      log.error('the development chain (anvil) exited again; restart the service to start a new chain')
      return
    }
    log.error(
      journal === undefined
        ? 'the development chain (anvil) exited; a new chain is started, without the transactions of the old chain'
        : 'the development chain (anvil) exited; it is started again with its transactions',
    )
    const old = current.upstream
    try {
      current = await open()
      replacedAt = performance.now()
      log.warn('a new development chain answers')
      await old.close()
    } catch (error) {
      log.error({ err: error }, 'no new development chain could be started; restart the service to try again')
    }
  }

  let replacing: Promise<void> | undefined
  let replacedAt = Number.NEGATIVE_INFINITY
  let current = await open()
  return {
    call: (method, params, callOptions) => current.upstream.call(method, params, callOptions),
    ready: () => current.upstream.ready(),
    head: () => current.upstream.head(),
    status: () => current.upstream.status(),
    async close() {
      isClosed = true
      await replacing
      await current.upstream.close()
      await current.chain.stop()
    },
  }
}
