import t from 'tap'
import { createRefusedAddresses } from '../../../../src/gateway/keys/refused-addresses.js'

t.test(
  'the count at the limit is accepted, one more is refused, and the next minute starts at zero',
  async (t) => {
    let time = 0
    const refused = createRefusedAddresses(3, () => time)
    t.same(
      [1, 2, 3, 4, 5].map(() => refused.count('192.0.2.1')),
      [true, true, true, false, false],
    )
    t.equal(refused.count('192.0.2.2'), true, 'another address has its own count')
    t.same(
      [refused.isOver('192.0.2.1'), refused.isOver('192.0.2.2'), refused.isOver('192.0.2.3')],
      [true, false, false],
    )
    time = 60_000
    t.equal(refused.isOver('192.0.2.1'), false)
    t.equal(refused.count('192.0.2.1'), true)
  },
)

for (const [a, b, same] of [
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['not an address', 'not an address', true],
] as const) {
  t.test(`${a} and ${b} are ${same ? 'one client' : 'two clients'}`, async (t) => {
    const refused = createRefusedAddresses(1, () => 0)
    t.equal(refused.count(a), true)
    t.equal(refused.count(b), !same)
  })
}

t.test('many addresses do not exhaust memory', async (t) => {
  const refused = createRefusedAddresses(1, () => 0)
  for (let n = 0; n < 250_000; n++) refused.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  t.equal(refused.count('10.3.208.143'), false, 'the newest addresses stay')
  t.equal(refused.count('10.0.0.0'), true, 'the oldest addresses are evicted')
})
