import type { DashboardLimits } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems } from '../parts/form.js'
import { EmailField, NewPasswordField, PasswordField } from './account-fields.js'

/** The form that requests a reset link. */
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
      <h1>Forgot your password?</h1>
      <p class="muted">
        {verifiesByMail
          ? 'We will send you a link to set a new password.'
          : 'This service does not send mail. The link appears in the log of the service.'}{' '}
        The link works for {limits.resetLinkMinutes} minutes.
      </p>
      <FormProblem problems={problems} />
      <Form action="/forgot">
        <EmailField problems={problems} />
        <button type="submit">Send link</button>
      </Form>
    </section>
  )
}

/** Replaces the form if the service cannot send links. */
export function NoResetPage() {
  return (
    <section class="narrow">
      <h1>Forgot your password?</h1>
      <p>This service does not send mail, so it cannot send you a link. Contact its operator.</p>
    </section>
  )
}

/** The page after a request for a reset link that goes to the log. */
export function LinkInLogPage() {
  return (
    <section class="narrow">
      <h1>Check the log</h1>
      <p role="status">If an account with this address exists, its link is now in the log of the service.</p>
    </section>
  )
}

/** The form that sets a new password. */
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
      <p class="muted">All current sessions of the account end.</p>
      <FormProblem problems={problems} />
      <Form action="/reset">
        <input type="hidden" name="token" value={token} />
        <NewPasswordField limits={limits} problems={problems} />
        <button type="submit">Set password</button>
      </Form>
      <p>
        <a href="/forgot">Request a new link</a>
      </p>
    </section>
  )
}

/**
 * The form that confirms an address. A form is needed because mail scanners open links, and because only the person who
 * signed up knows the password.
 */
export function VerifyPage({
  token,
  problems,
}: {
  readonly token: string
  readonly problems?: FormProblems
}) {
  return (
    <section class="narrow">
      <h1>Confirm your e-mail address</h1>
      <FormProblem problems={problems} />
      <Form action="/verify">
        <input type="hidden" name="token" value={token} />
        <PasswordField hint="The password that you chose at sign-up." problems={problems} />
        <button type="submit">Confirm address</button>
      </Form>
      <p class="muted">
        If you did not sign up, somebody else used your address. Close this page to ignore the sign-up, or{' '}
        <a href="/forgot">set your own password</a> to take over the account.
      </p>
    </section>
  )
}

/** The form that changes the address of an account by a mailed link. */
export function ConfirmAddressPage({
  token,
  problems,
}: {
  readonly token: string
  readonly problems?: FormProblems
}) {
  const { email, ...others } = problems ?? {}
  return (
    <section class="narrow">
      <h1>Confirm your new e-mail address</h1>
      <FormProblem problems={email === undefined ? problems : { ...others, '': email }} />
      <Form action="/address">
        <input type="hidden" name="token" value={token} />
        <PasswordField hint="The password of your account." problems={problems} />
        <button type="submit">Change address</button>
      </Form>
      <p class="muted">If you did not ask for this, close this page.</p>
    </section>
  )
}
