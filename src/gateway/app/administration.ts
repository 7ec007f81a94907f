import type { Administration, SignedIn } from '../accounts/index.js'
import { findAccount, listAccounts, setAccountDisabled } from '../accounts/index.js'
import type { Keys } from '../keys/index.js'
import type { Quota } from '../quota/index.js'
import { recordKeyEvents, type SecurityLog } from '../security-log/index.js'
import type { Store } from '../store/index.js'
import type { Log } from '../telemetry/index.js'
import { OperatorError } from '../util/index.js'

/** Creates the administration of accounts and keys. Methods reject with the errors of the database. */
export function createAdministration(
  { db }: Pick<Store, 'db'>,
  keys: Keys,
  quota: Pick<Quota, 'flush'>,
  securityLog: Pick<SecurityLog, 'note'>,
  log: Log,
): Administration {
  const { setDisabledByOperator } = recordKeyEvents(keys, securityLog, 'operator')
  const note = (operator: SignedIn, what: object, isDisabled: boolean) =>
    log.info(
      { operator: operator.email, operatorId: operator.userId, ...what },
      `an operator ${isDisabled ? 'disabled' : 'enabled'} ${'keyId' in what ? 'a key' : 'an account'}`,
    )
  return {
    async accounts(query) {
      await quota.flush()
      return listAccounts(db, query)
    },
    async account(id) {
      await quota.flush([id])
      return findAccount(db, id)
    },
    async setAccountDisabled(operator, id, isDisabled) {
      const keyIds = await setAccountDisabled(db, id, isDisabled)
      if (keyIds === undefined) return false
      note(operator, { userId: id }, isDisabled)
      const kind = isDisabled ? 'account-disabled' : 'account-enabled'
      await securityLog.note({ of: { userId: id }, kind, actor: 'operator' })
      // Other replicas read the changes of keys twice a second.
      for (const keyId of keyIds) keys.forget(keyId)
      return true
    },
    async setKeyDisabled(operator, id, isDisabled) {
      try {
        const key = await setDisabledByOperator(id, isDisabled)
        note(operator, { userId: key.userId, keyId: id }, isDisabled)
        return key
      } catch (error) {
        if (error instanceof OperatorError && error.code === 'key_unknown') return undefined
        throw error
      }
    },
  }
}
