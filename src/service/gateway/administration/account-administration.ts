import type { AccountAdministration, SignedIn, UserLimits } from '../accounts/index.js'
import {
  findAccount,
  listAccounts,
  resetSecondFactor,
  setAccountDisabled,
  setAccountLimits,
} from '../accounts/index.js'
import { type Keys, readReason } from '../keys/index.js'
import type { Quota } from '../quota/index.js'
import { recordKeyEvents, type SecurityLog } from '../security-log/index.js'
import type { Store } from '../store/index.js'
import type { Log } from '../telemetry/index.js'
import { OperatorError } from '../util/index.js'

/** Creates the operations of operators on accounts and keys. Methods reject with the errors of the database. */
export function createAccountAdministration(
  { db }: Pick<Store, 'db'>,
  keys: Keys,
  quota: Pick<Quota, 'flush'>,
  securityLog: Pick<SecurityLog, 'note'>,
  log: Log,
  limits: { readonly reasonLength: number },
): AccountAdministration {
  const { setDisabledByOperator } = recordKeyEvents(keys, securityLog, 'operator')
  const note = ({ email, userId: operatorId }: SignedIn, what: object, did: string) =>
    log.info({ operator: email, operatorId, ...what }, `an operator ${did}`)
  const stateOf = (isDisabled: boolean) => (isDisabled ? 'disabled' : 'enabled')
  return {
    async accounts(query) {
      await quota.flush()
      return listAccounts(db, query)
    },
    async account(id) {
      await quota.flush([id])
      return findAccount(db, id)
    },
    async setAccountDisabled(operator, id, isDisabled, given) {
      const reason = readReason(given, limits)
      const keyIds = await setAccountDisabled(db, id, isDisabled, reason)
      if (keyIds === undefined) return false
      note(operator, { userId: id }, `${stateOf(isDisabled)} an account`)
      const kind = isDisabled ? 'account-disabled' : 'account-enabled'
      await securityLog.note({ of: { userId: id }, kind, actor: 'operator', detail: reason })
      // Other replicas read the changes of keys twice a second.
      for (const keyId of keyIds) keys.forget(keyId)
      return true
    },
    async setLimits(operator, id, lowered, given) {
      const reason = readReason(given, limits)
      const keyIds = await setAccountLimits(db, id, lowered, reason)
      if (keyIds === undefined) return false
      note(operator, { userId: id, ...lowered }, 'changed the limits of an account')
      await securityLog.note({
        ...{ of: { userId: id }, kind: 'limits-changed', actor: 'operator' },
        detail: `${describeLimits(lowered)}${reason === '' ? '' : `. Reason: ${reason}`}`,
      })
      for (const keyId of keyIds) keys.forget(keyId)
      return true
    },
    async resetSecondFactor(operator, id) {
      if (!(await resetSecondFactor(db, id))) return false
      note(operator, { userId: id }, 'reset the second factor of an account')
      await securityLog.note({ of: { userId: id }, kind: 'second-factor-reset', actor: 'operator' })
      return true
    },
    async setKeyDisabled(operator, id, isDisabled) {
      try {
        const key = await setDisabledByOperator(id, isDisabled)
        note(operator, { userId: key.userId, keyId: id }, `${stateOf(isDisabled)} a key`)
        return key
      } catch (error) {
        if (error instanceof OperatorError && error.code === 'key_unknown') return undefined
        throw error
      }
    },
  }
}

function describeLimits({ dailyLimit, keyLimit }: UserLimits): string {
  const requests = dailyLimit === null ? [] : [`${dailyLimit.toLocaleString('en-US')} requests per day`]
  const keys = keyLimit === null ? [] : [`${keyLimit} ${keyLimit === 1 ? 'key' : 'keys'}`]
  const lowered = [...requests, ...keys]
  return lowered.length === 0 ? 'as for every account' : lowered.join(', ')
}
