import { and, isNotNull } from 'drizzle-orm'
import type { SecurityLog } from '../../security-log/index.js'
import { type Database, isUser, type Secret, users } from '../../store/index.js'
import type { AccountLimits, AccountProblem, AccountRefusal, ClientRequest } from '../account.js'
import { type Attempt, createAttemptCount } from './attempt-count.js'
import { createClientAttempts } from './client-attempts.js'
import { type GuessRule, mailsPerClient, type ProofFormName, proofForms } from './proof-forms.js'

/** The account that a proof is for. */
export interface ProvenAccount {
  readonly email: string
  /** Absent if only the e-mail address is known. Required for codes. */
  readonly userId?: string
}

/** A proof that a client sends. */
export interface Proof {
  readonly from: ClientRequest
  /** Finds the account of the proof, after the client's attempt is counted; undefined without an account. */
  readonly of?: () =>
    | ProvenAccount
    | AccountRefusal
    | undefined
    | Promise<ProvenAccount | AccountRefusal | undefined>
  /** The code or the token of a link, if it works once. */
  readonly once?: string
}

/** An accepted proof. */
interface Passed {
  readonly ok: true
}

/**
 * Verifies every password, code, recovery code and link. Counts attempts by client and by account, accepts codes and
 * links once, and logs each failure. Proofs of disabled accounts are refused without being used up.
 */
export interface Gate {
  /**
   * Verifies a proof within the limits of its form.
   * @param judge verifies the proof and performs the operation; not called for refused attempts
   * @returns the outcome of `judge`, or the refusal
   */
  pass<Outcome extends Passed>(
    form: ProofFormName,
    proof: Proof,
    judge: () => Promise<Outcome | AccountRefusal>,
  ): Promise<Outcome | AccountRefusal>
  /**
   * Remembers that the owner of an account uses a client address. Attempts from there are then counted separately.
   * @param kinds kinds of proof that the owner has given from there
   */
  remember(
    account: ProvenAccount,
    kinds: readonly GuessRule['kind'][],
    from: Pick<ClientRequest, 'address'>,
  ): Promise<void>
  /** Resets the count of guesses from unknown addresses, after the owner has proved ownership of the e-mail address. */
  forget(email: string): Promise<void>
  /**
   * Counts a mail that strangers can cause.
   * @returns false if the limit of the recipient or of the client is reached
   */
  mayMail(to: string, from: Pick<ClientRequest, 'address'>): Promise<boolean>
}

/** Options of {@link createGate}. */
export interface GateOptions {
  readonly db: Database
  readonly secret: Secret
  readonly limits: AccountLimits
  readonly securityLog: Pick<SecurityLog, 'note'>
}

/** Refusals of a wrong guess. After any other refusal, the attempt is uncounted. */
const wrong: ReadonlySet<AccountProblem> = new Set(['code_wrong', 'password_wrong'])

/** Creates the gate. Its counts are shared by all replicas through the database. */
export function createGate({ db, secret, limits, securityLog }: GateOptions): Gate {
  const accountAttempts = createAttemptCount(db, secret.derive('names of accounts in the count of attempts'))
  const clientAttempts = createClientAttempts(
    db,
    secret.derive('names of clients in the count of attempts'),
    limits.ipv6SiteTimes,
  )
  const forms = proofForms(limits)

  return {
    async pass(name, { from, of, once: used }, judge) {
      const { perClient, guesses, failure, once, isLogIn } = forms[name]
      const wait = await clientAttempts.count(from.address, name, perClient)
      if (wait !== undefined) return tooMany(wait)
      const account = await of?.()
      if (account !== undefined && 'problem' in account) return account
      if (account !== undefined && !isLogIn && (await isDisabled(db, account)))
        return refused('account_disabled')
      const attempt = account && guesses && attemptAt(account, guesses.kind, from)
      const taken = attempt && (await accountAttempts.take(attempt, guesses?.most ?? 0))
      if (taken?.wait !== undefined) return tooMany(taken.wait)
      const mark = once && used !== undefined ? [account?.userId ?? name, used] : undefined
      const isNew = mark === undefined || (await accountAttempts.use(mark, once?.seconds ?? 0))
      const release = async () => {
        if (isNew && mark !== undefined) await accountAttempts.release(mark)
      }
      const judged = () =>
        judge().catch(async (error: unknown) => {
          // The proof was not judged. Without the database, neither can be undone, and both expire.
          await Promise.allSettled([release(), taken?.giveBack()])
          throw error
        })
      const outcome = isNew ? await judged() : refused(once?.refusal ?? 'link_unusable')
      if (outcome.ok) {
        if (attempt !== undefined) await accountAttempts.succeeded(attempt)
        return outcome
      }
      await release()
      if (!wrong.has(outcome.problem)) await taken?.giveBack()
      else if (account !== undefined && failure !== undefined) {
        const { userId, email } = account
        // Not awaited: the duration would reveal whether the address is known.
        securityLog.note({ of: userId === undefined ? { email } : { userId }, from, ...failure })
      }
      return outcome
    },
    async remember(account, kinds, from) {
      for (const kind of kinds) await accountAttempts.remember(attemptAt(account, kind, from))
    },
    forget: (email) => accountAttempts.forget(email),
    async mayMail(to, { address }) {
      if ((await clientAttempts.count(address, 'mails', mailsPerClient(limits))) !== undefined) return false
      const counted = { email: to, address, what: 'mails' }
      const { wait } = await accountAttempts.take(counted, limits.mailsPerRecipientPerHour)
      return wait === undefined
    },
  }
}

/**
 * Returns the attempt to count. Codes are counted by user, because a second factor outlives a change of the address.
 */
const attemptAt = (
  { email, userId = '' }: ProvenAccount,
  kind: GuessRule['kind'],
  { address }: Pick<ClientRequest, 'address'>,
): Attempt => ({ email: kind === 'code' ? `second factor of ${userId}` : email, address })

/** True if an operator has disabled the account. */
const isDisabled = async (db: Database, { userId, email }: ProvenAccount): Promise<boolean> => {
  const isMeant = isUser(userId === undefined ? { email } : { userId })
  return (await db.$count(users, and(isMeant, isNotNull(users.disabledAt)))) > 0
}

const refused = (problem: AccountProblem): AccountRefusal => ({ ok: false, problem })
const tooMany = (retryAfterSeconds: number): AccountRefusal => ({
  ok: false,
  problem: 'too_many_attempts',
  retryAfterSeconds,
})
