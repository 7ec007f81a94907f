import type { AccountRefusal, SignedIn } from '../../accounts/index.js'
import { type Answer, page, redirect } from '../answer.js'
import type { DashboardServices } from '../dashboard-services.js'
import type { Routes } from '../routes.js'
import { describeRefusal } from './describe-refusal.js'
import { RecoveryCodesPage, SecondFactorPage, SetUpPage } from './second-factor-pages.js'

const title = 'Second factor'
const setUpTitle = 'Set up a second factor'
const codesTitle = 'Recovery codes'

/** Adds the pages that turn the second factor on and off. */
export function addSecondFactorRoutes({ own }: Routes, { accounts, limits }: DashboardServices): void {
  const describe = (refusal: AccountRefusal, field: string) =>
    describeRefusal(refusal, limits, { wrongPassword: { field, text: 'Wrong password.' } })
  const refused = async (user: SignedIn, refusal: AccountRefusal, field: string): Promise<Answer> => {
    if (refusal.problem === 'not_logged_in') return redirect('/login')
    const { status, problems, headers } = describe(refusal, field)
    const secondFactor = await accounts.secondFactor(user.userId)
    const again = <SecondFactorPage secondFactor={secondFactor} problems={problems} />
    return page(title, again, { status, headers })
  }
  own.get('/account/second-factor', async ({ user }) =>
    page(title, <SecondFactorPage secondFactor={await accounts.secondFactor(user.userId)} />),
  )
  own.post('/account/second-factor', async ({ user, from, form }) => {
    const outcome = await accounts.prepareSecondFactor(from, user, form('setUpPassword'))
    if (!outcome.ok) return refused(user, outcome, 'setUpPassword')
    return page(setUpTitle, <SetUpPage uri={outcome.uri} />)
  })
  own.post('/account/second-factor/confirm', async ({ user, from, form }) => {
    const outcome = await accounts.turnOnSecondFactor(from, user, form('code'))
    if (outcome.ok)
      return page(codesTitle, <RecoveryCodesPage codes={outcome.recoveryCodes} isFirst />, {
        setCookies: outcome.setCookies,
      })
    const uri = form('uri')
    if (outcome.problem !== 'code_wrong' || !isKeyUri(uri)) return refused(user, outcome, '')
    const { status, problems, headers } = describe(outcome, '')
    return page(setUpTitle, <SetUpPage uri={uri} problems={problems} />, { status, headers })
  })
  own.post('/account/second-factor/codes', async ({ user, from, form }) => {
    const outcome = await accounts.renewRecoveryCodes(from, user, form('codesPassword'))
    if (!outcome.ok) return refused(user, outcome, 'codesPassword')
    return page(codesTitle, <RecoveryCodesPage codes={outcome.recoveryCodes} />)
  })
  own.post('/account/second-factor/off', async ({ user, from, form }) => {
    const outcome = await accounts.turnOffSecondFactor(from, user, form('offPassword'))
    if (!outcome.ok) return refused(user, outcome, 'offPassword')
    return redirect('/account', 'second-factor-off', outcome.setCookies)
  })
}

/** Returns true for a key URI, as the form repeats it after a wrong code. */
const isKeyUri = (text: string): boolean => text.startsWith('otpauth://totp/') && URL.canParse(text)
