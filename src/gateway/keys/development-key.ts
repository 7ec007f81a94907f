import { eq } from 'drizzle-orm'
import { type Network, networkNames } from '../networks/network.js'
import type { Database } from '../store/open-store.js'
import { apiKeys } from '../store/schema.js'
import { insertKey, insertKeyAt, type NewKey, selectKeys } from './key-store.js'

/** The owner of the development keys. */
export const DEVELOPMENT_USER = { origin: 'embedded', email: 'demo@example.com' } as const

/**
 * Finds the development user's first key of a network, or makes one.
 * @param key the key to store when there is none
 * @param keysPerUser the most keys that the user may have
 * @returns its id; undefined where the user has too many keys of other networks
 */
export async function ensureDevelopmentKey(
  db: Database,
  network: Network,
  key: NewKey,
  keysPerUser: number,
): Promise<string | undefined> {
  const find = async () => {
    const keys = await selectKeys(db, eq(apiKeys.userId, key.userId))
    return keys.find((each) => each.network === network)?.id
  }
  const found = await find()
  if (found !== undefined) return found
  // Each network has a slot of its own, so that one of several starting processes makes the key.
  const slot = networkNames.indexOf(network) + 1
  if (slot <= keysPerUser) await insertKeyAt(db, key, slot)
  const made = await find()
  if (made !== undefined) return made
  // The slot holds a key of another network.
  await insertKey(db, key, keysPerUser)
  return find()
}
