import { join } from 'node:path'
import t from 'tap'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { newAddress, password } from '../../../../support/visitor.js'
import { createBrowser, openAccounts } from './open-accounts.js'

t.test('the old address is told of a change only if it was confirmed', async (t) => {
  const store = await openStore({ dataDir: join(await temporaryFolder(t), 'data') })
  const [unconfirmed, confirmed, last] = [newAddress(), newAddress(), newAddress()]
  const ada = createBrowser()
  const before = await openAccounts(t, store, false)
  ada.keep(await before.accounts.signUp(ada, unconfirmed, password))
  const { accounts, link, mails, user } = await openAccounts(t, store)
  t.teardown(() => store.close())
  for (const next of [confirmed, last]) {
    await accounts.changeAddress(ada, await user(ada), password, next)
    t.match(await accounts.confirmAddress(ada, await link(next), password), { ok: true })
  }
  await accounts.close()
  const told = mails.filter(({ subject }) => subject === 'Your e-mail address was changed')
  t.same(
    told.map(({ to }) => to),
    [confirmed],
  )
})
