import { resolve } from 'node:path'
import type { NodeSettings } from '../nodes/index.js'
import { byNetwork, type Network, networkNames } from '../profiles/index.js'
import type { TraceSettings } from '../telemetry/index.js'
import type { ValueOf } from './config/setting-schema.js'
import { type ReadSettings, readSources } from './config/setting-sources.js'
import type { SettingsText } from './config/settings-file.js'
import { settingsSchema } from './config/settings-schema.js'

/** Settings in the form of the file, with the defaults of the schema. */
type Written = ValueOf<typeof settingsSchema>

type WrittenNode = Written['nodes'][string][number]

/** The settings of a run of the service, described by the schema. All other limits come from the contract. */
export interface Settings
  extends Omit<
    Written,
    'dataFolder' | 'metrics' | 'networks' | 'nodes' | 'publicUrls' | 'traces' | 'version'
  > {
  /** A sentence about each unknown setting that is ignored, because the settings are written for a newer version. */
  readonly ignored: readonly string[]
  /** The data folder as an absolute path. */
  readonly dataDir: string
  readonly metrics: { readonly host: string; readonly port: number | undefined }
  /** The networks of the contract that this process serves, in the contract's order. */
  readonly networks: readonly Network[]
  /** Nodes of each network of the contract; none means the embedded development chain. */
  readonly nodes: Readonly<Record<Network, readonly NodeSettings[]>>
  /** Undefined: users see the listening address. */
  readonly publicUrls: Readonly<Record<Network | 'dashboard', string | undefined>>
  /** Undefined when traces are off. */
  readonly traces: TraceSettings | undefined
}

const { properties } = settingsSchema

/** Default values. */
export const defaults = {
  port: properties.port.default,
  dataDir: properties.dataFolder.default,
} as const

/** Invalid settings or options. `problems` has one line for each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '))
  }
}

/** Options of the command line. An option takes precedence over its environment variable. */
export interface SettingsOptions {
  readonly port?: string | undefined
  readonly data?: string | undefined
  /** Names of networks, separated by commas. */
  readonly network?: string | undefined
  /** A configuration file. The environment takes precedence over it. */
  readonly file?: SettingsText | undefined
  /** The settings of the file that are used. Others may refer to variables that are not set. All by default. */
  readonly used?: readonly (keyof Written)[] | undefined
  /** Version of the program. Unknown settings are ignored if the settings state a newer one. */
  readonly version?: string | undefined
}

/**
 * Reads the settings from command-line options, the environment and a file, in this order of precedence. An empty
 * variable counts as unset.
 * @param env the environment's variables
 * @param options the command line's options
 * @throws ConfigError with every problem at once, each naming its setting, and its place in the file
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  { file, port, data, network, used, version }: SettingsOptions,
): Settings {
  const flags = [
    { flag: '--port', pointer: '/port', text: port },
    { flag: '--data', pointer: '/dataFolder', text: data },
    { flag: '--network', pointer: '/networks', text: network },
  ]
  const read = readSources(env, file, flags, used, version)
  const problems = [...read.problems, ...conflicts(read)]
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...settingsOf(read.settings as Written), ignored: read.ignored }
}

/** Problems of settings that exclude each other. */
function conflicts({ settings, problemAt }: ReadSettings): readonly string[] {
  const { databaseUrl, secret, secretNext, secretPrevious, port, metrics, smtpUrl, publicUrls } =
    settings as Partial<Written>
  const found: string[] = []
  if (databaseUrl !== undefined && secret === undefined)
    found.push(
      'CONCORDAT_SECRET (in a file secret) is required with DATABASE_URL, because all processes that share a database share the secret',
    )
  if (secretPrevious !== undefined && secret === undefined)
    found.push('CONCORDAT_SECRET_PREVIOUS (in a file secretPrevious) requires CONCORDAT_SECRET')
  if (secretNext !== undefined && secret === undefined)
    found.push('CONCORDAT_SECRET_NEXT (in a file secretNext) requires CONCORDAT_SECRET')
  if (port !== 0 && port !== undefined && metrics?.port === port)
    found.push(
      `CONCORDAT_METRICS_PORT (in a file metrics.port) must differ from the port of the service, ${port}`,
    )
  if (smtpUrl !== undefined && publicUrls?.dashboard === undefined)
    found.push(
      'CONCORDAT_PUBLIC_URL_DASHBOARD (in a file publicUrls.dashboard) is required with CONCORDAT_SMTP_URL, because mails contain links to it',
    )
  return [...found, ...namesakes(settings as Partial<Written>, problemAt)]
}

/** Nodes of a network with duplicate names. */
function namesakes(
  { nodes = {} }: Partial<Written>,
  problemAt: ReadSettings['problemAt'],
): readonly string[] {
  return Object.entries(nodes).flatMap(([network, listed]) => {
    const names = Array.isArray(listed) ? listed.map((node, at) => nodeName(network, node, at)) : []
    return names.flatMap((name, at) =>
      names.indexOf(name) === at
        ? []
        : problemAt(
            `/nodes/${network}/${at}/name`,
            `has the name ${name}, which an earlier node already has`,
          ),
    )
  })
}

const nodeName = (network: string, { name }: { readonly name?: string | undefined }, at: number) =>
  name ?? `${network}-${at + 1}`

/** Settings in regular form, with the defaults that depend on other settings. */
function settingsOf({ dataFolder, version: _statedVersion, ...written }: Written): Omit<Settings, 'ignored'> {
  const { host, metrics, nodes, publicUrls, traces } = written
  const { endpoint, ...traced } = traces
  const shortest = (url: string | undefined) => url?.replace(/\/+$/, '')
  return {
    ...written,
    dataDir: resolve(dataFolder),
    operators: written.operators.map((address) => address.toLowerCase()),
    metrics: { host: metrics.host ?? host, port: metrics.port },
    networks: networkNames.filter((name) => written.networks?.includes(name) ?? true),
    nodes: byNetwork((network) => (nodes[network] ?? []).map((node, at) => nodeOf(network, node, at))),
    publicUrls: {
      ...byNetwork((network) => shortest(publicUrls[network])),
      dashboard: publicUrls.dashboard === undefined ? undefined : new URL(publicUrls.dashboard).origin,
    },
    traces: endpoint === undefined ? undefined : { ...traced, endpoint },
  }
}

function nodeOf(network: Network, node: WrittenNode, at: number): NodeSettings {
  const headers = Object.entries(node.headers).map(([name, value]) => [name.toLowerCase(), value])
  return {
    ...node,
    name: nodeName(network, node, at),
    headers: Object.fromEntries(headers),
  }
}
