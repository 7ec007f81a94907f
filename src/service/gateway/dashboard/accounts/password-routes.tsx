import { page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { describeRefusal, type RefusedForm } from './describe-refusal.js'
import { ForgotPage, LinkInLogPage, NoResetPage, ResetPage } from './password-pages.js'
import { CheckMailPage } from './sign-up-page.js'

/** These forms do not ask for the current password. */
const refusedForm: RefusedForm = { wrongPassword: { field: '', text: '' } }

/** Adds the pages that reset a forgotten password. */
export function addPasswordRoutes(routes: Routes, { accounts, limits }: DashboardServices): void {
  const { verifiesByMail, resetsPasswords } = accounts
  if (!resetsPasswords) {
    routes.get('/forgot', () => page('Forgot your password?', <NoResetPage />))
    return
  }
  routes.get('/forgot', () =>
    page('Forgot your password?', <ForgotPage limits={limits} verifiesByMail={verifiesByMail} />),
  )
  routes.post('/forgot', async ({ from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.requestReset(from, email)
    if (outcome.ok) {
      const what = 'If an account with this address exists, the mail contains a link to set a new password.'
      return verifiesByMail
        ? page('Check your mail', <CheckMailPage email={email} what={what} again="/forgot" />)
        : page('Check the log', <LinkInLogPage />)
    }
    const { status, problems, headers } = describeRefusal(outcome, limits, refusedForm)
    const again = <ForgotPage limits={limits} verifiesByMail={verifiesByMail} problems={problems} />
    return page('Forgot your password?', again, { status, headers })
  })

  routes.get('/reset', ({ query }) =>
    page('Set a new password', <ResetPage token={query('token')} limits={limits} />),
  )
  routes.post('/reset', async ({ from, form }) => {
    const token = form('token')
    const outcome = await accounts.resetPassword(from, token, form('password'))
    if (outcome.ok) return redirect('/login', 'reset')
    const { status, problems, headers } = describeRefusal(outcome, limits, refusedForm)
    const again = <ResetPage token={token} limits={limits} problems={problems} />
    return page('Set a new password', again, { status, headers })
  })
}
