import type { AccountSession, SignedIn } from '../../accounts/index.js'
import type { SecurityEvent } from '../../security-log/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems, UsernameHint } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { Time } from '../parts/time.js'
import { NewPasswordField, PasswordField } from './account-fields.js'
import { browserOf } from './browser-of.js'
import { SecurityEvents } from './security-events.js'

interface AccountPageProps {
  readonly user: SignedIn
  readonly sessions: readonly AccountSession[]
  /** The latest events, the latest first. */
  readonly events: readonly SecurityEvent[]
  readonly limits: DashboardLimits
  readonly notice?: string | undefined
  readonly passwordProblems?: FormProblems
  readonly deleteProblems?: FormProblems
}

/** The user's account: password, sessions and deletion. */
export function AccountPage(props: AccountPageProps) {
  const { user, sessions, events, limits, notice, passwordProblems, deleteProblems } = props
  return (
    <>
      <h1>Account</h1>
      {notice && <Notice>{notice}</Notice>}
      <p>
        {user.email}
        {user.emailVerified && <span class="badge good">confirmed</span>}
      </p>
      <section class="card">
        <h2>Password</h2>
        <FormProblem problems={passwordProblems} />
        <Form action="/account/password">
          <UsernameHint />
          <PasswordField name="current" label="Current password" problems={passwordProblems} />
          <NewPasswordField
            consequence="All other sessions end."
            limits={limits}
            problems={passwordProblems}
          />
          <button type="submit">Change password</button>
        </Form>
      </section>
      <SessionsCard user={user} sessions={sessions} />
      <SecurityEvents events={events} limits={limits} />
      <section class="card">
        <h2>Delete account</h2>
        <p>Your keys stop working immediately. This cannot be undone. Enter your password to confirm.</p>
        <FormProblem problems={deleteProblems} />
        <Form action="/account/delete">
          <UsernameHint />
          <PasswordField name="deletePassword" problems={deleteProblems} />
          <button class="danger" type="submit">
            Delete account and keys
          </button>
        </Form>
      </section>
    </>
  )
}

function SessionsCard({ user, sessions }: Pick<AccountPageProps, 'user' | 'sessions'>) {
  return (
    <section class="card">
      <h2>Sessions</h2>
      <ul class="rows">
        {sessions.map(({ id, createdAt, address, userAgent }) => (
          <li key={id}>
            <div>
              <strong>{browserOf(userAgent)}</strong>
              {id === user.sessionId && <span class="badge good">this session</span>}
              <p class="muted">
                {address ?? 'unknown address'}, since <Time at={createdAt} />
              </p>
            </div>
            {id !== user.sessionId && (
              <Form action="/account/sessions" class="inline">
                <input type="hidden" name="session" value={id} />
                <button class="quiet" type="submit">
                  End
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <Form action="/account/sessions">
          <button class="quiet" type="submit">
            End all other sessions
          </button>
        </Form>
      )}
    </section>
  )
}
