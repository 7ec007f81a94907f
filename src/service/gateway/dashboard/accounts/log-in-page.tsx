import { Form, FormProblem, type FormProblems, Input } from '../parts/form.js'
import { Notice } from '../parts/notice.js'
import { CodeField, EmailField, PasswordField } from './account-fields.js'

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

interface CodePageProps {
  /** Path of the page after the log-in. */
  readonly next: string
  readonly problems?: FormProblems
}

/** The second step of a log-in to an account with a second factor. */
export function CodePage({ next, problems }: CodePageProps) {
  return (
    <section class="narrow">
      <h1>Enter your code</h1>
      <FormProblem problems={problems} />
      <Form action="/login/code">
        <input type="hidden" name="next" value={next} />
        <CodeField
          hint="The code that your authenticator app shows now, or a recovery code."
          orRecovery
          problems={problems}
        />
        <button type="submit">Log in</button>
      </Form>
      <details open={problems?.['recovery'] !== undefined}>
        <summary>Use a recovery code</summary>
        <Form action="/login/code">
          <input type="hidden" name="next" value={next} />
          <Input
            name="recovery"
            label="Recovery code"
            hint="One of the codes that you saved when you turned on the second factor."
            autocomplete="off"
            required
            problems={problems}
          />
          <button type="submit">Log in with the recovery code</button>
        </Form>
      </details>
      <p class="muted">
        Without app and recovery codes, contact the operator of this service.{' '}
        <a href="/login">Log in again</a>
      </p>
    </section>
  )
}
