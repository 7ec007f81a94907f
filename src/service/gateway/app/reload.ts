import type { NodeSettings } from '../nodes/index.js'
import { networkNames, type Served } from '../profiles/index.js'
import type { Log } from '../telemetry/index.js'
import { settingsSchema } from './config/settings-schema.js'
import type { Settings } from './config.js'

/** The parts that accept new settings while the service runs. */
export interface Reloadable {
  readonly log: Log
  readonly networks: Served<{ replaceNodes(nodes: readonly NodeSettings[]): boolean }>
  readonly quota: { setLimitPerDay(requests: number): void }
  /** Accepts the addresses of the operators. */
  readonly setOperators: (emails: readonly string[]) => void
  /** Accepts the limit of concurrent connections. Open connections stay open. */
  readonly setConnections: (most: number) => void
}

/** The result of a reload, by the names of settings. */
export interface ReloadReport {
  readonly changed: readonly string[]
  /** Settings that differ from those in force and need a restart. Logged at each reload. */
  readonly needRestart: readonly string[]
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

const groups = Object.entries(settingsSchema.properties).flatMap(([name, { type }]) =>
  type === 'object' ? [name] : [],
)

/** Settings by name. Members of a group have the prefix of the group. */
function byName({ ignored: _ignored, ...settings }: Settings): ReadonlyMap<string, unknown> {
  return new Map(
    Object.entries(settings).flatMap(([name, value]): (readonly [string, unknown])[] =>
      groups.includes(name)
        ? Object.entries(value ?? {}).map(([member, own]) => [`${name}.${member}`, own])
        : [[name, value]],
    ),
  )
}

/**
 * Creates the function that applies new settings while the service runs: nodes, limits, operators and the log level.
 * Other settings keep their values, and the log names them.
 * @param settings those in force
 */
export function createReload(
  { log, networks, quota, setConnections, setOperators }: Reloadable,
  settings: Settings,
): (next: Settings) => ReloadReport {
  const inForce = new Map(byName(settings))
  const unserved = networkNames.filter((own) => !settings.networks.includes(own)).map((own) => `nodes.${own}`)

  /** Applies a setting that can change while the service runs. */
  function apply(name: string, next: Settings): boolean {
    const network = networkNames.find((own) => name === `nodes.${own}`)
    if (network !== undefined) return networks[network]?.replaceNodes(next.nodes[network]) === true
    if (name === 'logLevel') log.level = next.logLevel
    else if (name === 'limits.requestsPerDay') quota.setLimitPerDay(next.limits.requestsPerDay)
    else if (name === 'limits.connections') setConnections(next.limits.connections)
    else if (name === 'operators') setOperators(next.operators)
    else return false
    return true
  }

  return (next) => {
    const wanted = byName(next)
    const names = new Set([...inForce.keys(), ...wanted.keys()])
    const differing = [...names]
      .filter((name) => !isSame(inForce.get(name), wanted.get(name)) && !unserved.includes(name))
      .sort()
    const changed = differing.filter((name) => apply(name, next))
    for (const name of changed) inForce.set(name, wanted.get(name))
    return { changed, needRestart: differing.filter((name) => !changed.includes(name)) }
  }
}
