import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { createRefusedAddresses } from '../../../../../src/service/gateway/keys/index.js'

t.test(
  'the count at the limit is accepted, one more is refused, and the next minute starts at zero',
  async (t) => {
    let time = 0
    const refused = createRefusedAddresses(3, () => time)
    t.same(
      [1, 2, 3, 4, 5].map(() => refused.count('192.0.2.1')),
      [true, true, true, false, false],
    )
    for (let n = 0; n < 3; n++) t.equal(refused.count('192.0.2.2'), true, 'another address has its own count')
    t.same(
      [refused.isOver('192.0.2.1'), refused.isOver('192.0.2.2'), refused.isOver('192.0.2.3')],
      [true, false, false],
      'an address at the limit is not over it',
    )
    time = 60_000
    t.equal(refused.isOver('192.0.2.1'), false)
    t.equal(refused.count('192.0.2.1'), true)
  },
)

t.test('refusals at the rate of the limit are never too many, and later ones prolong nothing', (t) => {
  let time = 0
  const most = limits.refusedKeysPerAddressPerMinute
  const refused = createRefusedAddresses(most, () => time)
  for (let n = 0; n < 5 * most; n += 1) {
    if (!refused.count('192.0.2.1')) t.fail(`slow refusal ${n + 1}`)
    time += 60_000 / most
  }
  for (let n = 0; n < 10 * most; n += 1) refused.count('192.0.2.1')
  t.ok(refused.isOver('192.0.2.1'))
  time += 60_000
  t.notOk(refused.isOver('192.0.2.1'))
  t.end()
})

for (const [a, b, same] of [
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['203.0.113.7', '::203.0.113.7', false],
  ['::203.0.113.7', '::cb00:7107', true],
  ['not an address', 'not an address', true],
] as const) {
  t.test(`${a} and ${b} are ${same ? 'one client' : 'two clients'}`, async (t) => {
    const refused = createRefusedAddresses(1, () => 0)
    t.equal(refused.count(a), true)
    t.equal(refused.count(b), !same)
  })
}

t.test('the clients of an IPv6 site are limited together, by a larger bound', async (t) => {
  const refused = createRefusedAddresses(2, () => 0)
  const inSite = (client: number) => `2001:db8:1:${client.toString(16)}::7`
  for (let n = 0; n < 100; n++) refused.count(inSite(0))
  t.ok(refused.isOver(inSite(0)))
  for (let client = 1; client < limits.ipv6SiteTimes; client++) {
    t.ok(refused.count(inSite(client)), 'one client cannot use up the bound of its site')
    t.ok(refused.count(inSite(client)))
  }
  t.notOk(refused.isOver(inSite(1)), 'a client and a site at their bounds are not over them')
  t.notOk(refused.isOver(inSite(0xffff)))
  t.notOk(refused.count(inSite(0xffff)), 'the bound of the site is reached')
  t.ok(refused.isOver(inSite(0xfffe)))
  t.ok(refused.count('2001:db8:2::7'), 'another site')
  t.ok(refused.count('192.0.2.1'))
})

t.test('many addresses do not exhaust memory', async (t) => {
  const refused = createRefusedAddresses(1, () => 0)
  for (let n = 0; n < 250_000; n++) refused.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  refused.count('192.0.2.1')
  for (let n = 0; n < 80_000; n++) refused.count(`11.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  t.equal(refused.count('192.0.2.1'), false, 'many addresses reset the count of no recent one')
  for (let n = 200_000; n < 250_000; n++) refused.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  t.equal(refused.count('10.3.208.143'), false, 'the newest addresses stay')
  t.equal(refused.count('10.0.0.0'), true, 'the oldest addresses are evicted')
})

t.test('100,000 addresses are counted; one more begins the count anew', async (t) => {
  const refused = createRefusedAddresses(1, () => 0)
  const address = (number: number) => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
  refused.count('192.0.2.1')
  refused.count('192.0.2.1')
  for (let number = 1; number < 100_000; number++) refused.count(address(number))
  t.ok(refused.isOver('192.0.2.1'))
  refused.count(address(100_000))
  t.notOk(refused.isOver('192.0.2.1'))
})
