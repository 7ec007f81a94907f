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
import { tableLines } from '../../toolkit/report-formats/index.js'
import { defineCommand } from '../define-command.js'
import { type Command, type CommandIo, UsageError } from '../io.js'
import { readServiceSettings } from '../serve/service-settings.js'
import { type KeyAdmin, openKeyAdmin } from './key-admin.js'
import { readChanges } from './key-changes.js'
import {
  ACTIONS,
  type Action,
  defineKeyOptions,
  type KeysInvocation,
  keyOptionGroups,
} from './key-options.js'

/** Errors about the keys, with exit code 1. All other errors mean that the command could not run. */
const KEY_PROBLEMS: readonly OperatorErrorCode[] = ['key_limit_reached', 'key_unknown']

const manageKeys = defineCommand({
  name: 'keys',
  description: `Manages the API keys of the service:
  create   create a key and print its URL, which is shown only once
  list     list all keys or one key, without secrets
  set      change the given properties of a key, and no others
  rotate   replace the secret of a key and print its new URL; the old URL stops working, at once or after --grace
  disable  reject the key until it is enabled; it still counts towards the number of keys
  enable   accept the key again
  delete   reject the key permanently`,
  define: defineKeyOptions,
  examples: [
    {
      says: 'create a key',
      line: 'concordat keys create --user ada@example.com --network test --name wallet',
    },
    {
      says: 'replace its URL; the old one works for two more hours',
      line: 'concordat keys rotate key_1 --grace 2',
    },
  ],
  notes: 'Exit codes: 0 done, 1 rejected (unknown key, or key limit reached), 2 could not run.',
  run: runAction,
})

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

/** Runs `concordat keys`, which manages API keys (specification 5). */
export const keysCommand: Command = async (args, io) => {
  try {
    return await manageKeys(args, io)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw databaseProblem(error) ?? error
    io.err(`concordat keys: ${error.message}`)
    return KEY_PROBLEMS.includes(error.code) ? 1 : 2
  }
}

async function runAction(invocation: KeysInvocation): Promise<number> {
  const request = await readRequest(invocation)
  // Validated before the folder is created, so that invalid input leaves no files.
  if (request.action === 'create') checkNewKey(request.input)
  const admin = await openKeyAdmin({ ...request.place, create: request.action === 'create' })
  try {
    await perform(request, admin, invocation.io)
  } finally {
    await admin.close()
  }
  return 0
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

async function readRequest({ args, options, given, io }: KeysInvocation): Promise<KeysArguments> {
  const [action, id] = args
  for (const { long, helpGroupHeading = '' } of given) {
    const actions = keyOptionGroups[helpGroupHeading] ?? ACTIONS
    if (actions.includes(action)) continue
    throw new UsageError(`${long} is an option of keys ${actions.join(' and ')} only`)
  }
  if (action === 'create') {
    if (id !== undefined) throw new UsageError('keys create takes no id. See --help.')
    for (const required of ['user', 'network', 'name'] as const) {
      if (options[required] === undefined)
        throw new UsageError(`keys create needs --${required}. See --help.`)
    }
  } else if (action !== 'list' && id === undefined) {
    throw new UsageError(`keys ${action} needs the id of a key: see "concordat keys list"`)
  }
  return {
    action,
    id,
    input: await inputOf(action, id, options),
    place:
      options.config === undefined
        ? placeOf(options.data, io)
        : await configuredPlace(options.config, options.data, io),
    json: options.json,
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
  const used = ['dataFolder', 'databaseUrl', 'secret', 'publicUrls', 'port'] as const
  const settings = await readServiceSettings({ config, data, used }, io)
  const { dataDir, databaseUrl, secret, publicUrls: urls, port } = settings
  return { dataDir, databaseUrl, secret, urls, port }
}

async function inputOf(
  action: Action,
  id: string | undefined,
  options: KeysInvocation['options'],
): Promise<JsonObject> {
  const { user, network, name, description } = options
  const texts = Object.fromEntries(
    Object.entries({ id, user, network, name, description }).filter(([, value]) => value !== undefined),
  ) as JsonObject
  if (action === 'rotate' && options.grace !== undefined) return { ...texts, graceHours: options.grace }
  if (action !== 'set') return texts
  const input = { ...texts, ...(await readChanges(options)) }
  if (Object.keys(input).length > 1 || id === undefined) return input
  throw new UsageError('keys set needs at least one change. See --help.')
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
  const refusal = action === 'disable' || action === 'delete' ? undefined : refusalOf(key)
  const done = `${key.id} ${doneWords[action]}${refusal === undefined ? '' : `, but refused: ${refusal}`}`
  if (key.text === undefined) {
    io.out(json ? JSON.stringify(key, null, 2) : done)
    return
  }
  const { text, ...shown } = key
  const url = `${baseUrl(key.network, request.place, admin)}/${text}`
  if (json) {
    io.out(JSON.stringify({ ...shown, key: text, url }, null, 2))
    return
  }
  io.err(`${done}. This URL is shown only once:`)
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
  readonly disabledByOperator: boolean
  readonly accountDisabled: boolean
  readonly masked: string
  readonly dailyLimit: number | null
  readonly monthlyLimit: number | null
  readonly access: JsonObject
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** End of the grace period of the former URL. */
  readonly graceUntil: string | null
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

/** Shows each key as a row of facts of fixed length, and below it what users and operators wrote. */
function table(keys: readonly KeyJson[]): string {
  const head = ['ID', 'NETWORK', 'STATE', 'KEY', 'CREATED', 'LAST USED']
  const rows = keys.map((key) => [
    key.id,
    key.network,
    key.accountDisabled ? 'disabled' : key.state,
    key.masked,
    minuteOf(key.createdAt),
    key.lastUsedAt === null ? '-' : minuteOf(key.lastUsedAt),
  ])
  const [titles = '', ...lines] = tableLines([head, ...rows])
  return [titles, ...keys.flatMap((key, at) => [lines[at] ?? '', ...detailsOf(key)])].join('\n')
}

const minuteOf = (time: string) => time.slice(0, 16).replace('T', ' ')

/** Returns why an operator’s decision blocks the key; undefined if none does. */
function refusalOf({ disabledByOperator, accountDisabled }: KeyJson): string | undefined {
  if (accountDisabled) return 'an operator has disabled the account'
  return disabledByOperator ? 'an operator has disabled the key' : undefined
}

/** The lines below a key: user and name, the description, limits, and what an operator disabled. */
function detailsOf(key: KeyJson): string[] {
  const { email, origin, name, description, dailyLimit, monthlyLimit, access } = key
  const refusal = refusalOf(key)
  const only = Object.keys(access).join(', ')
  const limits = [
    dailyLimit && `${dailyLimit} a day`,
    monthlyLimit && `${monthlyLimit} a month`,
    only && `only for listed ${only}`,
  ]
  const lines = [
    `${email}${origin === 'cli' ? '' : ` (${origin})`}: ${name}`,
    description,
    limits.filter(Boolean).join(', '),
    refusal === undefined ? '' : `refused: ${refusal}`,
  ]
  return lines.filter((line) => line !== '').map((line) => `  ${line}`)
}
