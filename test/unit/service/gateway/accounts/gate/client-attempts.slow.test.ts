import t from 'tap'
import { limits } from '../../../../../../generated/contract.js'
import { createClientAttempts } from '../../../../../../src/service/gateway/accounts/gate/client-attempts.js'
import { proofForms } from '../../../../../../src/service/gateway/accounts/gate/proof-forms.js'
import { bothDatabases } from '../../../../../support/databases.js'

/** Attempts of clients and of IPv6 sites, with both kinds of database. */
const rule = { max: 2, window: 3_600 }
const times = 3
const forms = proofForms(limits)
/** The limits of the contract that a client's attempts have, with their seconds and actions. */
const contractLimits = [
  ['logInAttemptsPerAddressPerMinute', 60, 'log-in'],
  ['logInAttemptsPerAddressPerMinute', 60, 'change-password'],
  ['signUpsPerAddressPerHour', 3_600, 'sign-up'],
  ['mailsPerAddressPerHour', 3_600, 'request-reset'],
] as const

for (const [name, { db, connection }] of await bothDatabases(t)) {
  const attempts = createClientAttempts(db, 'the secret of a test', times)
  const begin = () => connection.query('delete from attempts')
  /** Lets time pass. */
  const pass = (seconds: number) =>
    connection.query(`update attempts set last_request = last_request - ${seconds * 1_000}`)
  const attempt = (address: string, action = 'sign-up') => attempts.count(address, action, rule)
  /** An address in another /64 of the same /48. */
  const client = (n: number) => `2001:db8:1:${n.toString(16)}::7`

  t.test(`${name}: a client has its limit, per action`, async (t) => {
    for (const address of ['192.0.2.1', '2001:db8:1:1::7', 'not an address']) {
      await begin()
      for (let n = 0; n < rule.max; n += 1) t.equal(await attempt(address), undefined)
      const seconds = (await attempt(address)) ?? 0
      t.ok(seconds > 0 && seconds <= rule.window)
      t.equal(await attempt('192.0.2.2'), undefined, 'another client')
      t.equal(await attempt(address, 'log-in'), undefined, 'another action')
    }
    await begin()
    for (let n = 0; n < rule.max; n += 1) t.equal(await attempt(`2001:db8:1:1::${n}`), undefined)
    t.ok(await attempt('2001:db8:1:1:ffff::'), 'the same /64')
    await begin()
    t.equal(await attempt('192.0.2.1'), undefined)
    t.equal(await attempt('::ffff:192.0.2.1'), undefined)
    t.ok(await attempt('192.0.2.1'), 'an IPv4 address in the form of IPv6')
  })

  t.test(`${name}: slow attempts are never refused`, async (t) => {
    await begin()
    for (let n = 0; n < 5 * rule.max; n += 1) {
      t.equal(await attempt('192.0.2.1'), undefined, `attempt ${n + 1}`)
      await pass(rule.window / rule.max)
    }
  })

  for (const [limit, window, action] of contractLimits)
    t.test(`${name}: ${limit} for ${action}: fast attempts up to it, slow ones always`, async (t) => {
      const most = limits[limit]
      const one = () => attempts.count('192.0.2.1', action, forms[action].perClient)
      await begin()
      for (let n = 0; n < most; n += 1) t.equal(await one(), undefined, `fast attempt ${n + 1}`)
      const seconds = (await one()) ?? 0
      t.ok(seconds > window / 2 && seconds <= window, `one more waits ${seconds} s`)
      await begin()
      for (let n = 0; n < 2 * most + 1; n += 1) {
        t.equal(await one(), undefined, `slow attempt ${n + 1}`)
        await pass(window / most)
      }
    })

  t.test(`${name}: the window ends, and refused attempts do not prolong it`, async (t) => {
    await begin()
    for (let n = 0; n < rule.max; n += 1) t.equal(await attempt('192.0.2.1'), undefined)
    for (let n = 0; n < 10; n += 1) {
      t.ok(await attempt('192.0.2.1'))
      await pass(rule.window / 10)
    }
    for (let n = 0; n < rule.max; n += 1) t.equal(await attempt('192.0.2.1'), undefined)
    t.ok(await attempt('192.0.2.1'))
  })

  t.test(`${name}: the attempts of a site are counted over all its networks`, async (t) => {
    await begin()
    for (let n = 0; n < rule.max * times; n += 1) t.equal(await attempt(client(n)), undefined)
    const seconds = (await attempt(client(99))) ?? 0
    t.ok(seconds > 0 && seconds <= rule.window)
    t.equal(await attempt('2001:db8:2::7'), undefined, 'another site')
    await pass(rule.window)
    t.equal(await attempt(client(99)), undefined)
  })

  t.test(`${name}: the refused attempts of a client do not count for its site`, async (t) => {
    await begin()
    for (let n = 0; n < 3 * rule.max * times; n += 1) await attempt(client(1))
    for (let n = rule.max; n < rule.max * times; n += 1) t.equal(await attempt(client(n)), undefined)
    t.ok(await attempt(client(99)))
  })

  t.test(`${name}: concurrent attempts are counted exactly`, async (t) => {
    await begin()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => attempt(client(n))))
    t.equal(answers.filter((seconds) => seconds === undefined).length, rule.max * times)
  })

  t.test(`${name}: the table contains no addresses`, async (t) => {
    await begin()
    for (const address of ['192.0.2.1', client(1)]) await attempt(address)
    const { rows } = await connection.query('select * from attempts')
    t.equal(rows.length, 3)
    t.notMatch(JSON.stringify(rows), /192\.0\.2|2001:|0?db8:/)
  })
}
