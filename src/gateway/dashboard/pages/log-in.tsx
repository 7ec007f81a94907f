import { Form, FormProblem, type FormProblems, Input } from '../parts/form.js'
import { Notice } from '../parts/notice.js'

interface LogInPageProps {
  readonly resetsPasswords: boolean
  /** Path of the page to go to. */
  readonly next: string
  readonly email?: string
  readonly notice?: string | undefined
  readonly problems?: FormProblems
}

/** Begins a session. */
export function LogInPage({ resetsPasswords, next, email, notice, problems }: LogInPageProps) {
  return (
    <section class="narrow">
      <h1>Log in</h1>
      {notice && <Notice>{notice}</Notice>}
      <FormProblem problems={problems} />
      <Form action="/login">
        <input type="hidden" name="next" value={next} />
        <Input
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          value={email}
          required
          problems={problems}
        />
        <Input
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          problems={problems}
        />
        <button type="submit">Log in</button>
      </Form>
      <p>
        {resetsPasswords && (
          <>
            <a href="/forgot">Forgot the password?</a> ·{' '}
          </>
        )}
        <a href="/signup">Sign up</a>
      </p>
    </section>
  )
}
