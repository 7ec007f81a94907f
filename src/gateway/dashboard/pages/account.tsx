import type { AccountSession, SignedIn } from '../../accounts/account.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { NewPasswordField, PasswordField } from '../parts/account-fields.js'
import { Form, FormProblem, type FormProblems, WhosePassword } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { Time } from '../parts/time.js'

interface AccountPageProps {
  readonly user: SignedIn
  readonly sessions: readonly AccountSession[]
  readonly limits: DashboardLimits
  readonly notice?: string | undefined
  readonly passwordProblems?: FormProblems
  readonly deleteProblems?: FormProblems
}

/** An account: its password, its sessions, its end. */
export function AccountPage(props: AccountPageProps) {
  const { user, sessions, limits, notice, passwordProblems, deleteProblems } = props
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
          <WhosePassword />
          <PasswordField name="current" label="Current password" problems={passwordProblems} />
          <NewPasswordField
            consequence="Every other session ends."
            limits={limits}
            problems={passwordProblems}
          />
          <button type="submit">Change the password</button>
        </Form>
      </section>
      <SessionsCard user={user} sessions={sessions} />
      <section class="card">
        <h2>Delete the account</h2>
        <p>Its keys stop working at once, and nothing can be brought back. Type your password to confirm.</p>
        <FormProblem problems={deleteProblems} />
        <Form action="/account/delete">
          <WhosePassword />
          <PasswordField name="deletePassword" problems={deleteProblems} />
          <button class="danger" type="submit">
            Delete the account and its keys
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
              {id === user.sessionId && <span class="badge good">this one</span>}
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
            End all others
          </button>
        </Form>
      )}
    </section>
  )
}

const browsers = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari', 'curl'] as const
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const
const spoken: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }

/** What a person would call the program that names itself so. */
function browserOf(userAgent: string | null): string {
  const text = userAgent ?? ''
  const find = (names: readonly string[]) => {
    const name = names.find((each) => text.includes(each))
    return name && (spoken[name] ?? name)
  }
  const [browser, system] = [find(browsers), find(systems)]
  if (browser === undefined) return 'Unknown program'
  return system === undefined ? browser : `${browser} on ${system}`
}
