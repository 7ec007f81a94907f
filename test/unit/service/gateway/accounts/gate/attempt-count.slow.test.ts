import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import {
  type Attempt,
  createAttemptCount,
} from '../../../../../../src/service/gateway/accounts/gate/attempt-count.js'
import { bothDatabases } from '../../../../../support/databases.js'

/** Counting of attempts at accounts, with both kinds of database. */
const most = 3
const email = 'ada@example.com'
const home = { email, address: '192.0.2.1' }
const stranger = (n: number) => ({ email, address: `198.51.100.${n}` })

for (const [name, { db, connection }] of await bothDatabases(t)) {
  const count = createAttemptCount(db, 'the secret of a test')
  const begin = () => connection.query('delete from attempts')
  const take = async (attempt: Attempt) => (await count.take(attempt, most)).wait
  const failTimes = async (attempt: Attempt, times: number) => {
    for (let n = 0; n < times; n += 1) t.equal(await take(attempt), undefined)
  }

  t.test(`${name}: unknown addresses are counted together, in any case of the e-mail address`, async (t) => {
    await begin()
    for (let n = 0; n < most; n += 1) {
      t.equal(await take({ ...stranger(n), email: n === 0 ? ' ADA@example.com' : email }), undefined)
    }
    const seconds = (await take(stranger(9))) ?? 0
    t.ok(seconds > 0 && seconds <= 3_600)
    t.equal(await take({ ...stranger(9), email: 'eve@example.com' }), undefined, 'another account')
    t.ok(await take(home), 'an address without an earlier login counts as unknown')
  })

  t.test(`${name}: an address with an earlier login is counted separately`, async (t) => {
    await begin()
    await count.succeeded(home)
    await failTimes(stranger(1), most)
    t.ok(await take(stranger(2)))
    t.equal(await take(home), undefined, 'strangers do not lock the owner out')
    await failTimes(home, most - 1)
    t.ok(await take(home), 'guesses from the owner’s address are limited as well')
    await count.succeeded(home)
    for (const each of [home, stranger(2)]) t.equal(await take(each), undefined)
  })

  t.test(
    `${name}: attempts counted before they are judged: slow ones pass, concurrent ones at most to the limit`,
    async (t) => {
      await begin()
      for (let n = 0; n < 3 * most; n += 1) {
        t.equal(await take(stranger(n)), undefined, `slow attempt ${n + 1}`)
        await connection.query(`update attempts set last_request = last_request - ${3_600_000 / most}`)
      }
      await begin()
      const waits = await Promise.all(Array.from({ length: 3 * most }, (_, n) => take(stranger(n))))
      t.equal(waits.filter((wait) => wait === undefined).length, most)
      await count.succeeded(home)
      t.equal(await take(home), undefined)
      t.ok(await count.use(['usr_1', '123456'], 90))
      t.notOk(await count.use(['usr_1', '123456'], 90), 'used once')
      t.ok(await count.use(['usr_2', '123456'], 90))
    },
  )

  t.test(`${name}: an attempt that proved nothing is given back, and mails are counted apart`, async (t) => {
    await begin()
    for (let n = 0; n < 3 * most; n += 1) {
      const taken = await count.take(stranger(n), most)
      t.equal(taken.wait, undefined)
      if (taken.wait === undefined) await taken.giveBack()
    }
    await failTimes(stranger(1), most)
    t.ok(await take(stranger(1)))
    t.equal(await take({ ...stranger(1), what: 'mails' }), undefined)
    t.ok(await count.use(['link'], 90))
    await count.release(['link'])
    t.ok(await count.use(['link'], 90))
  })

  t.test(`${name}: a refused attempt does not keep the place of one that is given back`, async (t) => {
    await begin()
    const waiting = [await count.take(stranger(1), most), await count.take(stranger(2), most)]
    await failTimes(stranger(3), most - 2)
    for (let n = 0; n < 3; n += 1) t.ok(await take(stranger(4)))
    for (const taken of waiting) if (taken.wait === undefined) await taken.giveBack()
    await failTimes(stranger(5), 2)
    t.ok(await take(stranger(5)))
  })

  t.test(`${name}: an attempt that is given back late takes nothing from the next window`, async (t) => {
    await begin()
    const late = await count.take(stranger(1), most)
    await connection.query('delete from attempts')
    await delay(2)
    await failTimes(stranger(1), most)
    if (late.wait === undefined) await late.giveBack()
    t.ok(await take(stranger(1)))
  })

  t.test(`${name}: the network of an IPv6 client counts as one address`, async (t) => {
    await begin()
    await count.succeeded({ email, address: '2001:db8:1:2::3' })
    await failTimes(stranger(1), most)
    t.equal(await take({ email, address: '2001:db8:1:2:ffff::1' }), undefined)
    t.ok(await take({ email, address: '2001:db8:1:3::3' }))
  })

  t.test(`${name}: a password reset by link lets the owner in from anywhere`, async (t) => {
    await begin()
    await failTimes(stranger(1), most)
    await count.forget(email)
    t.equal(await take(home), undefined)
  })

  t.test(`${name}: counts expire after an hour, and known addresses after a month`, async (t) => {
    await begin()
    await failTimes(stranger(1), most)
    await connection.query('update attempts set last_request = last_request - 3600001')
    t.equal(await take(stranger(1)), undefined)
    t.equal(await take(stranger(1)), undefined, 'the count was reset')
    await count.succeeded(home)
    await failTimes(stranger(1), most)
    await connection.query('update attempts set last_request = last_request - 30 * 86400000::bigint')
    t.equal(await take(home), undefined)
    await failTimes(stranger(1), most - 1)
    t.ok(await take(home), 'the address is no longer known')
  })

  t.test(`${name}: the table contains no addresses of mail or clients`, async (t) => {
    await begin()
    await take(stranger(1))
    await count.succeeded(home)
    const { rows } = await connection.query('select * from attempts')
    t.notMatch(JSON.stringify(rows), /ada@|example|192\.|198\.51/)
  })
}
