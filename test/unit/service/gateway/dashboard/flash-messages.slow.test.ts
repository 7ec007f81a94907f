import t from 'tap'
import { password } from '../../../../support/visitor.js'
import { openSite } from './site.js'

/** Confirmations of actions. */
const site = await openSite(t)
const statusOf = (html: string) => /role="status">([^<]*)</.exec(html)?.[1]

t.test('an action is confirmed once, on the page that it leads to', async (t) => {
  const ada = await site.newcomer()
  const { location } = await ada.post('/account/password', {
    current: password,
    password: 'another long one',
  })
  t.equal(location, '/account')
  t.equal(statusOf((await ada.get('/keys')).html), undefined, 'another page')
  const { html } = await ada.get('/account')
  t.equal(statusOf(html), 'Password changed. All other sessions have been ended.')
  t.equal(statusOf((await ada.get('/account')).html), undefined, 'a reload')
})

t.test('an address or a forged cookie confirms nothing', async (t) => {
  const ada = await site.newcomer()
  const pages = ['/account?done=password', '/keys?done=deleted', '/login?done=reset']
  for (const page of pages) t.equal(statusOf((await ada.get(page)).html), undefined, page)
  for (const value of [
    '%2Faccount%20password',
    '%2Faccount%20password.AAAA',
    's%3A%2Faccount%20password',
    '.',
    '',
  ]) {
    ada.cookies.set('concordat.done', value)
    const { status, html } = await ada.get('/account')
    t.same([status, statusOf(html)], [200, undefined], value)
  }
})

t.test('a confirmation is for one page, and not for another one', async (t) => {
  const ada = await site.newcomer()
  await ada.post('/account/sessions', {})
  const signed = ada.cookies.get('concordat.done') ?? ''
  t.match(ada.attributes.get('concordat.done'), /Max-Age=60;.*HttpOnly.*SameSite=Lax/)
  const [name = '', signature] = decodeURIComponent(signed).split(/\.(?=[^.]*$)/)
  t.equal(name, '/account sessions')
  ada.cookies.set('concordat.done', encodeURIComponent(`/account password.${signature}`))
  t.equal(statusOf((await ada.get('/account')).html), undefined, 'the signature is of another confirmation')
  ada.cookies.set('concordat.done', signed)
  t.equal(statusOf((await ada.get('/account')).html), 'All other sessions have been ended.')
  t.notOk(ada.cookies.has('concordat.done'))
})
