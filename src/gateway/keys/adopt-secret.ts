import type { Database } from '../store/open-store.js'
import { OperatorError } from '../store/operator-error.js'
import type { Secret } from '../store/secret.js'
import { resealKeys, selectSealedByOther } from './key-store.js'

/** Keys that one statement encrypts anew. */
const RESEALED_AT_ONCE = 1_000

/**
 * Encrypts the keys of the previous secret with the present one. The keys work meanwhile.
 * @throws OperatorError `secret_mismatch` when a key is encrypted with neither
 */
export async function adoptSecret(db: Database, secret: Secret, previous: Secret | undefined): Promise<void> {
  for (;;) {
    const rows = await selectSealedByOther(db, secret.version, RESEALED_AT_ONCE)
    if (rows.length === 0) return
    const resealed = rows.map(({ id, userId, sealed, secretVersion }) => {
      if (previous === undefined || secretVersion !== previous.version) throw otherSecret()
      const context = [id, userId]
      const text = previous.open(sealed, secretVersion, context)
      return { id, was: sealed, sealed: secret.seal(text, context) }
    })
    await resealKeys(db, resealed, secret.version)
  }
}

/** Two secrets on one database: sessions would end each other, and keys could not be shown again. */
function otherSecret(): OperatorError {
  return new OperatorError(
    'secret_mismatch',
    'The database has keys that were encrypted with another CONCORDAT_SECRET. Start with that secret, or set ' +
      'CONCORDAT_SECRET_PREVIOUS to it and the keys are encrypted anew. If it is lost, "concordat keys list" shows ' +
      'the keys, and "concordat keys rotate KEY_ID" gives each a new text',
  )
}
