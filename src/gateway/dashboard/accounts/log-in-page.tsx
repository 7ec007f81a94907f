import { Form, FormProblem, type FormProblems } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { EmailField, PasswordField } from './account-fields.js'

interface LogInPageProps {
  readonly resetsPasswords: boolean
  /** Path of the page after the log-in. */
  readonly next: string
  readonly email?: string
  readonly notice?: string | undefined
  readonly problems?: FormProblems
}

/** The log-in page. */
export function LogInPage({ resetsPasswords, next, email, notice, problems }: LogInPageProps) {
  return (
    <section class="narrow">
      <h1>Log in</h1>
      {notice && <Notice>{notice}</Notice>}
      <FormProblem problems={problems} />
      <Form action="/login">
        <input type="hidden" name="next" value={next} />
        <EmailField value={email} problems={problems} />
        <PasswordField problems={problems} />
        <button type="submit">Log in</button>
      </Form>
      <p>
        {resetsPasswords && (
          <>
            <a href="/forgot">Forgot your password?</a> ·{' '}
          </>
        )}
        <a href="/signup">Sign up</a>
      </p>
    </section>
  )
}
