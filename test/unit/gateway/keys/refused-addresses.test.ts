import t from 'tap'
import { createRefusedAddresses } from '../../../../src/gateway/keys/refused-addresses.js'

t.test('the limit is within, one more is over, and the next minute begins anew', async (t) => {
  let time = 0
  const refused = createRefusedAddresses(3, () => time)
  t.same(
    [1, 2, 3, 4, 5].map(() => refused.count('192.0.2.1')),
    [true, true, true, false, false],
  )
  t.equal(refused.count('192.0.2.2'), true, 'another address has counts of its own')
  t.same(
    [refused.isOver('192.0.2.1'), refused.isOver('192.0.2.2'), refused.isOver('192.0.2.3')],
    [true, false, false],
  )
  time = 60_000
  t.equal(refused.isOver('192.0.2.1'), false)
  t.equal(refused.count('192.0.2.1'), true)
})

for (const [a, b, same] of [
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['192.0.2.1', '192.0.2.2', false],
  ['not an address', 'not an address', true],
] as const) {
  t.test(`${a} and ${b} are ${same ? 'one subscriber' : 'two subscribers'}`, async (t) => {
    const refused = createRefusedAddresses(1, () => 0)
    t.equal(refused.count(a), true)
    t.equal(refused.count(b), !same)
  })
}

t.test('a flood from many addresses does not fill the memory', async (t) => {
  const refused = createRefusedAddresses(1, () => 0)
  for (let n = 0; n < 250_000; n++) refused.count(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
  t.equal(refused.count('10.3.208.143'), false, 'the newest are remembered')
  t.equal(refused.count('10.0.0.0'), true, 'the oldest are not')
})
