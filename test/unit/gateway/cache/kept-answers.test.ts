import t from 'tap'
import { KeptAnswers } from '../../../../src/gateway/cache/kept-answers.js'
import { RawJson } from '../../../../src/rpc/index.js'

const answer = (characters: number) => new RawJson('1'.repeat(characters))

t.test(
  'recently used answers stay, unused ones are evicted, and the size stays within its limit',
  async (t) => {
    const most = 10_000
    const kept = new KeptAnswers(most)
    kept.set('asked for', answer(500))
    kept.set('forgotten', answer(500))
    for (let number = 0; number < 100; number++) {
      kept.set(`other ${number}`, answer(500))
      if (kept.get('asked for') === undefined || kept.bytes > most) t.fail(`after ${number}`)
    }
    t.equal(kept.get('forgotten'), undefined)
    t.ok(kept.get('other 99'))
    kept.clear()
    t.equal(kept.bytes, 0)
    t.equal(kept.get('asked for'), undefined)
  },
)

t.test('a newer answer replaces the older one and its bytes', async (t) => {
  const kept = new KeptAnswers(10_000)
  const newer = answer(2_000)
  kept.set('a', answer(1_000))
  const before = kept.bytes
  kept.set('a', newer)
  t.equal(kept.bytes, before + 1_000)
  t.equal(kept.get('a'), newer)
})

t.test('an answer larger than the whole cache is not stored', async (t) => {
  const kept = new KeptAnswers(1_000)
  kept.set('a', answer(2_000))
  t.equal(kept.get('a'), undefined)
  t.equal(kept.bytes, 0)
})
