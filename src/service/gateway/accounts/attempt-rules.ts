import type { AccountLimits } from './account.js'

/** A limit on attempts: so many in a window of this length. */
export interface AttemptRule {
  readonly max: number
  /** Seconds. */
  readonly window: number
}

const secondsPer = { minute: 60, hour: 3_600 } as const
/** Requests per client address and minute to paths without a limit of their own. */
const OTHER_REQUESTS = 120

/**
 * Returns a function that returns the limit of attempts per client address for a path of better-auth, without its query.
 */
export function attemptRules(limits: AccountLimits): (path: string) => AttemptRule {
  const perMinute = (max: number): AttemptRule => ({ window: secondsPer.minute, max })
  const perHour = (max: number): AttemptRule => ({ window: secondsPer.hour, max })
  const passwords = perMinute(limits.logInAttemptsPerAddressPerMinute)
  const rules: Readonly<Record<string, AttemptRule>> = {
    'sign-in/email': passwords,
    'sign-up/email': perHour(limits.signUpsPerAddressPerHour),
    'request-password-reset': perHour(limits.mailsPerAddressPerHour),
    'reset-password': passwords,
    'change-password': passwords,
    'change-address': passwords,
    'confirm-address': passwords,
    'address-link': perHour(limits.mailsPerAddressPerHour),
    'delete-user': passwords,
    'verify-email': passwords,
    'two-factor/enable': passwords,
    'two-factor/disable': passwords,
    'two-factor/generate-backup-codes': passwords,
    'two-factor/verify-totp': passwords,
    'two-factor/verify-backup-code': passwords,
  }
  const others = perMinute(OTHER_REQUESTS)
  return (path) => rules[path] ?? others
}
