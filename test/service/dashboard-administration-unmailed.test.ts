import t from 'tap'
import { password } from '../support/dashboard.js'
import { startService } from '../support/service.js'
import { createVisitor, separateVisitors } from '../support/visitor.js'

/** Operators of a service without mail to confirm addresses. */
const email = 'operator@example.com'
const env = { ...separateVisitors, CONCORDAT_OPERATORS: email }

t.test('a development start: the link in its log confirms an address, and a sign-up does not', async (t) => {
  const service = await startService({ env, isChainless: true })
  t.teardown(() => service.stop())
  const visitor = () => createVisitor(service.origin)
  const eve = visitor()
  t.equal((await eve.post('/signup', { email, password })).status, 303)
  const unconfirmed = await eve.get('/admin')
  t.equal(unconfirmed.status, 403)
  t.match(unconfirmed.html, /on the list of operators, but it is not confirmed.*Forgot your password/s)
  t.notMatch((await eve.get('/')).html, '/admin')
  await visitor().post('/forgot', { email }, { from: '/forgot' })
  const link = /"link":"[^"]*token=([^"]*)"/
  const [, token = ''] = link.exec(await service.said('err', link)) ?? []
  const secret = 'a password that Eve does not know'
  await visitor().post('/reset', { token, password: secret }, { from: '/reset?token=x' })
  t.equal((await eve.get('/account')).status, 303, 'the earlier owner of the address is logged out')
  const operator = visitor()
  t.equal((await operator.post('/login', { email, password: secret }, { from: '/login' })).status, 303)
  t.equal((await operator.get('/admin')).status, 200)
})

t.test('a service without mail has no operators, and the log explains why', async (t) => {
  const service = await startService({ command: 'serve', env, isChainless: true })
  t.teardown(() => service.stop())
  await service.said('err', 'they have no access')
  const eve = createVisitor(service.origin)
  t.equal((await eve.post('/signup', { email, password })).status, 303)
  const unconfirmed = await eve.get('/admin')
  t.equal(unconfirmed.status, 403)
  t.match(unconfirmed.html, 'set CONCORDAT_SMTP_URL')
  t.match((await createVisitor(service.origin).get('/forgot')).html, 'cannot send you a link')
})
