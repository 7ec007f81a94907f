import { and } from 'drizzle-orm'
import type { NewSecurityEvent, SecurityEventKind, SecurityLog } from '../security-log/index.js'
import { isUser, users } from '../store/index.js'
import type { AccountsOptions } from './accounts-options.js'

/** A mail about an event. */
interface EventMail {
  readonly subject: string
  /** What the user can do. */
  advice(origin: string): string
  /** Introduces the detail of the event; without it, the mail does not have the detail. */
  readonly detail?: string
}

/** @param subject says what an attacker would cause to keep an account */
const warning = (subject: string): EventMail => ({
  subject,
  advice: (origin) =>
    `If you did not expect this, set a new password: ${origin}/forgot\n` +
    `Sessions and security events: ${origin}/account`,
})

/** Mails about events that users have to know about. */
const mails: Readonly<Partial<Record<SecurityEventKind, EventMail>>> = {
  'account-disabled': {
    subject: 'An operator disabled your account',
    detail: 'Reason: ',
    advice: () => 'Its keys are refused, and you cannot log in. Contact the operator of the service.',
  },
  'account-enabled': {
    subject: 'An operator enabled your account',
    detail: 'Reason: ',
    advice: (origin) => `Its keys work again, and you can log in: ${origin}/login`,
  },
  'limits-changed': {
    subject: 'An operator changed the limits of your account',
    detail: 'Now: ',
    advice: (origin) => `Usage: ${origin}/usage`,
  },
  'password-changed': warning('Your password was changed'),
  'password-reset': warning('Your password was set by a reset link'),
  'recovery-codes-renewed': warning('Your recovery codes were replaced'),
  'second-factor-off': warning('Your second factor was turned off'),
  'second-factor-on': warning('Your second factor was turned on'),
  'second-factor-reset': warning('An operator turned off your second factor'),
}

/**
 * Returns a log that also notifies users by mail of changes to their log-in, and of changes by an operator. Only
 * `close` waits for the mails. Unconfirmed addresses may belong to other people, and receive nothing.
 */
export function mailSecurityEvents(
  log: SecurityLog,
  { db, origin, sendMail, onError }: Pick<AccountsOptions, 'db' | 'origin' | 'sendMail' | 'onError'>,
): SecurityLog {
  if (sendMail === undefined) return log
  const sending = new Set<Promise<void>>()
  const send = async ({ of, from, detail = '' }: NewSecurityEvent, mail: EventMail) => {
    const [owner] = await db
      .select({ email: users.email })
      .from(users)
      .where(and(isUser(of), users.emailVerified))
    if (owner === undefined) return
    const where = from === undefined ? '' : ` The request came from ${from.address}.`
    const details = mail.detail === undefined || detail === '' ? '' : `${mail.detail}${detail}\n\n`
    await sendMail(
      owner.email,
      mail.subject,
      `${mail.subject} at ${origin()}.${where}\n\n${details}${mail.advice(origin())}`,
    )
  }
  return {
    ...log,
    async note(event) {
      await log.note(event)
      const mail = mails[event.kind]
      if (mail === undefined) return
      const work = send(event, mail)
        .catch((error: unknown) => onError(error, 'a mail could not be sent'))
        .finally(() => sending.delete(work))
      sending.add(work)
    },
    async close() {
      await Promise.all(sending)
      await log.close()
    },
  }
}
