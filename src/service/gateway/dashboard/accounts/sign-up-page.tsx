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
          ? 'We will send a link to your address. Open it before you log in.'
          : 'This service does not send mail. Your account works immediately, and the address is not verified.'}
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

/** The page after a request that sends a mail. It is the same for known and unknown addresses. */
export function CheckMailPage({ email, what }: { readonly email: string; readonly what: string }) {
  return (
    <section class="narrow">
      <h1>Check your mail</h1>
      <p role="status">
        We have sent a mail to <strong>{email}</strong>. {what}
      </p>
      <p class="muted">No mail? Check your spam folder, or try again in a few minutes.</p>
    </section>
  )
}
