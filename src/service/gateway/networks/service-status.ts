import type { NetworkReadiness, NodeStatus } from '../nodes/index.js'
import type { Served } from '../profiles/index.js'
import type { Readiness } from '../telemetry/index.js'

/** Public status of a network, without names and addresses of nodes. */
export interface NetworkState {
  readonly title: string
  /** The network number as in the contract, such as `0x1f`. */
  readonly chainId: string
  /** Number of the most recent block that callers see; undefined before the first report of a node. */
  readonly head: bigint | undefined
  /** How it is served. */
  readonly readiness: NetworkReadiness
  readonly nodes: readonly Pick<NodeStatus, 'state' | 'head' | 'latencyMs'>[]
}

/** The nodes of a network, for operators. */
export interface NetworkNodes {
  readonly title: string
  readonly nodes: readonly NodeStatus[]
}

/** Public status of the service. */
export interface ServiceStatus {
  readonly at: Date
  readonly networks: readonly NetworkState[]
  readonly isDatabaseAnswering: boolean
}

/** The parts of a network that its status needs. */
interface Watched {
  readonly title: string
  readonly chainId: string
  head(): bigint | undefined
  status(): readonly NodeStatus[]
}

const freshMs = 1_000

/**
 * Creates the function that returns the service status. Its result is cached for a second.
 * @param readiness returns whether the parts answer
 */
export function createServiceStatus(
  networks: Served<Watched>,
  readiness: () => Promise<Readiness>,
): () => Promise<ServiceStatus> {
  let latest: ServiceStatus | undefined
  return async () => {
    if (latest !== undefined && Date.now() - latest.at.getTime() < freshMs) return latest
    const { networks: states, database } = await readiness()
    latest = {
      at: new Date(),
      isDatabaseAnswering: database === 'ok',
      networks: Object.entries(networks).map(([name, { title, chainId, head, status }]) => ({
        title,
        chainId,
        head: head(),
        readiness: states[name] ?? 'no node',
        nodes: status().map(({ state, head, latencyMs }) => ({ state, head, latencyMs })),
      })),
    }
    return latest
  }
}
