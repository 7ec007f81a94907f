import type { AccountSession, SecondFactor, SignedIn } from '../../accounts/index.js'
import type { SecurityEvent } from '../../administration/index.js'
import type { DashboardLimits } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems, Input, UsernameHint } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { Badge } from '../parts/state.js'
import { Time } from '../parts/time.js'
import { NewPasswordField, PasswordField } from './account-fields.js'
import { browserOf } from './browser-of.js'
import { SecondFactorCard } from './second-factor-pages.js'
import { SecurityEvents } from './security-events.js'

interface AccountPageProps {
  readonly user: SignedIn
  readonly secondFactor: SecondFactor
  readonly sessions: readonly AccountSession[]
  /** The latest events, the latest first. */
  readonly events: readonly SecurityEvent[]
  readonly limits: DashboardLimits
  readonly notice?: string | undefined
  readonly verifiesByMail: boolean
  readonly addressProblems?: FormProblems
  readonly passwordProblems?: FormProblems
  readonly deleteProblems?: FormProblems
}

/** The user's account: password, sessions and deletion. */
export function AccountPage(props: AccountPageProps) {
  const {
    user,
    secondFactor,
    sessions,
    events,
    limits,
    notice,
    addressProblems,
    passwordProblems,
    deleteProblems,
  } = props
  return (
    <>
      <h1>Account</h1>
      {notice && <Notice>{notice}</Notice>}
      <AddressCard user={user} verifiesByMail={props.verifiesByMail} problems={addressProblems} />
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
      <SecondFactorCard secondFactor={secondFactor} />
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

function AddressCard({
  user,
  verifiesByMail,
  problems,
}: Pick<AccountPageProps, 'user' | 'verifiesByMail'> & { readonly problems: FormProblems | undefined }) {
  return (
    <section class="card">
      <h2>E-mail address</h2>
      <p>
        {user.email}
        {user.emailVerified && <Badge tone="good">confirmed</Badge>}
      </p>
      <details open={problems !== undefined}>
        <summary>Change the address</summary>
        <FormProblem problems={problems} />
        <Form action="/account/address">
          <Input
            name="email"
            label="New e-mail address"
            type="email"
            hint={`${verifiesByMail ? 'It changes once you open the link that we send there.' : 'It changes immediately.'} All other sessions end.`}
            autocomplete="email"
            required
            problems={problems}
          />
          <PasswordField name="addressPassword" problems={problems} />
          <button type="submit">Change address</button>
        </Form>
      </details>
    </section>
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
              {id === user.sessionId && <Badge tone="good">this session</Badge>}
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
