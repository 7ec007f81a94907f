import type { SecurityLog } from '../security-log/index.js'
import type { Database, Secret } from '../store/index.js'
import type { AccountLimits } from './account.js'

/** Sends one mail; rejects if the mail server refuses it. */
export type SendMail = (to: string, subject: string, text: string) => Promise<void>

/** Options of the accounts. */
export interface AccountsOptions {
  readonly db: Database
  readonly secret: Secret
  readonly limits: AccountLimits
  /** Name of the service in authenticator apps. */
  readonly issuer: string
  /** Public origin of the dashboard. */
  readonly origin: () => string
  /** Origins that forms may come from. */
  readonly ownOrigins: () => readonly string[]
  /** Undefined without a mail server; addresses are then not verified. */
  readonly sendMail: SendMail | undefined
  /** Shows reset links to the operator if there is no mail server; undefined turns that off. */
  readonly showResetLink: ((email: string, link: string) => void) | undefined
  /** E-mail addresses of the operators, in lower case. A function, because a reload can change them. */
  readonly operators: () => readonly string[]
  /** Deletes every key of a user. */
  readonly deleteKeys: (userId: string) => Promise<void>
  /** Writes the counted requests of this process. */
  readonly flushCounts: () => Promise<void>
  readonly securityLog: Pick<SecurityLog, 'note'>
  readonly onError: (error: unknown, what: string) => void
}
