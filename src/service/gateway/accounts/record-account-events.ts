import type { NewSecurityEvent, SecurityLog } from '../security-log/index.js'
import type { AccountOutcome, Accounts } from './account.js'

/** Returns accounts whose log-ins and changes are noted in their logs. */
export function recordAccountEvents(accounts: Accounts, { note }: Pick<SecurityLog, 'note'>): Accounts {
  const noted = async (outcome: AccountOutcome, event: NewSecurityEvent) => {
    if (outcome.ok) await note(event)
    return outcome
  }
  return {
    ...accounts,
    async signUp(from, email, password) {
      const outcome = await accounts.signUp(from, email, password)
      // With mail, a sign-up with a known address has the same outcome.
      if (accounts.verifiesByMail) return outcome
      return noted(outcome, { of: { email }, kind: 'sign-up', from })
    },
    async logIn(from, email, password) {
      const outcome = await accounts.logIn(from, email, password)
      // Nobody waits for it: the duration of a failed log-in would tell whether the address is known.
      if (!outcome.ok && outcome.problem === 'password_wrong')
        note({ of: { email }, kind: 'log-in-failed', from })
      if (outcome.ok && !outcome.needsCode) await note({ of: { email }, kind: 'log-in', from })
      return outcome
    },
    async changePassword(from, user, current, next) {
      const outcome = await accounts.changePassword(from, user, current, next)
      return noted(outcome, { of: user, kind: 'password-changed', from })
    },
  }
}
