import t from 'tap'
import { setAccountDisabled } from '../../../../../src/service/gateway/accounts/index.js'
import { timeCode } from '../../../../support/time-code.js'
import { newAddress, password } from '../../../../support/visitor.js'
import { createBrowser, openAccounts } from './open-accounts.js'

t.test('with a second factor, the password alone does not tell that the account is disabled', async (t) => {
  const opened = await openAccounts(t, undefined, false)
  const { accounts, store } = opened
  const [email, ada] = [newAddress(), createBrowser()]
  ada.keep(await accounts.signUp(ada, email, password))
  const user = await opened.user(ada)
  const prepared = ada.keep(await accounts.prepareSecondFactor(ada, user, password))
  const secret = new URL(prepared.ok ? prepared.uri : '').searchParams.get('secret') ?? ''
  const turnedOn = await accounts.turnOnSecondFactor(ada, user, timeCode(secret))
  await setAccountDisabled(store.db, user.userId, true, 'Too many calls')
  const back = createBrowser()
  t.match(back.keep(await accounts.logIn(back, email, password)), { ok: true, needsCode: true })
  t.equal(await accounts.session(back), undefined)
  t.match(await accounts.enterCode(back, 'aaaa-aaaa-aaaa-aaaa'), { ok: false, problem: 'code_wrong' })
  const [code = ''] = turnedOn.ok ? turnedOn.recoveryCodes : []
  t.same(await accounts.enterCode(back, code), {
    ...{ ok: false, problem: 'account_disabled', reason: 'Too many calls' },
  })
  t.equal(await accounts.session(back), undefined)
})
