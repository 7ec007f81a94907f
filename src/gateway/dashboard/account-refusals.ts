import type { AccountRefusal } from '../accounts/account.js'
import type { DashboardLimits } from './dashboard-services.js'
import type { FormProblems } from './parts/form.js'

/** What a refused form is answered with. */
export interface ToldRefusal {
  /** HTTP status. */
  readonly status: number
  readonly problems: FormProblems
  readonly headers: Readonly<Record<string, string>>
}

/** What differs from form to form. */
export interface RefusedForm {
  /** What is said of a password that does not fit the account, and beside which field; none stands for the form. */
  readonly wrongPassword: { readonly field: string; readonly text: string }
  /** The field of a password that is to be set; `password` by default. */
  readonly newPassword?: string
}

const secondsPerMinute = 60
const status = { refused: 400, unauthorized: 401, forbidden: 403, taken: 409, tooMany: 429 } as const

/** Says what a person can do about a refusal. */
export function tellRefusal(
  refusal: AccountRefusal,
  limits: DashboardLimits,
  { wrongPassword, newPassword = 'password' }: RefusedForm,
): ToldRefusal {
  const { passwordMinimumLength: least, passwordMaximumLength: most } = limits
  const told = (code: number, field: string, text: string): ToldRefusal => ({
    status: code,
    problems: { [field]: text },
    headers: {},
  })
  switch (refusal.problem) {
    case 'account_disabled':
      return told(
        status.forbidden,
        '',
        'This account is disabled, and so are its keys. Ask whoever runs the service.',
      )
    case 'address_taken':
      return told(status.taken, 'email', 'There is an account with this address already. Log in instead.')
    case 'address_unusable':
      return told(status.refused, 'email', 'This is not an e-mail address.')
    case 'address_unverified':
      return told(
        status.forbidden,
        '',
        'This address is not confirmed yet. We have sent the link to it again: open it, then log in.',
      )
    case 'foreign_origin':
      return told(status.forbidden, '', 'This form did not come from this site.')
    case 'link_unusable':
      return told(status.refused, '', 'This link was used already, or is too old. Ask for a new one.')
    case 'not_logged_in':
      return told(status.unauthorized, '', 'You are not logged in any more.')
    case 'password_common':
      return told(
        status.refused,
        newPassword,
        'This password is easy to guess. Use several unrelated words, or a password manager.',
      )
    case 'password_too_long':
      return told(status.refused, newPassword, `The password has more than ${most} characters.`)
    case 'password_too_short':
      return told(status.refused, newPassword, `The password needs at least ${least} characters.`)
    case 'password_wrong':
      return told(status.unauthorized, wrongPassword.field, wrongPassword.text)
    case 'too_many_attempts':
      return tooMany(refusal.retryAfterSeconds ?? secondsPerMinute)
  }
}

function tooMany(seconds: number): ToldRefusal {
  const wait =
    seconds <= secondsPerMinute
      ? `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
      : `${Math.ceil(seconds / secondsPerMinute)} minutes`
  return {
    status: status.tooMany,
    problems: { '': `Too many attempts. Try again in ${wait}.` },
    headers: { 'retry-after': String(seconds) },
  }
}
