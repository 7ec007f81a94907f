import { type RefusedForm, tellRefusal } from '../account-refusals.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { LogInPage } from '../pages/log-in.js'
import { VerifyPage } from '../pages/password.js'
import { CheckMailPage, SignUpPage } from '../pages/sign-up.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'
import type { Visit } from '../visit.js'

const home = '/keys'
/** Pages that a log-in may lead to: never another site. */
const knownNext = /^\/(?:account|admin|keys|status|usage)(?:\/[\w-]+)*$/
/** What a query consists of (RFC 3986, section 3.4). */
const queryText = /^[\w.~%!$'()*+,;:@/?&=-]*$/
const logInForm: RefusedForm = {
  wrongPassword: { field: '', text: 'Wrong e-mail address or password.' },
}
/** Who confirms an address may not be who made the account. */
const verifyForm: RefusedForm = {
  wrongPassword: { field: 'password', text: 'This is not the password that the account was made with.' },
}
const notices: Readonly<Record<string, string>> = {
  'logged-out': 'You are logged out.',
  deleted: 'The account and its keys are deleted.',
  reset: 'The new password is set. Log in with it.',
  verified: 'The address is confirmed. Log in with the password that you chose.',
  'session-ended': 'Your session ended. Log in to continue.',
  'form-not-sent': 'Your session ended, and the form was not sent. Log in to continue.',
}

/** Adds sign-up, log-in and log-out. */
export function addSessionRoutes(routes: Routes, services: DashboardServices): void {
  const { accounts, limits } = services
  const { verifiesByMail, resetsPasswords } = accounts
  const checkMail = (email: string) =>
    page(
      'Check your mail',
      <CheckMailPage email={email} what="Open the link in it to confirm your address, then log in." />,
    )

  routes.get('/signup', ({ user }) =>
    user === undefined
      ? page('Sign up', <SignUpPage limits={limits} verifiesByMail={verifiesByMail} />)
      : redirect(home),
  )
  routes.post('/signup', async ({ from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.signUp(from, email, form('password'))
    if (outcome.ok) return verifiesByMail ? checkMail(email) : redirect(home, outcome.setCookies)
    // Where mail tells, the page does not: nobody learns here who has an account.
    if (verifiesByMail && outcome.problem === 'address_taken') return checkMail(email)
    const { status, problems, headers } = tellRefusal(outcome, limits, logInForm)
    const again = (
      <SignUpPage limits={limits} verifiesByMail={verifiesByMail} email={email} problems={problems} />
    )
    return page('Sign up', again, { status, headers })
  })

  const logInPage = (visit: Visit, next: string, problems?: FormProblems) => (
    <LogInPage
      resetsPasswords={resetsPasswords}
      next={next}
      email={visit.form('email')}
      notice={notices[visit.query('done')]}
      problems={problems ?? {}}
    />
  )
  routes.get('/login', (visit): Answer => {
    const next = nextOf(visit.query('next'))
    return visit.user === undefined ? page('Log in', logInPage(visit, next)) : redirect(next)
  })
  routes.post('/login', async (visit) => {
    const { from, form } = visit
    const next = nextOf(form('next'))
    const outcome = await accounts.logIn(from, form('email').trim(), form('password'))
    if (outcome.ok) return redirect(next, outcome.setCookies)
    const { status, problems, headers } = tellRefusal(outcome, limits, logInForm)
    return page('Log in', logInPage(visit, next, problems), { status, headers })
  })
  routes.own.post('/logout', async ({ from }) => {
    const outcome = await accounts.logOut(from)
    return redirect('/login?done=logged-out', outcome.ok ? outcome.setCookies : [])
  })

  routes.get('/verify', ({ query }) => page('Confirm your address', <VerifyPage token={query('token')} />))
  routes.post('/verify', async ({ from, form }) => {
    const token = form('token')
    const outcome = await accounts.verifyEmail(from, token, form('password'))
    if (outcome.ok) return redirect('/login?done=verified')
    const { status, problems, headers } = tellRefusal(outcome, limits, verifyForm)
    const again = <VerifyPage token={token} problems={problems} />
    return page('Confirm your address', again, { status, headers })
  })
}

/** The page that was asked for, as it was asked for: its query says which part of it. */
function nextOf(asked: string): string {
  const [path = '', ...rest] = asked.split('?')
  if (!knownNext.test(path)) return home
  const query = rest.join('?')
  return query !== '' && queryText.test(query) ? `${path}?${query}` : path
}
