import { createHash } from 'node:crypto'
import { and, eq, gt, like, sql } from 'drizzle-orm'
import { readEmail } from '../keys/index.js'
import {
  createFormerUsers,
  type Database,
  isUser,
  randomText,
  sessions,
  users,
  verifications,
  violates,
} from '../store/index.js'
import type { AccountOutcome, AccountProblem, AccountRefusal, Accounts, ClientRequest } from './account.js'
import type { AccountsOptions } from './accounts-options.js'
import { checkPassword } from './check-verification.js'
import type { Gate } from './gate/gate.js'
import { createLinks } from './links.js'

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
/** 165 random bits. */
const TOKEN_CHARACTERS = 32
const HOUR_MS = 3_600_000
/** Prefix of `verifications.identifier`. */
const PENDING = 'change-address:'

/** Options of {@link createAddressChanges}: those of the accounts, and the operations that it shares with them. */
interface AddressChangesOptions extends AccountsOptions {
  readonly gate: Gate
  readonly inBackground: (work: Promise<unknown>) => void
  readonly session: Accounts['session']
}

/** An account and its next address. */
interface AddressChange {
  readonly userId: string
  readonly email: string
}

/** Creates the operations that change the e-mail address of an account. */
export function createAddressChanges(
  options: AddressChangesOptions,
): Pick<Accounts, 'changeAddress' | 'confirmAddress'> {
  const { db, limits, sendMail, securityLog, gate, inBackground } = options
  const links = createLinks(options)
  const formerUsers = createFormerUsers(db, options.secret, limits.loweredLimitsDays)
  const isTaken = async (email: string) => (await db.$count(users, isUser({ email }))) > 0

  /** Sends a confirmation link, which invalidates the previous one. */
  const sendLink = async ({ userId, email }: AddressChange, from: ClientRequest) => {
    await deletePending(db, userId)
    if (await isTaken(email)) return links.addressTaken(email, from)
    const token = randomText(TOKEN_ALPHABET, TOKEN_CHARACTERS)
    const expiresAt = new Date(Date.now() + limits.verificationLinkHours * HOUR_MS)
    const value = `${userId} ${email}`
    await db
      .insert(verifications)
      .values({ id: digestOf(token), identifier: identifierOf(token), value, expiresAt })
    return links.address(email, token, from)
  }

  /**
   * Changes the address, ends all other sessions, and invalidates links that were sent to the old address. The old
   * address is notified unless it was not confirmed, because it may then be somebody else's.
   */
  const apply = async (from: ClientRequest, { userId, email }: AddressChange): Promise<AccountOutcome> => {
    const [{ was, isConfirmed } = { was: '', isConfirmed: false }] = await db
      .select({ was: users.email, isConfirmed: users.emailVerified })
      .from(users)
      .where(eq(users.id, userId))
    if (await formerUsers.wasOfAnother({ id: userId, email })) return refused('address_used_today')
    const own = await options.session(from, { extendSession: false })
    const kept = own?.user.userId === userId ? own.user.sessionId : ''
    try {
      await formerUsers.noteAddress({ id: userId, email: was })
      await db.execute(sql`
        with changed as (
          update ${users} set email = ${email}, email_verified = ${sendMail !== undefined}, updated_at = now()
          where id = ${userId} returning id
        ),
        ended as (delete from ${sessions} where user_id in (select id from changed) and id <> ${kept})
        delete from ${verifications} where value in (select id from changed)`)
    } catch (error) {
      if (violates(error, 'users_email')) return refused('address_taken')
      throw error
    }
    await securityLog.note({
      of: { userId },
      kind: 'address-changed',
      from,
      detail: `from ${was} to ${email}`,
    })
    if (isConfirmed) inBackground(Promise.resolve(links.addressChanged(was, email)))
    return { ok: true, setCookies: [] }
  }

  return {
    async changeAddress(from, user, password, typed) {
      const email = usableAddress(typed)
      const { userId } = user
      const of = () =>
        email === undefined || email === user.email.toLowerCase() ? refused('address_unusable') : user
      return gate.pass('change-address', { from, of }, async () => {
        const checked = await checkPassword(db, eq(users.id, userId), password)
        if ('problem' in checked) return refused(checked.problem)
        const change = { userId, email: email ?? '' }
        if (sendMail === undefined) return apply(from, change)
        // Not awaited: the duration would reveal whether the address has an account.
        inBackground(sendLink(change, from))
        return { ok: true, setCookies: [] }
      })
    },
    async confirmAddress(from, token, password) {
      let change: AddressChange = { userId: '', email: '' }
      const of = async () => {
        const [pending] = await db
          .select({ next: verifications.value, email: users.email })
          .from(verifications)
          .innerJoin(users, eq(users.id, sql`split_part(${verifications.value}, ' ', 1)`))
          .where(
            and(eq(verifications.identifier, identifierOf(token)), gt(verifications.expiresAt, sql`now()`)),
          )
        if (pending === undefined) return refused('link_unusable')
        const [userId = '', email = ''] = pending.next.split(' ')
        change = { userId, email }
        return { userId, email: pending.email }
      }
      return gate.pass('confirm-address', { from, of }, async () => {
        const checked = await checkPassword(db, eq(users.id, change.userId), password)
        if ('problem' in checked) return refused(checked.problem)
        // Deleted before the change, so that the link works once.
        const used = await db
          .delete(verifications)
          .where(eq(verifications.identifier, identifierOf(token)))
          .returning({ id: verifications.id })
        return used.length === 0 ? refused('link_unusable') : apply(from, change)
      })
    },
  }
}

const refused = (problem: AccountProblem): AccountRefusal => ({ ok: false, problem })
const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url')
const identifierOf = (token: string) => PENDING + digestOf(token)

/** Returns an address in lower case; undefined for other texts. */
function usableAddress(typed: string): string | undefined {
  try {
    return readEmail(typed)
  } catch {
    return undefined
  }
}

/** Deletes the pending confirmation link of an account. */
export async function deletePending(db: Database, userId: string): Promise<void> {
  await db
    .delete(verifications)
    .where(and(like(verifications.identifier, `${PENDING}%`), sql`starts_with(value, ${`${userId} `})`))
}
