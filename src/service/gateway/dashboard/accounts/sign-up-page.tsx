import type { DashboardLimits } from '../dashboard-services.js'
import { Form, FormProblem, type FormProblems } from '../parts/form.js'
import { EmailField, NewPasswordField } from './account-fields.js'

interface SignUpPageProps {
  readonly limits: DashboardLimits
  readonly verifiesByMail: boolean
  readonly email?: string
  readonly problems?: FormProblems
}

/** The sign-up page. */
export function SignUpPage({ limits, verifiesByMail, email, problems }: SignUpPageProps) {
  return (
    <section class="narrow">
      <h1>Sign up</h1>
      <p class="muted">
        {verifiesByMail
          ? 'We will send a link to your address. Open it in this browser: it logs you in, and makes your first key.'
          : 'This service does not send mail: you are logged in immediately, with a first key. Your address is not verified.'}
      </p>
      <FormProblem problems={problems} />
      <Form action="/signup">
        <EmailField value={email} problems={problems} />
        <NewPasswordField label="Password" limits={limits} problems={problems} />
        <button type="submit">Sign up</button>
      </Form>
      <p>
        Already have an account? <a href="/login">Log in</a>
      </p>
    </section>
  )
}

interface CheckMailPageProps {
  readonly email: string
  /** What to do with the mail. */
  readonly what: string
  /** Path that sends the mail again to this address; undefined if its form asks for a password. */
  readonly again?: string
  readonly problems?: FormProblems
}

/** The page after a request that sends a mail. It is the same for known and unknown addresses. */
export function CheckMailPage({ email, what, again, problems }: CheckMailPageProps) {
  return (
    <section class="narrow">
      <h1>Check your mail</h1>
      <FormProblem problems={problems} />
      <p role="status">
        We have sent a mail to <strong>{email}</strong>. {what}
      </p>
      <p class="muted">No mail? Check your spam folder.</p>
      {again && (
        <Form action={again}>
          <input type="hidden" name="email" value={email} />
          <button class="quiet" type="submit">
            Send again
          </button>
        </Form>
      )}
    </section>
  )
}
