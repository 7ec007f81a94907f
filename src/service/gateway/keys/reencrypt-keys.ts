import type { Database, Secret } from '../store/index.js'
import { OperatorError } from '../util/index.js'
import { selectKeysOfOtherSecrets, updateSealedTexts } from './key-store.js'

/** Keys that one statement updates. */
const KEYS_PER_STATEMENT = 1_000

/**
 * Encrypts the keys of other accepted secrets with the current secret. The keys keep working meanwhile.
 * @param next version of the next secret, whose keys are left as they are
 * @throws OperatorError `secret_mismatch` when a key is encrypted with a secret that is not accepted
 */
export async function reencryptKeys(db: Database, secret: Secret, next?: string): Promise<void> {
  const left = [secret.version, ...(next === undefined ? [] : [next])]
  for (;;) {
    const rows = await selectKeysOfOtherSecrets(db, left, KEYS_PER_STATEMENT)
    if (rows.length === 0) return
    const resealed = rows.map(({ id, userId, sealed, secretVersion }) => {
      if (!secret.versions.includes(secretVersion)) throw otherSecret()
      const context = [id, userId]
      const text = secret.open(sealed, secretVersion, context)
      return { id, was: sealed, sealed: secret.seal(text, context) }
    })
    await updateSealedTexts(db, resealed, secret.version)
  }
}

/** Processes that do not accept each other's secrets must not share a database: keys would be unreadable. */
function otherSecret(): OperatorError {
  return new OperatorError(
    'secret_mismatch',
    'Keys in the database are encrypted with another CONCORDAT_SECRET. Start with that secret, or set ' +
      'CONCORDAT_SECRET_PREVIOUS to it to re-encrypt the keys. If that secret is lost, rotate each key: ' +
      '"concordat keys list" shows the ids, "concordat keys rotate KEY_ID" replaces one key',
  )
}
