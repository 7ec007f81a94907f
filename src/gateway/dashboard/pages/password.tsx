import type { DashboardLimits } from '../dashboard-services.js'
import { EmailField, NewPasswordField, PasswordField } from '../parts/account-fields.js'
import { Form, FormProblem, type FormProblems } from '../parts/form.js'

/** Asks for a link that sets a new password. */
export function ForgotPage({
  limits,
  verifiesByMail,
  problems,
}: {
  readonly limits: DashboardLimits
  readonly verifiesByMail: boolean
  readonly problems?: FormProblems
}) {
  return (
    <section class="narrow">
      <h1>Forgot the password?</h1>
      <p class="muted">
        {verifiesByMail
          ? 'We send a link that sets a new one.'
          : 'This service sends no mail: the link appears in the log of its process.'}{' '}
        It works for {limits.resetLinkMinutes} minutes.
      </p>
      <FormProblem problems={problems} />
      <Form action="/forgot">
        <EmailField problems={problems} />
        <button type="submit">Send the link</button>
      </Form>
    </section>
  )
}

/** Where nobody can be sent a link. */
export function NoResetPage() {
  return (
    <section class="narrow">
      <h1>Forgot the password?</h1>
      <p>This service sends no mail, so it cannot send you a link. Ask whoever runs it.</p>
    </section>
  )
}

/** Behind the request for a link where it goes to the log. */
export function LinkInLogPage() {
  return (
    <section class="narrow">
      <h1>Look into the log</h1>
      <p role="status">
        Where there is an account with this address, its link is now in the log of the service’s process.
      </p>
    </section>
  )
}

/** Sets a new password. */
export function ResetPage({
  token,
  limits,
  problems,
}: {
  readonly token: string
  readonly limits: DashboardLimits
  readonly problems?: FormProblems
}) {
  return (
    <section class="narrow">
      <h1>Set a new password</h1>
      <p class="muted">Everybody who is logged in with the old one is logged out.</p>
      <FormProblem problems={problems} />
      <Form action="/reset">
        <input type="hidden" name="token" value={token} />
        <NewPasswordField limits={limits} problems={problems} />
        <button type="submit">Set the password</button>
      </Form>
      <p>
        <a href="/forgot">Ask for a new link</a>
      </p>
    </section>
  )
}

/** Confirms an address: by a form, because programs that look into mail open links, and for who made the account. */
export function VerifyPage({
  token,
  problems,
}: {
  readonly token: string
  readonly problems?: FormProblems
}) {
  return (
    <section class="narrow">
      <h1>Confirm your address</h1>
      <FormProblem problems={problems} />
      <Form action="/verify">
        <input type="hidden" name="token" value={token} />
        <PasswordField hint="The one that you chose when you signed up." problems={problems} />
        <button type="submit">Confirm the address</button>
      </Form>
      <p class="muted">
        You did not sign up here, or not with this password? Somebody else did, with your address: close this
        page and nothing happens, or <a href="/forgot">set a password of your own</a>, and the account is
        yours.
      </p>
    </section>
  )
}
