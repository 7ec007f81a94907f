import {
  byNetwork,
  defaults,
  networkNames,
  OperatorError,
  type OperatorErrorCode,
  QueryError,
  readDescription,
  readEmail,
  readName,
  readNetwork,
  type Settings,
} from '@concordat/gateway'
import { limits } from '@concordat/node-access-contract/contract'
import type { JsonObject } from '@concordat/rpc'
import { type Command, type CommandIo, parseOptions, UsageError } from '../io.js'
import { readServiceSettings } from '../serve/service-settings.js'
import { type KeyAdmin, openKeyAdmin } from './key-admin.js'
import { changeOptions, readChanges } from './key-changes.js'

const ACTIONS = ['create', 'list', 'set', 'rotate', 'disable', 'enable', 'delete'] as const
type Action = (typeof ACTIONS)[number]

/** Errors about the keys, with exit code 1. All other errors mean that the command could not run. */
const KEY_PROBLEMS: readonly OperatorErrorCode[] = ['key_limit_reached', 'key_unknown']

const help = `Usage: concordat keys <action> [options]

  create --user EMAIL --network ${networkNames.join('|')} --name NAME [--description TEXT]
                    create a key and print its URL, which is shown only once
  list [KEY_ID]     list all keys or one key, without secrets
  set KEY_ID [--name NAME] [--description TEXT] [--daily-limit N] [--monthly-limit N] [--allow-addresses CIDR,…]
      [--allow-origins ORIGIN,…] [--allow-contracts ADDRESS,…] [--allow-methods NAME,…]
      [--jwt-key FILE … [--jwt-audience TEXT]]
                    change the given properties only; "none" removes a limit, a list or the token requirement.
                    Limits are requests per UTC day or month, in addition to the user's limit. FILE holds a public key
                    in PEM or JWK format
  rotate KEY_ID     replace the secret of a key and print its new URL; the old URL stops working immediately
  disable KEY_ID    reject the key until it is enabled; it still counts towards the number of keys
  enable KEY_ID     accept the key again
  delete KEY_ID     reject the key permanently

  --config F        the service's configuration file, for its folder, database and secret; environment variables
                    take precedence
  --data DIR        the service's folder (CONCORDAT_DATA, default ${defaults.dataDir}). While the service runs, it
                    performs the command, which takes effect immediately.
                    With DATABASE_URL and CONCORDAT_SECRET the command changes that database, and every replica
                    follows within a second
  --json            print JSON
  --help            show this help

                    Exit codes: 0 done, 1 rejected (unknown key, or key limit reached), 2 could not run.`

const options = {
  user: { type: 'string' },
  network: { type: 'string' },
  name: { type: 'string' },
  description: { type: 'string' },
  ...changeOptions,
  config: { type: 'string' },
  data: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

interface KeysArguments {
  readonly action: Action
  readonly id: string | undefined
  readonly input: JsonObject
  readonly place: Place
  readonly json: boolean
}

/** The location of the keys, and the base URLs if they are configured. */
type Place = Required<Pick<Settings, 'dataDir' | 'databaseUrl' | 'secret'>> & {
  readonly port: number | string
  readonly urls: Readonly<Record<string, string | undefined>>
}

/**
 * Runs `concordat keys`, which manages API keys (specification 5).
 * @param args the arguments after the command name
 * @param io output and environment
 * @returns 0 done, 1 rejected, 2 could not run
 * @throws UsageError when the arguments are invalid
 */
export const keysCommand: Command = async (args, io) => {
  try {
    const request = await readArguments(args, io)
    if (request === 'help') {
      io.out(help)
      return 0
    }
    // Validated before the folder is created, so that invalid input leaves no files.
    if (request.action === 'create') checkNewKey(request.input)
    const admin = await openKeyAdmin({ ...request.place, create: request.action === 'create' })
    try {
      await perform(request, admin, io)
    } finally {
      await admin.close()
    }
    return 0
  } catch (error) {
    if (!(error instanceof OperatorError)) throw databaseProblem(error) ?? error
    io.err(`concordat keys: ${error.message}`)
    return KEY_PROBLEMS.includes(error.code) ? 1 : 2
  }
}

/**
 * Returns the database's own error. The failed statement is omitted: its parameters are addresses and
 * encrypted keys.
 */
function databaseProblem(error: unknown): UsageError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof QueryError)
      return new UsageError(`the database rejected the command or did not answer: ${cause.message}`)
  }
  return undefined
}

/**
 * Validates the input of `create`.
 * @throws OperatorError `invalid_input`
 */
function checkNewKey({ user, network, name, description = '' }: JsonObject): void {
  readEmail(String(user))
  readNetwork(String(network), networkNames)
  readName(String(name), limits)
  readDescription(String(description), limits)
}

async function readArguments(args: readonly string[], io: CommandIo): Promise<KeysArguments | 'help'> {
  const { values, positionals } = parse(args)
  if (values.help) return 'help'
  const [name, id, ...more] = positionals
  const action = ACTIONS.find((known) => known === name)
  if (action === undefined) {
    throw new UsageError(
      `${name === undefined ? 'the action is missing' : `unknown action "${name}"`}; actions: ${ACTIONS.join(', ')}`,
    )
  }
  if (more.length > 0 || (action === 'create' && id !== undefined)) {
    throw new UsageError(`unexpected argument "${more[0] ?? id}". See --help.`)
  }
  const { config, data, json } = values
  rejectForeignOptions(action, values)
  if (action === 'create') {
    for (const required of ['user', 'network', 'name'] as const) {
      if (values[required] === undefined) throw new UsageError(`keys create needs --${required}. See --help.`)
    }
  }
  if (action !== 'create' && action !== 'list' && id === undefined) {
    throw new UsageError(`keys ${action} needs the id of a key: see "concordat keys list"`)
  }
  if (data === '') throw new UsageError('--data needs the name of a folder')
  if (config === '') throw new UsageError('--config needs the name of a file')
  return {
    action,
    id,
    input: await inputOf(action, id, values),
    place: config === undefined ? placeOf(data, io) : await configuredPlace(config, data, io),
    json,
  }
}

function placeOf(data: string | undefined, { env }: CommandIo): Place {
  return {
    dataDir: data ?? (env['CONCORDAT_DATA'] || defaults.dataDir),
    databaseUrl: env['DATABASE_URL'] || undefined,
    secret: env['CONCORDAT_SECRET'] || undefined,
    urls: byNetwork((network) => env[`CONCORDAT_PUBLIC_URL_${network.toUpperCase()}`]),
    port: env['CONCORDAT_PORT'] || defaults.port,
  }
}

async function configuredPlace(config: string, data: string | undefined, io: CommandIo): Promise<Place> {
  const settings = await readServiceSettings({ config, data, port: undefined, network: undefined }, io)
  const { dataDir, databaseUrl, secret, publicUrls: urls, port } = settings
  return { dataDir, databaseUrl, secret, urls, port }
}

type Values = ReturnType<typeof parse>['values']

/** Rejects options that belong to another action. */
function rejectForeignOptions(action: Action, values: Values): void {
  const makes = ['user', 'network']
  const describes = ['name', 'description']
  const changes = Object.keys(changeOptions)
  const own = { create: [...makes, ...describes], set: [...describes, ...changes] }[action as string] ?? []
  for (const option of [...makes, ...describes, ...changes]) {
    if (own.includes(option) || values[option as keyof Values] === undefined) continue
    const actions = describes.includes(option) ? 'create and set' : makes.includes(option) ? 'create' : 'set'
    throw new UsageError(`--${option} is an option of keys ${actions} only`)
  }
}

async function inputOf(action: Action, id: string | undefined, values: Values): Promise<JsonObject> {
  const { user, network, name, description } = values
  const texts = Object.fromEntries(
    Object.entries({ id, user, network, name, description }).filter(([, value]) => value !== undefined),
  ) as JsonObject
  if (action !== 'set') return texts
  const input = { ...texts, ...(await readChanges(values)) }
  if (Object.keys(input).length > 1 || id === undefined) return input
  throw new UsageError('keys set needs at least one change. See --help.')
}

function parse(args: readonly string[]) {
  return parseOptions(args, { options, allowPositionals: true })
}

async function perform(request: KeysArguments, admin: KeyAdmin, io: CommandIo): Promise<void> {
  const { action, id, json } = request
  const output: unknown = await admin.run(`keys.${action}`, request.input)
  if (action === 'list') {
    const keys = (output as readonly KeyJson[]).filter((key) => id === undefined || key.id === id)
    if (id !== undefined && keys.length === 0) throw new OperatorError('key_unknown', `Unknown key "${id}"`)
    io.out(json ? JSON.stringify(keys, null, 2) : table(keys))
    return
  }
  const key = output as KeyJson
  if (key.text === undefined) {
    io.out(json ? JSON.stringify(key, null, 2) : `${key.id} ${doneWords[action]}`)
    return
  }
  const { text, ...shown } = key
  const url = `${baseUrl(key.network, request.place, admin)}/${text}`
  if (json) {
    io.out(JSON.stringify({ ...shown, key: text, url }, null, 2))
    return
  }
  io.err(`${key.id} ${doneWords[action]}. This URL is shown only once:`)
  io.out(url)
}

const doneWords: Readonly<Record<Action, string>> = {
  create: 'created',
  set: 'changed',
  list: 'listed',
  rotate: 'rotated',
  disable: 'disabled',
  enable: 'enabled',
  delete: 'deleted',
}

/** A key as the commands return it. */
interface KeyJson {
  readonly id: string
  readonly email: string
  readonly origin: string
  readonly network: string
  readonly name: string
  readonly description: string
  readonly state: string
  readonly masked: string
  readonly dailyLimit: number | null
  readonly monthlyLimit: number | null
  readonly access: JsonObject
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** The secret, present only after `create` and `rotate`. */
  readonly text?: string
}

/**
 * Returns the base of a key's URL: the configured one, or that of the running service, or its default port.
 */
function baseUrl(network: string, { urls, port }: Place, admin: KeyAdmin): string {
  const base = urls[network] || admin.urls[network] || `http://127.0.0.1:${port}`
  return base.replace(/\/+$/, '')
}

function limitsOf({ dailyLimit, monthlyLimit }: KeyJson): string {
  const limits = [dailyLimit && `${dailyLimit} a day`, monthlyLimit && `${monthlyLimit} a month`]
  return limits.filter(Boolean).join(', ') || '-'
}

function table(keys: readonly KeyJson[]): string {
  const head = [
    'ID',
    'USER',
    'NETWORK',
    'STATE',
    'KEY',
    'CREATED',
    'LAST USED',
    'LIMITS',
    'ONLY FOR',
    'NAME',
    'DESCRIPTION',
  ]
  const rows = keys.map((key) => [
    key.id,
    key.origin === 'cli' ? key.email : `${key.email} (${key.origin})`,
    key.network,
    key.state,
    key.masked,
    key.createdAt.slice(0, 19).replace('T', ' '),
    key.lastUsedAt?.slice(0, 16).replace('T', ' ') ?? '-',
    limitsOf(key),
    Object.keys(key.access).join(', ') || '-',
    key.name,
    key.description,
  ])
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
