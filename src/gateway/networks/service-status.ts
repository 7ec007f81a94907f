import type { NodeStatus } from '../nodes/index.js'
import type { Served } from '../profiles/index.js'
import type { Readiness } from '../telemetry/index.js'

/** How a network does, as everybody may know it: nodes have no names and no addresses here. */
export interface NetworkState {
  readonly title: string
  /** As the contract states it, such as `0x1f`. */
  readonly chainId: string
  /** Number of the most recent block that callers are served; undefined before any node has told one. */
  readonly head: bigint | undefined
  /** Whether a node answers. */
  readonly isAnswering: boolean
  readonly nodes: readonly Pick<NodeStatus, 'state' | 'head' | 'latencyMs'>[]
}

/** How the service does. */
export interface ServiceStatus {
  readonly at: Date
  readonly networks: readonly NetworkState[]
  readonly isDatabaseAnswering: boolean
}

/** A network, as far as it tells how it does. */
interface Watched {
  readonly title: string
  readonly chainId: string
  head(): bigint | undefined
  status(): readonly NodeStatus[]
}

const freshMs = 1_000

/**
 * Makes what tells how the service does. Those who ask within a second of each other are told the same.
 * @param readiness whether the parts answer
 */
export function createServiceStatus(
  networks: Served<Watched>,
  readiness: () => Promise<Readiness>,
): () => Promise<ServiceStatus> {
  let told: ServiceStatus | undefined
  return async () => {
    if (told !== undefined && Date.now() - told.at.getTime() < freshMs) return told
    const { networks: states, database } = await readiness()
    told = {
      at: new Date(),
      isDatabaseAnswering: database === 'ok',
      networks: Object.entries(networks).map(([name, { title, chainId, head, status }]) => ({
        title,
        chainId,
        head: head(),
        isAnswering: states[name] === 'ok',
        nodes: status().map(({ state, head, latencyMs }) => ({ state, head, latencyMs })),
      })),
    }
    return told
  }
}
