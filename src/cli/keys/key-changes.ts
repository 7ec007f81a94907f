import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { OperatorError, reasonOf } from '@concordat/gateway'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import { UsageError } from '../io.js'
import { type KeysInvocation, NONE } from './key-options.js'

/**
 * Returns the requested changes of a key for the command `keys.set`.
 * @throws UsageError when options cannot be combined
 * @throws OperatorError `invalid_input` when a key file cannot be read
 */
export async function readChanges(options: KeysInvocation['options']): Promise<JsonObject> {
  const { dailyLimit, monthlyLimit, jwtKey: files, jwtAudience: audience } = options
  const isNone = files.length === 1 && files[0] === NONE
  if (audience !== undefined && (files.length === 0 || isNone)) {
    throw new UsageError('--jwt-audience needs a --jwt-key')
  }
  const access = given({
    addresses: options.allowAddresses,
    origins: options.allowOrigins,
    contracts: options.allowContracts,
    methods: options.allowMethods,
    jwt: isNone ? NONE : files.length === 0 ? undefined : await readKeyFiles(files, audience),
  })
  return given({ dailyLimit, monthlyLimit, access: Object.keys(access).length === 0 ? undefined : access })
}

/** Removes undefined members. A member that is "none" becomes null, which removes it from the key. */
function given(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const entries = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value === NONE ? null : value] as const],
  )
  return Object.fromEntries(entries)
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
