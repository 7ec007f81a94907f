import t from 'tap'
import { createAttemptCount } from '../../../../../src/service/gateway/accounts/attempt-count.js'
import { bothDatabases } from '../../../../support/databases.js'

/** Counting of failed logins, with both kinds of database. */
const most = 3
const email = 'ada@example.com'
const home = { email, address: '192.0.2.1' }
const stranger = (n: number) => ({ email, address: `198.51.100.${n}` })

for (const [name, { db, connection }] of await bothDatabases(t)) {
  const count = createAttemptCount(db, 'the secret of a test')
  const begin = () => connection.query('delete from attempts')
  const failTimes = async (attempt: typeof home, times: number) => {
    for (let n = 0; n < times; n += 1) await count.failed(attempt)
  }

  t.test(`${name}: unknown addresses are counted together, in any case of the e-mail address`, async (t) => {
    await begin()
    for (let n = 0; n < most; n += 1) {
      t.equal(await count.wait(stranger(n), most), undefined)
      await count.failed({ ...stranger(n), email: n === 0 ? ' ADA@example.com' : email })
    }
    const seconds = (await count.wait(stranger(9), most)) ?? 0
    t.ok(seconds > 0 && seconds <= 3_600)
    t.equal(
      await count.wait({ ...stranger(9), email: 'eve@example.com' }, most),
      undefined,
      'another account',
    )
    t.ok(await count.wait(home, most), 'an address without an earlier login counts as unknown')
  })

  t.test(`${name}: an address with an earlier login is counted separately`, async (t) => {
    await begin()
    await count.succeeded(home)
    await failTimes(stranger(1), most)
    t.ok(await count.wait(stranger(2), most))
    t.equal(await count.wait(home, most), undefined, 'strangers do not lock the owner out')
    await failTimes(home, most)
    t.ok(await count.wait(home, most), 'guesses from the owner’s address are limited as well')
    await count.succeeded(home)
    for (const each of [home, stranger(2)]) t.equal(await count.wait(each, most), undefined)
  })

  t.test(
    `${name}: attempts counted before they are judged: slow ones pass, concurrent ones at most to the limit`,
    async (t) => {
      await begin()
      for (let n = 0; n < 3 * most; n += 1) {
        t.equal(await count.take(stranger(n), most), undefined, `slow attempt ${n + 1}`)
        await connection.query(`update attempts set last_request = last_request - ${3_600_000 / most}`)
      }
      await begin()
      const waits = await Promise.all(
        Array.from({ length: 3 * most }, (_, n) => count.take(stranger(n), most)),
      )
      t.equal(waits.filter((wait) => wait === undefined).length, most)
      await count.succeeded(home)
      t.equal(await count.take(home, most), undefined)
      t.ok(await count.use(['usr_1', '123456'], 90))
      t.notOk(await count.use(['usr_1', '123456'], 90), 'used once')
      t.ok(await count.use(['usr_2', '123456'], 90))
    },
  )

  t.test(`${name}: wrong passwords at the rate of the limit are never refused`, async (t) => {
    await begin()
    for (let n = 0; n < 4 * most; n += 1) {
      t.equal(await count.wait(stranger(n), most), undefined, `slow attempt ${n + 1}`)
      await count.failed(stranger(n))
      await connection.query(`update attempts set last_request = last_request - ${3_600_000 / most}`)
    }
  })

  t.test(`${name}: the network of an IPv6 client counts as one address`, async (t) => {
    await begin()
    await count.succeeded({ email, address: '2001:db8:1:2::3' })
    await failTimes(stranger(1), most)
    t.equal(await count.wait({ email, address: '2001:db8:1:2:ffff::1' }, most), undefined)
    t.ok(await count.wait({ email, address: '2001:db8:1:3::3' }, most))
  })

  t.test(`${name}: a password reset by link lets the owner in from anywhere`, async (t) => {
    await begin()
    await failTimes(stranger(1), most)
    await count.forget(email)
    t.equal(await count.wait(home, most), undefined)
  })

  t.test(`${name}: counts expire after an hour, and known addresses after a month`, async (t) => {
    await begin()
    await failTimes(stranger(1), most)
    await count.succeeded({ email: 'eve@example.com', address: home.address })
    await connection.query('update attempts set last_request = last_request - 3600001')
    t.equal(await count.wait(stranger(1), most), undefined)
    await count.failed(stranger(1))
    t.equal(await count.wait(stranger(1), most), undefined, 'the count was reset')
    await connection.query('update attempts set last_request = last_request - 86400000')
    const table = async () => (await connection.query('select key from attempts')).rows.length
    t.equal(await table(), 2)
    const later = createAttemptCount(db, 'the secret of a test')
    await later.succeeded({ email: 'bob@example.com', address: home.address })
    t.equal(await table(), 2, 'entries older than a day are deleted, except known addresses')
    await connection.query('update attempts set last_request = last_request - 30 * 86400000::bigint')
    await createAttemptCount(db, 'the secret of a test').succeeded(home)
    t.equal(await table(), 1)
  })

  t.test(`${name}: the table contains no addresses of mail or clients`, async (t) => {
    await begin()
    await count.failed(stranger(1))
    await count.succeeded(home)
    const { rows } = await connection.query('select * from attempts')
    t.notMatch(JSON.stringify(rows), /ada@|example|192\.|198\.51/)
  })
}
