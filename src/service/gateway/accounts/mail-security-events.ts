import { and, eq } from 'drizzle-orm'
import type { NewSecurityEvent, SecurityEventKind, SecurityLog } from '../security-log/index.js'
import { users } from '../store/index.js'
import type { AccountsOptions } from './accounts-options.js'

/** Subjects of mails about events that an attacker would cause to keep an account. */
const subjects: Readonly<Partial<Record<SecurityEventKind, string>>> = {
  'password-changed': 'Your password was changed',
  'password-reset': 'Your password was set by a reset link',
  'recovery-codes-renewed': 'Your recovery codes were replaced',
  'second-factor-off': 'Your second factor was turned off',
  'second-factor-on': 'Your second factor was turned on',
  'second-factor-reset': 'An operator turned off your second factor',
}

/**
 * Returns a log that also tells users by mail that their password or second factor has changed. Nothing waits for the
 * mails but `close`. Addresses that are not confirmed may be somebody else's, and receive nothing.
 */
export function mailSecurityEvents(
  log: SecurityLog,
  { db, origin, sendMail, onError }: Pick<AccountsOptions, 'db' | 'origin' | 'sendMail' | 'onError'>,
): SecurityLog {
  if (sendMail === undefined) return log
  const sending = new Set<Promise<void>>()
  const send = async ({ of, from }: NewSecurityEvent, subject: string) => {
    const [owner] = await db
      .select({ email: users.email })
      .from(users)
      .where(and('userId' in of ? eq(users.id, of.userId) : eq(users.email, of.email), users.emailVerified))
    if (owner === undefined) return
    const where = from === undefined ? '' : ` The request came from ${from.address}.`
    await sendMail(
      owner.email,
      subject,
      `${subject}, for your account at ${origin()}.${where}\n\n` +
        `If you did not expect this, set a new password: ${origin()}/forgot\n` +
        `Sessions and security events: ${origin()}/account`,
    )
  }
  return {
    ...log,
    async note(event) {
      await log.note(event)
      const subject = subjects[event.kind]
      if (subject === undefined) return
      const work = send(event, subject)
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
