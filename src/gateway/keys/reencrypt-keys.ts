import type { Database, Secret } from '../store/index.js'
import { OperatorError } from '../util/index.js'
import { selectKeysOfOtherSecrets, updateSealedTexts } from './key-store.js'

/** Keys that one statement updates. */
const KEYS_PER_STATEMENT = 1_000

/**
 * Encrypts the keys of the previous secret with the current secret. The keys keep working meanwhile.
 * @throws OperatorError `secret_mismatch` when a key is encrypted with neither
 */
export async function reencryptKeys(
  db: Database,
  secret: Secret,
  previous: Secret | undefined,
): Promise<void> {
  for (;;) {
    const rows = await selectKeysOfOtherSecrets(db, secret.version, KEYS_PER_STATEMENT)
    if (rows.length === 0) return
    const resealed = rows.map(({ id, userId, sealed, secretVersion }) => {
      if (previous === undefined || secretVersion !== previous.version) throw otherSecret()
      const context = [id, userId]
      const text = previous.open(sealed, secretVersion, context)
      return { id, was: sealed, sealed: secret.seal(text, context) }
    })
    await updateSealedTexts(db, resealed, secret.version)
  }
}

/** Processes with different secrets must not share a database: sessions would be invalid and keys unreadable. */
function otherSecret(): OperatorError {
  return new OperatorError(
    'secret_mismatch',
    'Keys in the database are encrypted with another CONCORDAT_SECRET. Start with that secret, or set ' +
      'CONCORDAT_SECRET_PREVIOUS to it to re-encrypt the keys. If that secret is lost, rotate each key: ' +
      '"concordat keys list" shows the ids, "concordat keys rotate KEY_ID" replaces one key',
  )
}
