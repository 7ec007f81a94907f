import { sql } from 'drizzle-orm'
import t from 'tap'
import { createVisitor, newAddress, password } from '../../../../support/visitor.js'
import { openSite } from './site.js'

const site = await openSite(t)
const { db } = site.store
const session = 'concordat.session_token'
const age = (days: number) =>
  db.execute(sql`update sessions set expires_at = now() + make_interval(days => ${days})`)
const daysLeft = async () => {
  const [row] = await db.execute<{ days: number }>(
    sql`select round(extract(epoch from max(expires_at) - now()) / 86400)::integer as days from sessions`,
  )
  return row?.days
}

t.test('a login redirects to the requested page with its query, and never to another site', async (t) => {
  const email = newAddress()
  await site.newcomer(email)
  const ada = createVisitor(site.origin)
  const asked = '/usage?days=90&q=a%20b%26c'
  const { location } = await ada.get(asked)
  t.equal(location, `/login?next=${encodeURIComponent(asked)}`)
  const shown = (await ada.get(location ?? '')).html
  t.match(shown, 'name="next" value="/usage?days=90&amp;q=a%20b%26c"')
  const fields = { email, password }
  for (const [next, leadsTo] of [
    [asked, asked],
    ['/keys?page=2', '/keys?page=2'],
    ['/keys?', '/keys'],
    ['/keys?a=1\r\nset-cookie: b=2', '/keys'],
    ['/keys?é', '/keys'],
    ['//elsewhere.example/keys?page=2', '/keys'],
    ['/keys/../logout?x', '/keys'],
  ] as const) {
    const visitor = createVisitor(site.origin)
    const answer = await visitor.post('/login', { ...fields, next }, { from: '/login' })
    t.match(answer, { status: 303, location: leadsTo }, next)
    t.match(await visitor.get(`/login?next=${encodeURIComponent(next)}`), { location: leadsTo }, next)
  }
})

t.test('an active session is extended, and the browser receives the new cookie', async (t) => {
  const ada = await site.newcomer()
  ada.attributes.clear()
  t.equal((await ada.get('/keys')).status, 200)
  t.notOk(ada.attributes.has(session), 'no new cookie on the first day')
  for (const path of ['/keys', '/login', '/usage/days.csv', '/keys/none']) {
    await age(3)
    ada.attributes.clear()
    await ada.get(path)
    t.equal(await daysLeft(), 7, path)
    t.match(ada.attributes.get(session), /Max-Age=604800/i, path)
    t.match(ada.attributes.get(session), /HttpOnly/i, path)
  }
  t.equal((await ada.post('/logout', {})).location, '/login')
  t.notOk(ada.cookies.has(session), 'a concurrent log-out still ends the session')
})

t.test(
  'a form of an expired session redirects to the login, back to its page, and changes nothing',
  async (t) => {
    const email = newAddress()
    const ada = await site.newcomer(email)
    const page = '/keys/new?x=1'
    const send = (headers: Readonly<Record<string, string>> = {}) =>
      ada.post('/keys', { name: 'lost', network: 'test' }, { from: '/keys/new', headers })
    const endings: Readonly<Record<string, () => unknown>> = {
      'ended elsewhere': () => db.execute(sql`delete from sessions`),
      'dropped by the browser': () => ada.cookies.delete(session),
    }
    for (const [name, end] of Object.entries(endings)) {
      await ada.post('/login', { email, password }, { from: '/login' })
      const { html } = await ada.get('/keys/new')
      const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec(html) ?? []
      await end()
      const fields = { name: 'lost', network: 'test', _csrf: token }
      const headers = { referer: `${site.origin}${page}` }
      const { status, location } = await ada.post('/keys', fields, { headers })
      t.equal(status, 303, name)
      t.equal(location, `/login?next=${encodeURIComponent(page)}`, name)
      const logIn = (await ada.get(location ?? '')).html
      t.match(logIn, 'Your session has ended, and the form was not sent. Log in to continue.', name)
      t.match(logIn, `name="next" value="${page}"`, name)
    }
    t.equal((await send({ referer: 'https://evil.example/keys' })).location, '/login?next=%2Fkeys')
    t.match((await ada.get('/login?next=https%3A%2F%2Fevil.example')).html, 'name="next" value="/keys"')
    const foreign = await send({ origin: 'https://evil.example' })
    t.equal(foreign.status, 403, 'the origin is checked first')
    await ada.post('/login', { email, password }, { from: '/login' })
    t.notMatch((await ada.get('/keys')).html, 'lost')
  },
)

t.test('a page of an expired session says so; without a session it asks to log in', async (t) => {
  const ada = await site.newcomer()
  await db.execute(sql`delete from sessions`)
  const { location } = await ada.get('/usage?days=30')
  t.equal(location, '/login?next=%2Fusage%3Fdays%3D30')
  t.match((await ada.get(location ?? '')).html, 'Your session has ended. Log in to continue.')
  t.equal((await createVisitor(site.origin).get('/usage')).location, '/login?next=%2Fusage')
})
