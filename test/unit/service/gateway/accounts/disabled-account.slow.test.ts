import t from 'tap'
import {
  findAccount,
  listAccounts,
  setAccountDisabled,
} from '../../../../../src/service/gateway/accounts/index.js'
import { timeCode } from '../../../../support/time-code.js'
import { newAddress, password } from '../../../../support/visitor.js'
import { createBrowser, type OpenAccounts, openAccounts } from './open-accounts.js'

const refused = { ok: false, problem: 'account_disabled' } as const
const disable = ({ store }: OpenAccounts, userId: string, isDisabled = true) =>
  setAccountDisabled(store.db, userId, isDisabled, 'Too many calls')

t.test('with a second factor, the password alone does not tell that the account is disabled', async (t) => {
  const opened = await openAccounts(t, undefined, false)
  const { accounts } = opened
  const [email, ada] = [newAddress(), createBrowser()]
  ada.keep(await accounts.signUp(ada, email, password))
  const user = await opened.user(ada)
  const prepared = ada.keep(await accounts.prepareSecondFactor(ada, user, password))
  const secret = new URL(prepared.ok ? prepared.uri : '').searchParams.get('secret') ?? ''
  const turnedOn = await accounts.turnOnSecondFactor(ada, user, timeCode(secret))
  await disable(opened, user.userId)
  const back = createBrowser()
  t.match(back.keep(await accounts.logIn(back, email, password)), { ok: true, needsCode: true })
  t.equal(await accounts.session(back), undefined)
  t.match(await accounts.enterCode(back, 'aaaa-aaaa-aaaa-aaaa'), { ok: false, problem: 'code_wrong' })
  const [code = ''] = turnedOn.ok ? turnedOn.recoveryCodes : []
  t.same(await accounts.enterCode(back, code), {
    ...{ ...refused, reason: 'Too many calls' },
  })
  t.equal(await accounts.session(back), undefined)
})

t.test(
  'links to a new address and to a new password have no effect while the account is disabled',
  async (t) => {
    const opened = await openAccounts(t)
    const { accounts, store, link } = opened
    const [email, next, newPassword, ada] = [newAddress(), newAddress(), `new ${password}`, createBrowser()]
    await accounts.signUp(ada, email, password)
    await accounts.verifyEmail(ada, await link(email), password)
    ada.keep(await accounts.logIn(ada, email, password))
    const user = await opened.user(ada)
    await accounts.changeAddress(ada, user, password, next)
    const toAddress = await link(next)
    await accounts.requestReset(ada, email)
    const toReset = await link(email)
    await disable(opened, user.userId)
    t.same(await accounts.confirmAddress(ada, toAddress, password), refused)
    t.same(await accounts.resetPassword(ada, toReset, newPassword), refused)
    t.match(await findAccount(store.db, user.userId), { email })
    t.match(await accounts.logIn(ada, email, password), refused, 'the password is the same')
    await accounts.requestReset(ada, email)
    const later = await link(email)
    t.not(later, toReset)
    t.same(await accounts.resetPassword(ada, later, newPassword), refused, 'a link that was requested since')
    await disable(opened, user.userId, false)
    t.match(
      await accounts.resetPassword(ada, toReset, newPassword),
      { ok: true },
      'the links are not used up',
    )
    t.match(await accounts.confirmAddress(ada, toAddress, newPassword), { ok: true })
  },
)

t.test('the link of a sign-up confirms no address while the account is disabled', async (t) => {
  const opened = await openAccounts(t)
  const { accounts, store, link } = opened
  const [email, ada] = [newAddress(), createBrowser()]
  ada.keep(await accounts.signUp(ada, email, password))
  const token = await link(email)
  const [{ id = '' } = {}] = (await listed(opened, email)).accounts
  await disable(opened, id)
  t.same(await accounts.finishSignUp(ada, token), refused)
  t.same(await accounts.verifyEmail(createBrowser(), token, password), refused)
  t.match(await findAccount(store.db, id), { emailVerified: false })
  await disable(opened, id, false)
  t.match(await accounts.finishSignUp(ada, token), { ok: true }, 'the link is not used up')
})

t.test('forms that were read just before the account was disabled have no effect', async (t) => {
  const opened = await openAccounts(t, undefined, false)
  const { accounts, store } = opened
  const [email, ada] = [newAddress(), createBrowser()]
  ada.keep(await accounts.signUp(ada, email, password))
  const user = await opened.user(ada)
  await disable(opened, user.userId)
  t.same(await accounts.changeAddress(ada, user, password, newAddress()), refused)
  t.same(await accounts.changePassword(ada, user, password, `new ${password}`), refused)
  t.same(await accounts.deleteAccount(ada, user, password), refused)
  t.same(await accounts.prepareSecondFactor(ada, user, password), refused)
  t.same(await accounts.turnOnSecondFactor(ada, user, '123456'), refused)
  t.same(await accounts.renewRecoveryCodes(ada, user, password), refused)
  t.same(await accounts.turnOffSecondFactor(ada, user, password), refused)
  t.match(await findAccount(store.db, user.userId), { email })
})

const listed = ({ store }: OpenAccounts, search: string) =>
  listAccounts(store.db, { search, order: 'newest', skip: 0, most: 1 })
