import type { Network, Settings } from './config.js'
import type { NodeSettings } from './node-settings.js'
import type { Log } from './ops/log.js'

/** What takes new settings while the service runs. */
export interface Reloadable {
  readonly log: Log
  readonly networks: Readonly<Record<Network, { replaceNodes(nodes: readonly NodeSettings[]): boolean }>>
  readonly quota: { setLimitPerDay(requests: number): void }
}

/** What a reload came to, by the names of settings. */
export interface ReloadReport {
  readonly changed: readonly string[]
  /** Changed in the configuration, and in force after a restart alone. */
  readonly needRestart: readonly string[]
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * Makes what puts new settings in force where that is safe while the service runs: nodes, the limit of requests and the
 * level of the log. What else changed is told and stays as it was.
 * @param settings those in force
 */
export function createReload(
  { log, networks, quota }: Reloadable,
  settings: Settings,
): (next: Settings) => ReloadReport {
  let current = settings

  function apply(name: keyof Settings, next: Settings): readonly [string, boolean][] {
    switch (name) {
      case 'logLevel':
        log.level = next.logLevel
        return [[name, true]]
      case 'requestsPerDay':
        quota.setLimitPerDay(next.requestsPerDay)
        return [[name, true]]
      case 'nodes':
        return (['test', 'main'] as const)
          .filter((network) => !isSame(current.nodes[network], next.nodes[network]))
          .map((network) => [`nodes.${network}`, networks[network].replaceNodes(next.nodes[network])])
      default:
        return [[name, false]]
    }
  }

  return (next) => {
    const names = (Object.keys(next) as (keyof Settings)[]).filter(
      (name) => !isSame(current[name], next[name]),
    )
    const outcomes = names.flatMap((name) => apply(name, next))
    current = next
    return {
      changed: outcomes.filter(([, isApplied]) => isApplied).map(([name]) => name),
      needRestart: outcomes.filter(([, isApplied]) => !isApplied).map(([name]) => name),
    }
  }
}
