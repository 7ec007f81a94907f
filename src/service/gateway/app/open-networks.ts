import { limits } from '@concordat/node-access-contract/contract'
import { type OpenNetwork, openNetwork } from '../networks/index.js'
import { createAnswerRoom, NodeCallLimiter } from '../nodes/index.js'
import type { Served } from '../profiles/index.js'
import { openStore, type Store } from '../store/index.js'
import type { Log, Metrics } from '../telemetry/index.js'
import type { Settings } from './config.js'
import type { ProcessMemory } from './memory-shares.js'
import type { StartedParts } from './started-parts.js'

const millisecondsPerSecond = 1_000

/** The store and the served networks. */
export interface StoreAndNetworks {
  readonly store: Store
  readonly networks: Served<OpenNetwork>
}

/**
 * Opens the store and the served networks concurrently. Those that opened are closed by `started`.
 * @param inForce the limits in force, whose members change at a reload
 * @param blockSeconds seconds between blocks of the development chains; with 0 each transaction is mined immediately
 */
export async function openStoreAndNetworks(
  settings: Settings,
  inForce: Settings['limits'],
  memory: ProcessMemory,
  log: Log,
  metrics: Metrics,
  started: StartedParts,
  blockSeconds: number | undefined,
): Promise<StoreAndNetworks> {
  const store = started.open(openStore(settings), (opened) => opened.close())
  const folder = store.then((opened) => opened.folder.path)
  // A failure to open the store is reported where the store is awaited.
  folder.catch(() => undefined)
  const { tuning } = settings
  const limiter = new NodeCallLimiter({
    get perSecond() {
      return inForce.nodeCallsPerSecond
    },
    get atOnce() {
      return inForce.nodeCallsAtOnce
    },
    waitMs: limits.nodeTimeoutSeconds * millisecondsPerSecond,
  })
  const answerRoom = createAnswerRoom(memory.nodeAnswerBytes)
  const cacheBytes = Math.floor(memory.cacheBytes / settings.networks.length)
  const networks = settings.networks.map(async (name) => {
    const nodes = settings.nodes[name]
    const own = { nodes, tuning, limiter, answerRoom, cacheBytes }
    const opening = openNetwork(name, own, log, metrics.ofNetwork(name), { blockSeconds, folder })
    return [name, await started.open(opening, (opened) => opened.close())] as const
  })
  // Waits for every part, so that `started` knows all of them when one fails.
  await Promise.allSettled([store, ...networks])
  return { networks: Object.fromEntries(await Promise.all(networks)), store: await store }
}
