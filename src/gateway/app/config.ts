import { resolve } from 'node:path'
import { byNetwork, type Network, networkNames } from '../networks/network.js'
import type { NodeSettings } from '../nodes/node-settings.js'
import type { TraceSettings } from '../telemetry/tracing.js'
import {
  type LogLevel,
  parseDatabaseUrl,
  parseEmails,
  parseFolder,
  parseHost,
  parseLogLevel,
  parseNetworks,
  parseNodeName,
  parseNodes,
  parseNodeUrl,
  parseOrigin,
  parsePort,
  parsePublicUrl,
  parseRatio,
  parseSecret,
  parseSmtpUrl,
  parseTrustedProxies,
  wholeNumber,
} from './config/parse-setting.js'
import { createSettingSource, type SettingSource } from './config/setting-source.js'
import type { SettingsText } from './config/settings-file.js'
import { type Tuning, tuningDefaults } from './config/tuning.js'

/** What a run of the service is set to; every limit that is not here comes from the contract. */
export interface Settings {
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
  /** Connections of callers that may be open at once; those beyond are closed at once. */
  readonly connections: number
  /** Folder of the embedded database, the secret and the control socket. */
  readonly dataDir: string
  /** Requests per user and UTC day: the contract's limit, or a lower one. */
  readonly requestsPerDay: number
  /** Secret that API keys are encrypted with; kept beside the data when undefined. */
  readonly secret: string | undefined
  /** The secret that `secret` replaces: keys that it encrypted are encrypted anew at the start. */
  readonly previousSecret: string | undefined
  /** The networks of the contract that this process serves, in the contract's order. */
  readonly networks: readonly Network[]
  /** Nodes of each network of the contract; none means the embedded development chain. */
  readonly nodes: Readonly<Record<Network, readonly NodeSettings[]>>
  /** PostgreSQL server (`postgres://…`) that the service keeps everything in; undefined means the embedded database. */
  readonly databaseUrl: string | undefined
  /** Address that the metrics listen on. */
  readonly metricsHost: string
  /** Port of the metrics, 0 for a free one; undefined where there are none. */
  readonly metricsPort: number | undefined
  /** Where traces of requests go; undefined where none are made. */
  readonly traces: TraceSettings | undefined
  /** Networks (CIDR) of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** What users are shown as the base of their URLs; the listening address when undefined. */
  readonly publicUrls: Readonly<Record<Network | 'dashboard', string | undefined>>
  /** Mail server (`smtp://…`) that addresses are verified by; undefined where no mail is sent. */
  readonly smtpUrl: string | undefined
  /** E-mail addresses, in lower case, of those who run the service. */
  readonly operators: readonly string[]
  /** How the process divides its work and memory. */
  readonly tuning: Tuning
  /** Least severe level that is logged. */
  readonly logLevel: LogLevel
}

/** Values in force where nothing is set. Ports are TCP ports, folders are relative to the working folder. */
export const defaults = {
  host: '127.0.0.1',
  port: 8080,
  connections: 10_000,
  dataDir: '.concordat',
  logLevel: 'info',
} as const

/** As many file descriptors as a process may have on common systems. */
const parseConnections = wholeNumber(1, 1_000_000)

/** Read by other commands, so no mistake here. */
const otherCommands = ['CONCORDAT_CONFORM_FUNDED_KEY']

/** Settings or an option cannot be used; `problems` names each, one line a problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '))
  }
}

/** Options of the command line; each wins over its environment variable. */
export interface SettingsOptions {
  readonly port?: string | undefined
  readonly data?: string | undefined
  /** Names of networks, separated by commas. */
  readonly network?: string | undefined
  /** A configuration file; the environment wins over it. */
  readonly file?: SettingsText | undefined
}

/**
 * Reads the settings from the command line's options, the environment and a file, the first that has one winning; an
 * empty variable is an unset one.
 * @param env the environment's variables
 * @param options the command line's options
 * @param contractRequestsPerDay the contract's limit, which configuration can lower only
 * @throws ConfigError with every problem at once, each naming its setting, and its place in the file
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  options: SettingsOptions,
  contractRequestsPerDay: number,
): Settings {
  const source = createSettingSource(env, options.file, otherCommands)
  const { setting, problems } = source
  const nodesOf = (network: Network) => {
    const listed = source.fileNodes(network)
    const variable = `CONCORDAT_NODES_${network.toUpperCase()}`
    return setting(variable, `nodes.${network}`, listed, parseNodes(network)) ?? []
  }
  const publicUrlOf = (name: Network | 'dashboard', parse = parsePublicUrl) =>
    setting(`CONCORDAT_PUBLIC_URL_${name.toUpperCase()}`, `publicUrls.${name}`, undefined, parse)
  const host = setting('CONCORDAT_HOST', 'host', defaults.host, parseHost)
  const dataDir = setting('CONCORDAT_DATA', 'dataFolder', defaults.dataDir, parseFolder, {
    flag: '--data',
    text: options.data,
  })
  const settings: Settings = {
    host,
    port: setting('CONCORDAT_PORT', 'port', defaults.port, parsePort, { flag: '--port', text: options.port }),
    connections: setting(undefined, 'limits.connections', defaults.connections, parseConnections),
    dataDir: resolve(dataDir),
    requestsPerDay: setting(
      'CONCORDAT_LIMIT_REQUESTS_PER_DAY',
      'limits.requestsPerDay',
      contractRequestsPerDay,
      wholeNumber(1, contractRequestsPerDay),
    ),
    secret: setting('CONCORDAT_SECRET', 'secret', undefined, parseSecret),
    previousSecret: setting('CONCORDAT_SECRET_PREVIOUS', 'secretPrevious', undefined, parseSecret),
    networks: setting('CONCORDAT_NETWORKS', 'networks', networkNames, parseNetworks, {
      flag: '--network',
      text: options.network,
    }),
    nodes: byNetwork(nodesOf),
    databaseUrl: setting('DATABASE_URL', 'databaseUrl', undefined, parseDatabaseUrl),
    metricsHost: setting(undefined, 'metrics.host', host, parseHost),
    metricsPort: setting('CONCORDAT_METRICS_PORT', 'metrics.port', undefined, parsePort),
    traces: tracesOf(setting),
    trustedProxies: setting('CONCORDAT_TRUSTED_PROXIES', 'trustedProxies', [], parseTrustedProxies),
    publicUrls: {
      ...byNetwork((network) => publicUrlOf(network)),
      dashboard: publicUrlOf('dashboard', parseOrigin),
    },
    smtpUrl: setting('CONCORDAT_SMTP_URL', 'smtpUrl', undefined, parseSmtpUrl),
    operators: setting('CONCORDAT_OPERATORS', 'operators', [], parseEmails),
    tuning: tuningDefaults,
    logLevel: setting('CONCORDAT_LOG_LEVEL', 'logLevel', defaults.logLevel, parseLogLevel),
  }
  source.refuseUnknown()
  if (settings.databaseUrl !== undefined && settings.secret === undefined)
    problems.push(
      'CONCORDAT_SECRET (in a file secret) must be set where DATABASE_URL is: those who share a database share it',
    )
  if (settings.previousSecret !== undefined && settings.secret === undefined)
    problems.push(
      'CONCORDAT_SECRET_PREVIOUS (in a file secretPrevious) is of use beside CONCORDAT_SECRET only',
    )
  if (settings.port !== 0 && settings.metricsPort === settings.port)
    problems.push(
      `CONCORDAT_METRICS_PORT (in a file metrics.port) must differ from the port of the service, ${settings.port}`,
    )
  if (settings.smtpUrl !== undefined && settings.publicUrls.dashboard === undefined)
    problems.push(
      'CONCORDAT_PUBLIC_URL_DASHBOARD (in a file publicUrls.dashboard) must be set where CONCORDAT_SMTP_URL is: links in mail lead there',
    )
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}

/** OpenTelemetry's own variables; its base endpoint stands for the one of traces below it. */
function tracesOf(setting: SettingSource['setting']): TraceSettings | undefined {
  const base = setting('OTEL_EXPORTER_OTLP_ENDPOINT', undefined, undefined, parseNodeUrl)
  const own = setting('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'traces.endpoint', undefined, parseNodeUrl)
  const serviceName = setting('OTEL_SERVICE_NAME', 'traces.serviceName', 'concordat', parseNodeName)
  const ratio = setting('OTEL_TRACES_SAMPLER_ARG', 'traces.ratio', 1, parseRatio)
  const endpoint = own ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  return endpoint === undefined ? undefined : { endpoint, serviceName, ratio }
}
