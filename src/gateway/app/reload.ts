import type { Network, Served } from '../networks/network.js'
import type { NodeSettings } from '../nodes/node-settings.js'
import type { Log } from '../telemetry/log.js'
import type { Settings } from './config.js'

/** What takes new settings while the service runs. */
export interface Reloadable {
  readonly log: Log
  readonly networks: Served<{ replaceNodes(nodes: readonly NodeSettings[]): boolean }>
  readonly quota: { setLimitPerDay(requests: number): void }
  /** Takes the addresses of those who run the service. */
  readonly setOperators: (emails: readonly string[]) => void
  /** Takes the connections of callers that may be open at once; those that are open stay so. */
  readonly setConnections: (most: number) => void
}

/** What a reload came to, by the names of settings. */
export interface ReloadReport {
  readonly changed: readonly string[]
  /** Other than what is in force, and in force after a restart alone: told at each reload. */
  readonly needRestart: readonly string[]
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Makes what puts new settings in force where that is safe while the service runs: nodes, limits, operators and
 * the level of the log. What else changed is told and stays as it was.
 * @param settings those in force
 */
export function createReload(
  { log, networks, quota, setConnections, setOperators }: Reloadable,
  settings: Settings,
): (next: Settings) => ReloadReport {
  let inForce = settings

  /** Takes over a setting where that can be; says so, by its name or those of its parts. */
  function apply(name: keyof Settings, next: Settings): readonly [string, boolean][] {
    switch (name) {
      case 'logLevel':
        log.level = next.logLevel
        inForce = { ...inForce, logLevel: next.logLevel }
        return [[name, true]]
      case 'requestsPerDay':
        quota.setLimitPerDay(next.requestsPerDay)
        inForce = { ...inForce, requestsPerDay: next.requestsPerDay }
        return [[name, true]]
      case 'connections':
        setConnections(next.connections)
        inForce = { ...inForce, connections: next.connections }
        return [[name, true]]
      case 'operators':
        setOperators(next.operators)
        inForce = { ...inForce, operators: next.operators }
        return [[name, true]]
      case 'nodes':
        return inForce.networks
          .filter((network) => !isSame(inForce.nodes[network], next.nodes[network]))
          .map((network) => [`nodes.${network}`, replaceNodes(network, next.nodes[network])])
      default:
        return [[name, false]]
    }
  }

  function replaceNodes(network: Network, nodes: readonly NodeSettings[]): boolean {
    if (networks[network]?.replaceNodes(nodes) !== true) return false
    inForce = { ...inForce, nodes: { ...inForce.nodes, [network]: nodes } }
    return true
  }

  return (next) => {
    const names = (Object.keys(next) as (keyof Settings)[]).filter(
      (name) => !isSame(inForce[name], next[name]),
    )
    const outcomes = names.flatMap((name) => apply(name, next))
    return {
      changed: outcomes.filter(([, isApplied]) => isApplied).map(([name]) => name),
      needRestart: outcomes.filter(([, isApplied]) => !isApplied).map(([name]) => name),
    }
  }
}
