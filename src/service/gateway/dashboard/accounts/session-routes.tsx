import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'
import type { Visit } from '../visit.js'
import { describeRefusal, type RefusedForm } from './describe-refusal.js'
import { CodePage, LogInPage } from './log-in-page.js'
import { ConfirmAddressPage } from './password-pages.js'

const home = '/keys'
/** Paths that a log-in may redirect to. Other sites are excluded. */
const knownNext = /^\/(?:account|admin|keys|status|try|usage)(?:\/[\w-]+)*$/
/** Characters of a query (RFC 3986, section 3.4). */
const queryText = /^[\w.~%!$'()*+,;:@/?&=-]*$/
const logInForm: RefusedForm = {
  wrongPassword: { field: '', text: 'Wrong e-mail address or password.' },
}
const addressForm: RefusedForm = { wrongPassword: { field: 'password', text: 'Wrong password.' } }
const codeForm: RefusedForm = { wrongPassword: { field: '', text: '' } }
/** @param field the field that a recovery code was typed into */
const recoveryForm = (field: string): RefusedForm => ({
  ...codeForm,
  wrongCode: { field, text: 'Wrong recovery code. Each code works once.' },
})
const notices: Readonly<Record<string, string>> = {
  'logged-out': 'You are logged out.',
  address: 'Your e-mail address is changed. Log in with it.',
  deleted: 'Your account and its keys are deleted.',
  reset: 'Your new password is set. Log in with it.',
  verified: 'Your e-mail address is confirmed. Log in with your password.',
  'log-in-expired': 'This log-in has expired. Log in with your password again.',
  'session-ended': 'Your session has ended. Log in to continue.',
  'form-not-sent': 'Your session has ended, and the form was not sent. Log in to continue.',
}

/** Adds log-in and log-out. */
export function addSessionRoutes(routes: Routes, services: DashboardServices): void {
  const { accounts, limits } = services
  const { resetsPasswords } = accounts
  const logInPage = (visit: Visit, next: string, problems?: FormProblems) => (
    <LogInPage
      resetsPasswords={resetsPasswords}
      next={next}
      email={visit.form('email')}
      notice={notices[visit.done]}
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
    if (outcome.ok && outcome.needsCode)
      return redirect(`/login/code?next=${encodeURIComponent(next)}`, undefined, outcome.setCookies)
    if (outcome.ok) return redirect(next, undefined, outcome.setCookies)
    const { status, problems, headers } = describeRefusal(outcome, limits, logInForm)
    return page('Log in', logInPage(visit, next, problems), { status, headers })
  })
  routes.get('/login/code', ({ user, query }): Answer => {
    const next = nextOf(query('next'))
    return user === undefined ? page('Enter your code', <CodePage next={next} />) : redirect(next)
  })
  routes.post('/login/code', async ({ from, form }): Promise<Answer> => {
    const next = nextOf(form('next'))
    const field = form('recovery') === '' ? 'code' : 'recovery'
    const typed = form(field)
    const outcome = await accounts.enterCode(from, typed)
    if (outcome.ok) return redirect(next, undefined, outcome.setCookies)
    if (outcome.problem === 'log_in_expired')
      return redirect(`/login?next=${encodeURIComponent(next)}`, 'log-in-expired')
    const { status, problems, headers } = describeRefusal(
      outcome,
      limits,
      /[a-z]/i.test(typed) ? recoveryForm(field) : codeForm,
    )
    return page('Enter your code', <CodePage next={next} problems={problems} />, { status, headers })
  })
  routes.own.post('/logout', async ({ from }) => {
    const outcome = await accounts.logOut(from)
    return redirect('/login', 'logged-out', outcome.ok ? outcome.setCookies : [])
  })
}

/** Adds the page of the link that changes the address of an account. */
export function addAddressRoutes(routes: Routes, { accounts, limits }: DashboardServices): void {
  const title = 'Confirm your new e-mail address'
  routes.get('/address', ({ query }) => page(title, <ConfirmAddressPage token={query('token')} />))
  routes.post('/address', async ({ user, from, form }) => {
    const token = form('token')
    const outcome = await accounts.confirmAddress(from, token, form('password'))
    if (outcome.ok) return redirect(user === undefined ? '/login' : '/account', 'address')
    const { status, problems, headers } = describeRefusal(outcome, limits, addressForm)
    const again = <ConfirmAddressPage token={token} problems={problems} />
    return page(title, again, { status, headers })
  })
}

/** Returns the validated path and query to redirect to after the log-in. */
function nextOf(asked: string): string {
  const [path = '', ...rest] = asked.split('?')
  if (!knownNext.test(path)) return home
  const query = rest.join('?')
  return query !== '' && queryText.test(query) ? `${path}?${query}` : path
}
