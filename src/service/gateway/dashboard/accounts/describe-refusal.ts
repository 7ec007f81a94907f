import type { AccountRefusal } from '../../accounts/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import type { FormProblems } from '../parts/form.js'

/** The response to a refused form. */
export interface RefusalPage {
  /** HTTP status. */
  readonly status: number
  readonly problems: FormProblems
  readonly headers: Readonly<Record<string, string>>
}

/** Properties of a form that determine the messages. */
export interface RefusedForm {
  /** Message for a wrong password, and the field that it belongs to; an empty field means the whole form. */
  readonly wrongPassword: { readonly field: string; readonly text: string }
  /** Message for a wrong code; by default that of an app's code, in the field `code`. */
  readonly wrongCode?: { readonly field: string; readonly text: string }
  /** Name of the field with a new password; `password` by default. */
  readonly newPassword?: string
}

const wrongAppCode = {
  field: 'code',
  text: 'Wrong code. Enter the code that your app shows now. Each code works once.',
}
const secondsPerMinute = 60
const status = { refused: 400, unauthorized: 401, forbidden: 403, taken: 409, tooMany: 429 } as const

/** Converts a refusal of the accounts to a message for the form, with what the user can do. */
export function describeRefusal(
  refusal: AccountRefusal,
  limits: DashboardLimits,
  { wrongPassword, wrongCode = wrongAppCode, newPassword = 'password' }: RefusedForm,
): RefusalPage {
  const { passwordMinimumLength: least, passwordMaximumLength: most } = limits
  const message = (code: number, field: string, text: string): RefusalPage => ({
    status: code,
    problems: { [field]: text },
    headers: {},
  })
  switch (refusal.problem) {
    case 'account_disabled':
      return message(
        status.forbidden,
        '',
        `This account and its keys are disabled.${refusal.reason === undefined ? '' : ` Reason: ${refusal.reason}`} Contact the operator of this service.`,
      )
    case 'address_taken':
      return message(
        status.taken,
        'email',
        'An account with this e-mail address already exists. Log in instead.',
      )
    case 'address_used_today':
      return message(
        status.taken,
        'email',
        'This e-mail address belonged to another account today. Change to it tomorrow (UTC).',
      )
    case 'address_unusable':
      return message(status.refused, 'email', 'Enter a valid e-mail address.')
    case 'address_unverified':
      return message(
        status.forbidden,
        '',
        'This e-mail address is not confirmed. Open the link in the newest mail that we sent there, then log in.',
      )
    case 'code_wrong':
      return message(status.unauthorized, wrongCode.field, wrongCode.text)
    case 'foreign_origin':
      return message(status.forbidden, '', 'This form was not sent from this site.')
    case 'link_unusable':
      return message(status.refused, '', 'This link is invalid or has expired. Request a new one.')
    case 'log_in_expired':
      return message(status.unauthorized, '', 'This log-in has expired. Log in with your password again.')
    case 'second_factor_changed':
      return message(
        status.taken,
        '',
        'The second factor has been changed in the meantime. Open your account again.',
      )
    case 'not_logged_in':
      return message(status.unauthorized, '', 'Your session has ended. Log in again.')
    case 'password_common':
      return message(
        status.refused,
        newPassword,
        'This password is easy to guess. Use several unrelated words or a password manager.',
      )
    case 'password_too_long':
      return message(status.refused, newPassword, `The password must have at most ${most} characters.`)
    case 'password_too_short':
      return message(status.refused, newPassword, `The password must have at least ${least} characters.`)
    case 'password_wrong':
      return message(status.unauthorized, wrongPassword.field, wrongPassword.text)
    case 'too_many_attempts':
      return tooMany(refusal.retryAfterSeconds ?? secondsPerMinute)
  }
}

function tooMany(seconds: number): RefusalPage {
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
