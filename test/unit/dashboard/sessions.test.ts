import { sql } from 'drizzle-orm'
import t from 'tap'
import { newAddress, password } from '../../support/dashboard.js'
import { createVisitor } from '../../support/visitor.js'
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

t.test('a log-in leads to the page that asked for it, with its query, and to no other site', async (t) => {
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

t.test('a session that is used goes on, and the browser is told', async (t) => {
  const ada = await site.newcomer()
  ada.attributes.clear()
  t.equal((await ada.get('/keys')).status, 200)
  t.notOk(ada.attributes.has(session), 'on the first day there is nothing to tell')
  for (const path of ['/keys', '/login', '/usage/days.csv', '/keys/none']) {
    await age(3)
    ada.attributes.clear()
    await ada.get(path)
    t.equal(await daysLeft(), 7, path)
    t.match(ada.attributes.get(session), /Max-Age=604800/i, path)
    t.match(ada.attributes.get(session), /HttpOnly/i, path)
  }
  t.equal((await ada.post('/logout', {})).location, '/login?done=logged-out')
  t.notOk(ada.cookies.has(session), 'a log-out on the way ends it all the same')
})
