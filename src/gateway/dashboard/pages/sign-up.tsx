import type { DashboardLimits } from '../dashboard-services.js'
import { EmailField, NewPasswordField } from '../parts/account-fields.js'
import { Form, FormProblem, type FormProblems } from '../parts/form.js'

interface SignUpPageProps {
  readonly limits: DashboardLimits
  readonly verifiesByMail: boolean
  readonly email?: string
  readonly problems?: FormProblems
}

/** Makes an account. */
export function SignUpPage({ limits, verifiesByMail, email, problems }: SignUpPageProps) {
  return (
    <section class="narrow">
      <h1>Sign up</h1>
      <p class="muted">
        {verifiesByMail
          ? 'We send a link to your address; once it is opened you can log in.'
          : 'This service sends no mail: your account works at once, and nobody checks the address.'}
      </p>
      <FormProblem problems={problems} />
      <Form action="/signup">
        <EmailField value={email} problems={problems} />
        <NewPasswordField label="Password" limits={limits} problems={problems} />
        <button type="submit">Sign up</button>
      </Form>
      <p>
        You have an account? <a href="/login">Log in</a>
      </p>
    </section>
  )
}

/** Behind a sign-up where addresses are verified: the same for every address. */
export function CheckMailPage({ email, what }: { readonly email: string; readonly what: string }) {
  return (
    <section class="narrow">
      <h1>Check your mail</h1>
      <p role="status">
        We have sent a message to <strong>{email}</strong>. {what}
      </p>
      <p class="muted">Nothing there? Look among the unwanted mail, or try again in a few minutes.</p>
    </section>
  )
}
