import type { SignedIn } from '../../accounts/index.js'
import { page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { AccountPage } from './account-page.js'
import { describeRefusal, type RefusalPage, type RefusedForm } from './describe-refusal.js'
import { SecurityEventsPage } from './security-events.js'
import { CheckMailPage } from './sign-up-page.js'

const linkSent = 'Open the link in the mail to change the address of your account.'
const notices: Readonly<Record<string, string>> = {
  address: 'E-mail address changed. All other sessions have been ended.',
  password: 'Password changed. All other sessions have been ended.',
  'second-factor-off': 'The second factor is off. All other sessions have been ended.',
  session: 'Session ended.',
  sessions: 'All other sessions have been ended.',
}
/** Events on the page of the account; another page has all of them. */
const eventsShown = 10
const wrongIn = (field: string): RefusedForm => ({
  wrongPassword: { field, text: 'Wrong password.' },
})

/** Adds the page of an account and its forms. */
export function addAccountRoutes(
  { own }: Routes,
  { accounts, limits, securityEvents }: DashboardServices,
): void {
  const shown = async (user: SignedIn) => ({
    user,
    limits,
    verifiesByMail: accounts.verifiesByMail,
    secondFactor: await accounts.secondFactor(user.userId),
    sessions: await accounts.sessions(user.userId),
    events: await securityEvents(user.userId, eventsShown),
  })
  const refused = async (
    user: SignedIn,
    refusal: RefusalPage,
    form: 'addressProblems' | 'passwordProblems' | 'deleteProblems',
  ) => {
    const { status, problems, headers } = refusal
    const props = { ...(await shown(user)), [form]: problems }
    return page('Account', <AccountPage {...props} />, { status, headers })
  }
  own.get('/account', async ({ user, done }) =>
    page('Account', <AccountPage {...(await shown(user))} notice={notices[done]} />),
  )
  own.get('/account/security', async ({ user }) => {
    const { securityEventsPerAccount, failedLogInEventsPerAccount } = limits
    const events = await securityEvents(
      user.userId,
      securityEventsPerAccount + 2 * failedLogInEventsPerAccount,
    )
    return page('Security events', <SecurityEventsPage events={events} limits={limits} />)
  })
  own.post('/account/password', async ({ user, from, form }) => {
    const outcome = await accounts.changePassword(from, user, form('current'), form('password'))
    if (outcome.ok) return redirect('/account', 'password', outcome.setCookies)
    // The session has ended in the meantime.
    if (outcome.problem === 'not_logged_in') return redirect('/login')
    return refused(user, describeRefusal(outcome, limits, wrongIn('current')), 'passwordProblems')
  })
  own.post('/account/address', async ({ user, from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.changeAddress(from, user, form('addressPassword'), email)
    if (outcome.ok)
      return accounts.verifiesByMail
        ? page('Check your mail', <CheckMailPage email={email} what={linkSent} />)
        : redirect('/account', 'address')
    return refused(user, describeRefusal(outcome, limits, wrongIn('addressPassword')), 'addressProblems')
  })
  own.post('/account/sessions', async ({ user, from, form }) => {
    const id = form('session') || undefined
    const outcome = await accounts.endSession(from, user, id)
    if (!outcome.ok) return redirect('/login')
    return redirect('/account', id === undefined ? 'sessions' : 'session', outcome.setCookies)
  })
  own.post('/account/delete', async ({ user, from, form }) => {
    const outcome = await accounts.deleteAccount(from, user, form('deletePassword'))
    if (outcome.ok) return redirect('/login', 'deleted', outcome.setCookies)
    if (outcome.problem === 'not_logged_in') return redirect('/login')
    return refused(user, describeRefusal(outcome, limits, wrongIn('deletePassword')), 'deleteProblems')
  })
}
