import type { AccountLimits, AccountProblem } from '../account.js'
import type { AttemptRule } from './count-in-window.js'

/** A form or link that takes a proof of identity, or that sends one by mail. */
export type ProofFormName =
  | 'sign-up'
  | 'send-again'
  | 'log-in'
  | 'log-in-code'
  | 'request-reset'
  | 'reset-password'
  | 'verify-address'
  | 'change-password'
  | 'change-address'
  | 'confirm-address'
  | 'delete-account'
  | 'set-up-second-factor'
  | 'confirm-second-factor'
  | 'renew-recovery-codes'
  | 'turn-off-second-factor'

/** The limits of a form, and how its failures are logged. */
export interface ProofForm {
  /** Limit on attempts per client. */
  readonly perClient: AttemptRule
  /** Limit on failed attempts per account; undefined for a form without a proof that could be guessed. */
  readonly guesses?: GuessRule
  /**
   * True if the proof starts a session. Of a disabled account, it is judged all the same, so that only its owner learns
   * of that when the session is refused.
   */
  readonly isLogIn?: true
  /** How a failed attempt is logged. */
  readonly failure?: { readonly kind: 'log-in-failed' | 'proof-failed'; readonly detail: string }
  /** Seconds for which a used proof is refused, and the refusal. */
  readonly once?: { readonly seconds: number; readonly refusal: AccountProblem }
}

/** A limit on guesses per account. Each kind of proof is counted separately. */
export interface GuessRule {
  readonly kind: 'password' | 'code'
  /** Maximum number of failed attempts in the hour after the first attempt. */
  readonly most: number
}

const secondsPer = { minute: 60, hour: 3_600 } as const
/**
 * Seconds for which a TOTP code may be accepted: its own 30, the 30 before and the 30 after (RFC 6238, section 5.2).
 */
const CODE_SECONDS = 90

/**
 * Returns all forms with the contract's limits. New forms must be added here, because no other code limits attempts.
 */
export function proofForms(limits: AccountLimits): Readonly<Record<ProofFormName, ProofForm>> {
  const passwords = { window: secondsPer.minute, max: limits.logInAttemptsPerAddressPerMinute }
  const mails = { window: secondsPer.hour, max: limits.mailsPerAddressPerHour }
  const password: GuessRule = { kind: 'password', most: limits.logInAttemptsPerAccountPerHour }
  const code: GuessRule = { kind: 'code', most: limits.codeAttemptsPerAccountPerHour }
  const codeOnce = { seconds: CODE_SECONDS, refusal: 'code_wrong' } as const
  /** A form that asks for the account's password. */
  const withPassword = (what: string): ProofForm => ({
    perClient: passwords,
    guesses: password,
    failure: { kind: 'proof-failed', detail: `wrong password, ${what}` },
  })
  return {
    'sign-up': { perClient: { window: secondsPer.hour, max: limits.signUpsPerAddressPerHour } },
    'log-in': {
      perClient: passwords,
      guesses: password,
      failure: { kind: 'log-in-failed', detail: '' },
      isLogIn: true,
    },
    'log-in-code': {
      perClient: passwords,
      guesses: code,
      failure: { kind: 'log-in-failed', detail: 'right password, wrong code' },
      isLogIn: true,
      once: codeOnce,
    },
    'request-reset': { perClient: mails },
    'send-again': { perClient: mails },
    'reset-password': { perClient: passwords },
    'verify-address': {
      ...withPassword('to confirm the address'),
      once: { seconds: limits.verificationLinkHours * secondsPer.hour, refusal: 'link_unusable' },
    },
    'change-password': withPassword('to change it'),
    'change-address': withPassword('to change the address'),
    'confirm-address': withPassword('to confirm a new address'),
    'delete-account': withPassword('to delete the account'),
    'set-up-second-factor': withPassword('to set up a second factor'),
    'confirm-second-factor': {
      perClient: passwords,
      guesses: code,
      failure: { kind: 'proof-failed', detail: 'wrong code, to turn on the second factor' },
      once: codeOnce,
    },
    'renew-recovery-codes': withPassword('for new recovery codes'),
    'turn-off-second-factor': withPassword('to turn off the second factor'),
  }
}

/** Returns the limit on mails per client, which sign-ups and requests for links share. */
export const mailsPerClient = (limits: AccountLimits): AttemptRule => ({
  window: secondsPer.hour,
  max: limits.signUpsPerAddressPerHour + limits.mailsPerAddressPerHour,
})
