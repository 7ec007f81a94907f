import { eq } from 'drizzle-orm'
import { type Network, networkNames } from '../profiles/index.js'
import type { Database } from '../store/index.js'
import { apiKeys } from '../store/index.js'
import { insertKey, insertKeyAt, type NewKey, selectKeys } from './key-store.js'

/** The owner of the development keys. */
export const DEVELOPMENT_USER = { origin: 'embedded', email: 'demo@example.com' } as const

/**
 * Finds the development user's first key of a network, or creates one.
 * @param key stored if the network has no key yet
 * @param keysPerUser number of keys that a user may have
 * @returns the id of the key; undefined if keys of other networks take all slots
 */
export async function ensureDevelopmentKey(
  db: Database,
  network: Network,
  key: NewKey,
  keysPerUser: number,
): Promise<string | undefined> {
  const find = async () => {
    const keys = await selectKeys(db, eq(apiKeys.userId, key.userId))
    return keys.find((row) => row.network === network)?.id
  }
  const found = await find()
  if (found !== undefined) return found
  // Processes that start at the same time try the same slot, so only one of them creates the key.
  const slot = networkNames.indexOf(network) + 1
  if (slot <= keysPerUser) await insertKeyAt(db, key, slot)
  const created = await find()
  if (created !== undefined) return created
  // A key of another network has the slot.
  await insertKey(db, key, keysPerUser)
  return find()
}
