import { resolve } from 'node:path'
import {
  type LogLevel,
  type Parse,
  parseDatabaseUrl,
  parseFolder,
  parseHost,
  parseLogLevel,
  parseNodes,
  parsePort,
  parsePublicUrl,
  parseSecret,
  parseTrustedProxies,
  Refusal,
  wholeNumber,
} from './config/parse-setting.js'
import type { NodeSettings } from './node-settings.js'

/** The two networks of the service (specification 1). */
export type Network = 'test' | 'main'

/** What a run of the service is set to; every limit that is not here comes from the contract. */
export interface Settings {
  /** Address to listen on. */
  readonly host: string
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
  /** Folder of the embedded database, the secret and the control socket. */
  readonly dataDir: string
  /** Requests per user and UTC day: the contract's limit, or a lower one. */
  readonly requestsPerDay: number
  /** Secret that API keys are encrypted with; kept beside the data when undefined. */
  readonly secret: string | undefined
  /** Nodes per network; none means the embedded development chain. */
  readonly nodes: Readonly<Record<Network, readonly NodeSettings[]>>
  /** PostgreSQL server (`postgres://…`) that the service keeps everything in; undefined means the embedded database. */
  readonly databaseUrl: string | undefined
  /** Port of the metrics, 0 for a free one; undefined where there are none. */
  readonly metricsPort: number | undefined
  /** Networks (CIDR) of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** What users are shown as the base of their URLs; the listening address when undefined. */
  readonly publicUrls: Readonly<Record<Network, string | undefined>>
  /** Least severe level that is logged. */
  readonly logLevel: LogLevel
}

/** Values in force where nothing is set. Ports are TCP ports, folders are relative to the working folder. */
export const defaults = { host: '127.0.0.1', port: 8080, dataDir: '.concordat', logLevel: 'info' } as const

/** Read by other commands, so no mistake here. */
const otherCommands = new Set(['CONCORDAT_CONFORM_FUNDED_KEY'])

/** Named in the documentation, and without use yet. */
const laterSettings = new Set(['CONCORDAT_PUBLIC_URL_DASHBOARD', 'CONCORDAT_SMTP_URL', 'CONCORDAT_OPERATORS'])

/** Settings whose text may hold a secret: a problem never repeats it. */
const confidential = new Set([
  'CONCORDAT_SECRET',
  'CONCORDAT_NODES_TEST',
  'CONCORDAT_NODES_MAIN',
  'DATABASE_URL',
])

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
}

/**
 * Reads the settings from the command line's options and the environment; an empty variable is an unset one.
 * @param env the environment's variables
 * @param options the command line's options
 * @param contractRequestsPerDay the contract's limit, which configuration can lower only
 * @throws ConfigError with every problem at once, each naming its setting
 */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  options: SettingsOptions,
  contractRequestsPerDay: number,
): Settings {
  const problems: string[] = []
  const known = new Set(otherCommands)

  /** Reads one setting: what `parse` makes of its text, or the fallback; a text that `parse` refuses is a problem. */
  const setting = <T, F>(name: string, fallback: F, parse: Parse<T>, option?: string, flag?: string) => {
    known.add(name)
    const text = option ?? (env[name] || undefined)
    if (text === undefined) return fallback
    const value = parse(text)
    if (!(value instanceof Refusal)) return value
    const shown = confidential.has(name) ? '' : `, not "${text}"`
    problems.push(`${option === undefined ? name : flag} ${value.reason}${shown}`)
    return fallback
  }

  const settings: Settings = {
    host: setting('CONCORDAT_HOST', defaults.host, parseHost),
    port: setting('CONCORDAT_PORT', defaults.port, parsePort, options.port, '--port'),
    dataDir: resolve(setting('CONCORDAT_DATA', defaults.dataDir, parseFolder, options.data, '--data')),
    requestsPerDay: setting(
      'CONCORDAT_LIMIT_REQUESTS_PER_DAY',
      contractRequestsPerDay,
      wholeNumber(1, contractRequestsPerDay),
    ),
    secret: setting('CONCORDAT_SECRET', undefined, parseSecret),
    nodes: {
      test: setting('CONCORDAT_NODES_TEST', [], parseNodes('test')),
      main: setting('CONCORDAT_NODES_MAIN', [], parseNodes('main')),
    },
    databaseUrl: setting('DATABASE_URL', undefined, parseDatabaseUrl),
    metricsPort: setting('CONCORDAT_METRICS_PORT', undefined, parsePort),
    trustedProxies: setting('CONCORDAT_TRUSTED_PROXIES', [], parseTrustedProxies),
    publicUrls: {
      test: setting('CONCORDAT_PUBLIC_URL_TEST', undefined, parsePublicUrl),
      main: setting('CONCORDAT_PUBLIC_URL_MAIN', undefined, parsePublicUrl),
    },
    logLevel: setting('CONCORDAT_LOG_LEVEL', defaults.logLevel, parseLogLevel),
  }
  for (const name of Object.keys(env)) {
    const unknown = name.startsWith('CONCORDAT_') && !known.has(name) && env[name] !== ''
    if (!unknown) continue
    const reason = laterSettings.has(name)
      ? 'is a setting of a later version: unset it'
      : 'is no setting of this version'
    problems.push(`${name} ${reason}`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return settings
}
