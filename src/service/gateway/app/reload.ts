import type { NodeSettings } from '../nodes/index.js'
import { networkNames, type Served } from '../profiles/index.js'
import type { Log } from '../telemetry/index.js'
import type { ReloadableName } from './config/setting-tree.js'
import { settingsSchema } from './config/settings-schema.js'
import type { Settings } from './config.js'

/** The parts that accept new settings while the service runs. */
export interface Reloadable {
  readonly log: Log
  readonly networks: Served<{ replaceNodes(nodes: readonly NodeSettings[]): boolean }>
  /** Accepts the addresses of the operators. */
  readonly setOperators: (emails: readonly string[]) => void
  /** Accepts the limits. Open connections stay open. */
  readonly setLimits: (limits: Settings['limits']) => void
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
 * Creates the function that applies new settings while the service runs: those that the schema marks (`x-reload`).
 * Other settings keep their values, and the log names them.
 * @param settings those in force
 */
export function createReload(
  { log, networks, setLimits, setOperators }: Reloadable,
  settings: Settings,
): (next: Settings) => ReloadReport {
  const inForce = new Map(byName(settings))
  const unserved = networkNames.filter((own) => !settings.networks.includes(own)).map((own) => `nodes.${own}`)

  /** Applies the setting, or a member of the group. Returns false if the change needs a restart. */
  const apply: Readonly<Record<ReloadableName, (next: Settings, member: string) => unknown>> = {
    nodes(next, member) {
      const network = networkNames.find((own) => own === member)
      return network !== undefined && networks[network]?.replaceNodes(next.nodes[network]) === true
    },
    limits: (next) => setLimits(next.limits),
    operators: (next) => setOperators(next.operators),
    logLevel(next) {
      log.level = next.logLevel
    },
  }
  const canApply = (name: string): name is ReloadableName => Object.hasOwn(apply, name)

  return (next) => {
    const wanted = byName(next)
    const names = new Set([...inForce.keys(), ...wanted.keys()])
    const differing = [...names]
      .filter((name) => !isSame(inForce.get(name), wanted.get(name)) && !unserved.includes(name))
      .sort()
    const changed = differing.filter((name) => {
      const [group = '', member = ''] = name.split('.')
      return canApply(group) && apply[group](next, member) !== false
    })
    for (const name of changed) inForce.set(name, wanted.get(name))
    return { changed, needRestart: differing.filter((name) => !changed.includes(name)) }
  }
}
