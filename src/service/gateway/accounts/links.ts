import type { ClientRequest } from './account.js'
import type { AccountsOptions } from './accounts-options.js'
import type { Addressee } from './create-auth.js'
import type { Gate } from './gate/gate.js'

/** The client that caused a mail. */
type MailCause = Pick<ClientRequest, 'address'>

interface LinkOptions extends Pick<AccountsOptions, 'origin' | 'sendMail' | 'showResetLink' | 'limits'> {
  readonly gate: Pick<Gate, 'mayMail'>
}

/**
 * Creates the functions that send links by mail. Without mail, reset links are shown to the operator. Mails that
 * strangers can cause are dropped silently beyond the limits of the recipient and the client.
 */
export function createLinks({ origin, sendMail, showResetLink, limits, gate }: LinkOptions) {
  const send = async (to: string, from: MailCause, subject: string, text: string) => {
    if (sendMail !== undefined && (await gate.mayMail(to, from))) await sendMail(to, subject, text)
  }
  const footer = 'If you did not request this, you can ignore this mail.'
  return {
    verification: ({ email }: Addressee, token: string, from: MailCause) =>
      send(
        email,
        from,
        'Confirm your e-mail address',
        `Someone signed up for the node access service at ${origin()} with this e-mail address.\n\n` +
          `Confirm the address within ${limits.verificationLinkHours} hours:\n${origin()}/verify?token=${token}\n\n${footer}`,
      ),
    alreadyKnown: ({ email }: Addressee, from: MailCause) =>
      send(
        email,
        from,
        'You already have an account',
        `Someone tried to sign up for the node access service at ${origin()} with this e-mail address. ` +
          'You already have an account with this address.\n\n' +
          `Log in: ${origin()}/login\nReset your password: ${origin()}/forgot\n\n${footer}`,
      ),
    address: (to: string, token: string, from: MailCause) =>
      send(
        to,
        from,
        'Confirm your new e-mail address',
        `The user of an account at ${origin()} asked to change its e-mail address to this one.\n\n` +
          `Confirm the address within ${limits.verificationLinkHours} hours:\n${origin()}/address?token=${token}\n\n${footer}`,
      ),
    addressTaken: (to: string, from: MailCause) =>
      send(
        to,
        from,
        'You already have an account',
        `The user of another account at ${origin()} asked to change its e-mail address to this one. ` +
          `You already have an account with this address, so nothing was changed.\n\n${footer}`,
      ),
    addressChanged: async (to: string, email: string) =>
      sendMail?.(
        to,
        'Your e-mail address was changed',
        `The e-mail address of your account at ${origin()} is now ${email}. This address no longer belongs to it.\n\n` +
          'If you did not do this, contact the operator of the service.',
      ),
    async reset({ email }: Addressee, token: string, from: MailCause) {
      const link = `${origin()}/reset?token=${token}`
      if (sendMail === undefined) return showResetLink?.(email, link)
      return send(
        email,
        from,
        'Reset your password',
        `Set a new password for ${origin()} within ${limits.resetLinkMinutes} minutes:\n${link}\n\n${footer}`,
      )
    },
  }
}
