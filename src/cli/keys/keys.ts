import { parseArgs } from 'node:util'
import { limits } from '../../../generated/contract.js'
import { defaults, type Settings } from '../../gateway/app/config.js'
import { readDescription, readEmail, readName, readNetwork } from '../../gateway/keys/key-input.js'
import { byNetwork, networkNames } from '../../gateway/profiles/network.js'
import { QueryError } from '../../gateway/store/connection.js'
import { OperatorError, type OperatorErrorCode } from '../../gateway/store/operator-error.js'
import type { JsonObject } from '../../rpc/index.js'
import { type Command, type CommandIo, UsageError } from '../io.js'
import { readServiceSettings } from '../serve/service-settings.js'
import { type KeyAdmin, openKeyAdmin } from './key-admin.js'
import { changeOptions, readChanges } from './key-changes.js'

const ACTIONS = ['create', 'list', 'set', 'rotate', 'disable', 'enable', 'delete'] as const
type Action = (typeof ACTIONS)[number]

/** Refusals that say something about the keys; every other error means that the command could not run. */
const FOUND_WRONG: readonly OperatorErrorCode[] = ['key_limit_reached', 'key_unknown']

const help = `Usage: concordat keys <action> [options]

  create --user EMAIL --network ${networkNames.join('|')} --name NAME [--description TEXT]
                    make a key and print its URL, which is not printed again
  list [KEY_ID]     the keys, or one of them, without their secrets
  set KEY_ID [--name NAME] [--description TEXT] [--daily-limit N] [--monthly-limit N] [--allow-addresses CIDR,…]
      [--allow-origins ORIGIN,…] [--allow-contracts ADDRESS,…] [--allow-methods NAME,…]
      [--jwt-key FILE … [--jwt-audience TEXT]]
                    change what is given and leave the rest; "none" lifts a limit, a list or the need of a token.
                    Limits are requests per UTC day or month, beside the user's; FILE holds a public key as PEM or JWK
  rotate KEY_ID     give a key a new secret and print its URL; the old one stops working at once
  disable KEY_ID    refuse the key until it is enabled; it keeps counting
  enable KEY_ID     take the key again
  delete KEY_ID     refuse the key for good

  --config F        the service's configuration file: what it says of folder, database and secret is taken from it,
                    and from the environment, which wins
  --data DIR        the service's folder (CONCORDAT_DATA, default ${defaults.dataDir}); while the service runs on it,
                    the service does the work, and its answer takes effect at once
                    With DATABASE_URL and CONCORDAT_SECRET the work is done in that database, and every replica
                    heeds it within a second
  --json            print JSON
  --help            this text

Exit codes: 0 done, 1 refused (no such key, or the user has as many as are allowed), 2 could not run.`

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

/** Where the keys are, and what their URLs begin with where that is set. */
type Place = Required<Pick<Settings, 'dataDir' | 'databaseUrl' | 'secret'>> & {
  readonly port: number | string
  readonly urls: Readonly<Record<string, string | undefined>>
}

/**
 * `concordat keys`: creates, lists, changes, rotates, disables, enables and deletes API keys (specification 5).
 * @returns 0 done, 1 refused, 2 could not run
 * @throws UsageError for arguments that cannot be used
 */
export const keysCommand: Command = async (args, io) => {
  try {
    const asked = await readArguments(args, io)
    if (asked === 'help') {
      io.out(help)
      return 0
    }
    // Before a folder is made for it: bad input leaves nothing behind.
    if (asked.action === 'create') checkNewKey(asked.input)
    const admin = await openKeyAdmin({ ...asked.place, create: asked.action === 'create' })
    try {
      await perform(asked, admin, io)
    } finally {
      await admin.close()
    }
    return 0
  } catch (error) {
    if (!(error instanceof OperatorError)) throw databaseProblem(error) ?? error
    io.err(`concordat keys: ${error.message}`)
    return FOUND_WRONG.includes(error.code) ? 1 : 2
  }
}

/** What a database said that refused a statement, whose parameters nobody is shown: they hold addresses and sealed keys. */
function databaseProblem(error: unknown): UsageError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof QueryError)
      return new UsageError(`the database refuses that, or gives no answer: ${cause.message}`)
  }
  return undefined
}

/** @throws OperatorError `invalid_input` */
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
      `${name === undefined ? 'an action is missing' : `there is no action "${name}"`}; actions: ${ACTIONS.join(', ')}`,
    )
  }
  if (more.length > 0 || (action === 'create' && id !== undefined)) {
    throw new UsageError(`"${more[0] ?? id}" is one argument too many. See --help.`)
  }
  const { config, data, json } = values
  refuseOthersOptions(action, values)
  if (action === 'create') {
    for (const required of ['user', 'network', 'name'] as const) {
      if (values[required] === undefined) throw new UsageError(`keys create needs --${required}. See --help.`)
    }
  }
  if (action !== 'create' && action !== 'list' && id === undefined) {
    throw new UsageError(`keys ${action} needs the id of a key; "concordat keys list" shows them`)
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

/** @throws UsageError naming an option that the action does not have */
function refuseOthersOptions(action: Action, values: Values): void {
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
  throw new UsageError('keys set needs something to change. See --help.')
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message.split(/\.\s/)[0] : error}. See --help.`)
  }
}

async function perform(asked: KeysArguments, admin: KeyAdmin, io: CommandIo): Promise<void> {
  const { action, id, json } = asked
  const output: unknown = await admin.run(`keys.${action}`, asked.input)
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
  const url = `${baseUrl(key.network, asked.place, admin)}/${text}`
  if (json) {
    io.out(JSON.stringify({ ...shown, key: text, url }, null, 2))
    return
  }
  io.err(`${key.id} ${doneWords[action]}; its URL is shown this once:`)
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

/** A key as the commands give it. */
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
  /** Only when the key was made or rotated. */
  readonly text?: string
}

/** The base of a key's URL: as configured, else where the service says it listens, else its default port. */
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
