import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { OperatorError, reasonOf } from '@concordat/gateway'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { UsageError } from '../io.js'

/** The change options of `keys set`. */
export const changeOptions = {
  'daily-limit': { type: 'string' },
  'monthly-limit': { type: 'string' },
  'allow-addresses': { type: 'string' },
  'allow-origins': { type: 'string' },
  'allow-contracts': { type: 'string' },
  'allow-methods': { type: 'string' },
  'jwt-key': { type: 'string', multiple: true },
  'jwt-audience': { type: 'string' },
} as const

/** The values of the change options. */
export type ChangeValues = {
  readonly [Name in Exclude<keyof typeof changeOptions, 'jwt-key'>]?: string | undefined
} & { readonly 'jwt-key'?: readonly string[] | undefined }

/** The value that removes a limit or a rule. */
const NONE = 'none'
const lists = ['addresses', 'origins', 'contracts', 'methods'] as const

/**
 * Reads the requested changes of a key for the command `keys.set`.
 * @param values the parsed options
 * @throws UsageError when an option is invalid
 * @throws OperatorError `invalid_input` when a key file cannot be read
 */
export async function readChanges(values: ChangeValues): Promise<JsonObject> {
  const access: Record<string, JsonValue> = {}
  for (const name of lists) {
    const value = values[`allow-${name}`]
    if (value !== undefined)
      access[name] = value === NONE ? null : value.split(',').map((entry) => entry.trim())
  }
  const files = values['jwt-key']
  if (values['jwt-audience'] !== undefined && (files === undefined || isNone(files))) {
    throw new UsageError('--jwt-audience needs a --jwt-key')
  }
  if (files !== undefined)
    access['jwt'] = isNone(files) ? null : await readKeyFiles(files, values['jwt-audience'])
  return {
    ...limitOf('dailyLimit', '--daily-limit', values['daily-limit']),
    ...limitOf('monthlyLimit', '--monthly-limit', values['monthly-limit']),
    ...(Object.keys(access).length === 0 ? {} : { access }),
  }
}

const isNone = (files: readonly string[]) => files.length === 1 && files[0] === NONE

function limitOf(member: string, option: string, value: string | undefined): JsonObject {
  if (value === undefined) return {}
  if (value === NONE) return { [member]: null }
  if (!/^\d{1,10}$/.test(value))
    throw new UsageError(`${option} must be an integer or "${NONE}", not "${value}"`)
  return { [member]: Number(value) }
}

/** Reads public keys. Tokens refer to a key with `kid`: the `kid` of a JWK, or the file's name. */
async function readKeyFiles(files: readonly string[], audience: string | undefined): Promise<JsonObject> {
  const keys = await Promise.all(
    files.map(async (file) => {
      const publicKey = await readFile(file, 'utf8').catch((error: unknown) => {
        throw new OperatorError('invalid_input', `The public key cannot be read: ${reasonOf(error)}`)
      })
      const id = keyIdOf(publicKey) ?? basename(file, extname(file))
      return { id, publicKey, ...(audience === undefined ? {} : { audience }) }
    }),
  )
  return { keys }
}

function keyIdOf(text: string): string | undefined {
  try {
    const { kid } = JSON.parse(text) as { kid?: unknown }
    return typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}
