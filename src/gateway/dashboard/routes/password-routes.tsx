import { type RefusedForm, tellRefusal } from '../account-refusals.js'
import { page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { ForgotPage, LinkInLogPage, NoResetPage, ResetPage } from '../pages/password.js'
import { CheckMailPage } from '../pages/sign-up.js'
import type { Routes } from '../routes.js'

/** No password is asked for here that an account has. */
const refusedForm: RefusedForm = { wrongPassword: { field: '', text: '' } }

/** Adds what sets a forgotten password anew. */
export function addPasswordRoutes(routes: Routes, { accounts, limits }: DashboardServices): void {
  const { verifiesByMail, resetsPasswords } = accounts
  if (!resetsPasswords) {
    routes.get('/forgot', () => page('Forgot the password?', <NoResetPage />))
    return
  }
  routes.get('/forgot', () =>
    page('Forgot the password?', <ForgotPage limits={limits} verifiesByMail={verifiesByMail} />),
  )
  routes.post('/forgot', async ({ from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.requestReset(from, email)
    if (outcome.ok) {
      const what = 'If there is an account with this address, a link in it sets a new password.'
      return verifiesByMail
        ? page('Check your mail', <CheckMailPage email={email} what={what} />)
        : page('Look into the log', <LinkInLogPage />)
    }
    const { status, problems, headers } = tellRefusal(outcome, limits, refusedForm)
    const again = <ForgotPage limits={limits} verifiesByMail={verifiesByMail} problems={problems} />
    return page('Forgot the password?', again, { status, headers })
  })

  routes.get('/reset', ({ query }) =>
    page('Set a new password', <ResetPage token={query('token')} limits={limits} />),
  )
  routes.post('/reset', async ({ from, form }) => {
    const token = form('token')
    const outcome = await accounts.resetPassword(from, token, form('password'))
    if (outcome.ok) return redirect('/login?done=reset')
    const { status, problems, headers } = tellRefusal(outcome, limits, refusedForm)
    const again = <ResetPage token={token} limits={limits} problems={problems} />
    return page('Set a new password', again, { status, headers })
  })
}
