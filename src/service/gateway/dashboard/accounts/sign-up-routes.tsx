import type { SignUpOutcome } from '../../accounts/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import { makeFirstKey } from '../keys/first-key.js'
import type { FormProblems } from '../parts/form.js'
import type { Routes } from '../routes.js'
import { describeRefusal, type RefusedForm } from './describe-refusal.js'
import { VerifyPage } from './password-pages.js'
import { CheckMailPage, SignUpPage } from './sign-up-page.js'

const title = 'Sign up'
const linkTitle = 'Confirm your e-mail address'
/** The form does not ask for a password that could be wrong. */
const signUpForm: RefusedForm = { wrongPassword: { field: '', text: '' } }
const verifyForm: RefusedForm = {
  wrongPassword: { field: 'password', text: 'Wrong password. Enter the password that you chose at sign-up.' },
}

type Started = Extract<SignUpOutcome, { readonly ok: true }>

/** Adds the sign-up, and the page of the link in its mail. */
export function addSignUpRoutes(routes: Routes, services: DashboardServices): void {
  const { accounts, limits } = services
  const { verifiesByMail } = accounts
  const checkMail = (email: string, problems?: FormProblems) => (
    <CheckMailPage
      email={email}
      what="Open its link in this browser. It confirms your address, logs you in, and makes your first key."
      again="/signup/again"
      {...(problems && { problems })}
    />
  )
  /** Shows the first key of the account whose session starts. */
  const start = async ({ userId, setCookies }: Started) =>
    redirect(userId === undefined ? '/keys' : await makeFirstKey(services, userId), 'signed-up', setCookies)

  routes.get('/signup', ({ user }) =>
    user === undefined
      ? page(title, <SignUpPage limits={limits} verifiesByMail={verifiesByMail} />)
      : redirect('/keys'),
  )
  routes.post('/signup', async ({ from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.signUp(from, email, form('password'))
    const { ok } = outcome
    // The response must not reveal whether an account exists; the mail tells the owner.
    if (ok && verifiesByMail)
      return page('Check your mail', checkMail(email), { setCookies: outcome.setCookies })
    if (ok) return start(outcome)
    const { status, problems, headers } = describeRefusal(outcome, limits, signUpForm)
    const again = (
      <SignUpPage limits={limits} verifiesByMail={verifiesByMail} email={email} problems={problems} />
    )
    return page(title, again, { status, headers })
  })
  // Opening the link is enough in the browser that signed up. Programs that open the links of mails lack its cookie.
  routes.get('/verify', async ({ from, query }): Promise<Answer> => {
    const token = query('token')
    const outcome = await accounts.finishSignUp(from, token)
    if (!outcome.ok) return page(linkTitle, <VerifyPage token={token} />)
    return start(outcome)
  })
  routes.post('/verify', async ({ from, form }) => {
    const token = form('token')
    const outcome = await accounts.verifyEmail(from, token, form('password'))
    if (outcome.ok) return redirect('/login', 'verified')
    const { status, problems, headers } = describeRefusal(outcome, limits, verifyForm)
    const again = <VerifyPage token={token} problems={problems} />
    return page(linkTitle, again, { status, headers })
  })
  if (!verifiesByMail) return
  routes.post('/signup/again', async ({ from, form }) => {
    const email = form('email').trim()
    const outcome = await accounts.sendAgain(from, email)
    if (outcome.ok) return page('Check your mail', checkMail(email))
    const { status, problems, headers } = describeRefusal(outcome, limits, signUpForm)
    return page('Check your mail', checkMail(email, problems), { status, headers })
  })
}
