import type { SignedIn } from '../../accounts/index.js'
import { page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { AccountPage } from './account-page.js'
import { describeRefusal, type RefusalPage, type RefusedForm } from './describe-refusal.js'

const notices: Readonly<Record<string, string>> = {
  password: 'Password changed. All other sessions have been ended.',
  session: 'Session ended.',
  sessions: 'All other sessions have been ended.',
}
const wrongIn = (field: string): RefusedForm => ({
  wrongPassword: { field, text: 'Wrong password.' },
})

/** Adds the page of an account and its forms. */
export function addAccountRoutes({ own }: Routes, { accounts, limits }: DashboardServices): void {
  const show = async (user: SignedIn, notice?: string) => (
    <AccountPage
      user={user}
      sessions={await accounts.sessions(user.userId)}
      limits={limits}
      notice={notice}
    />
  )
  const refused = async (
    user: SignedIn,
    refusal: RefusalPage,
    form: 'passwordProblems' | 'deleteProblems',
  ) => {
    const sessions = await accounts.sessions(user.userId)
    const { status, problems, headers } = refusal
    const props = { user, sessions, limits, [form]: problems }
    return page('Account', <AccountPage {...props} />, { status, headers })
  }
  own.get('/account', async ({ user, done }) => page('Account', await show(user, notices[done])))
  own.post('/account/password', async ({ user, from, form }) => {
    const outcome = await accounts.changePassword(from, form('current'), form('password'))
    if (outcome.ok) return redirect('/account', 'password', outcome.setCookies)
    // The session has ended in the meantime.
    if (outcome.problem === 'not_logged_in') return redirect('/login')
    return refused(user, describeRefusal(outcome, limits, wrongIn('current')), 'passwordProblems')
  })
  own.post('/account/sessions', async ({ user, from, form }) => {
    const id = form('session') || undefined
    const outcome = await accounts.endSession(from, user, id)
    if (!outcome.ok) return redirect('/login')
    return redirect('/account', id === undefined ? 'sessions' : 'session', outcome.setCookies)
  })
  own.post('/account/delete', async ({ user, from, form }) => {
    const outcome = await accounts.deleteAccount(from, form('deletePassword'))
    if (outcome.ok) return redirect('/login', 'deleted', outcome.setCookies)
    if (outcome.problem === 'not_logged_in') return redirect('/login')
    return refused(user, describeRefusal(outcome, limits, wrongIn('deletePassword')), 'deleteProblems')
  })
}
