import t from 'tap'
import { createSiteAttempts } from '../../../../src/gateway/accounts/site-attempts.js'
import { bothDatabases } from '../../../support/databases.js'

/** Attempts of IPv6 sites, with both kinds of database. */
const rule = { max: 2, window: 3_600 }
const times = 3

for (const [name, { db, connection }] of await bothDatabases(t)) {
  const sites = createSiteAttempts(db, times)
  const begin = () => connection.query('delete from attempts')
  const attempt = (address: string, action = '/sign-up/email') => sites.count(address, action, rule)
  /** An address in another /64 of the same /48. */
  const client = (n: number) => `2001:db8:1:${n.toString(16)}::7`

  t.test(`${name}: the attempts of a site are counted over all its networks`, async (t) => {
    await begin()
    for (let n = 0; n < rule.max * times; n += 1) t.equal(await attempt(client(n)), undefined)
    const seconds = (await attempt(client(99))) ?? 0
    t.ok(seconds > 0 && seconds <= rule.window)
    t.equal(await attempt('2001:db8:2::7'), undefined, 'another site')
    t.equal(await attempt(client(1), '/sign-in/email'), undefined, 'another action')
  })

  t.test(`${name}: an attempt that was taken back does not count`, async (t) => {
    await begin()
    for (let n = 0; n < 3 * rule.max * times; n += 1) {
      t.equal(await attempt(client(1)), undefined)
      await sites.takeBack(client(1), '/sign-up/email')
    }
    for (let n = 0; n < rule.max * times; n += 1) t.equal(await attempt(client(n)), undefined)
    t.ok(await attempt(client(2)))
  })

  t.test(`${name}: concurrent attempts are counted exactly`, async (t) => {
    await begin()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => attempt(client(n))))
    t.equal(answers.filter((seconds) => seconds === undefined).length, rule.max * times)
  })

  t.test(`${name}: the window ends, and refused attempts do not prolong it`, async (t) => {
    await begin()
    for (let n = 0; n < 2 * rule.max * times; n += 1) await attempt(client(n))
    t.ok(await attempt(client(0)))
    await connection.query(`update attempts set last_request = last_request - ${rule.window * 1_000}`)
    for (let n = 0; n < rule.max * times; n += 1) t.equal(await attempt(client(n)), undefined)
    t.ok(await attempt(client(0)))
  })

  t.test(`${name}: IPv4 clients are not counted here`, async (t) => {
    await begin()
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', 'not an address']) {
      for (let n = 0; n < 2 * rule.max * times; n += 1) t.equal(await attempt(address), undefined)
      await sites.takeBack(address, '/sign-up/email')
    }
    t.same((await connection.query('select key from attempts')).rows, [])
  })
}
