import t from 'tap'
import type { KnownKey } from '../../../../../src/service/gateway/keys/lookup/key-cache.js'
import { createKeyFinder } from '../../../../../src/service/gateway/keys/lookup/key-finder.js'

const keyOf = (digest: string): KnownKey => ({
  key: {
    id: digest,
    userId: 'usr',
    network: 'test',
    dailyLimit: null,
    monthlyLimit: null,
    userDailyLimit: null,
    access: {},
  },
  enabled: true,
})
/** Finds every digest, except those that begin with an underscore. */
function finderOf(t: { readonly teardown: (end: () => unknown) => void }) {
  const asked: (readonly string[])[] = []
  const answers: ((error?: Error) => void)[] = []
  t.teardown(() => {
    for (const answer of answers) answer()
  })
  const find = createKeyFinder(async (digests) => {
    asked.push(digests)
    await new Promise<void>((resolve, reject) =>
      answers.push((error) => (error === undefined ? resolve() : reject(error))),
    )
    return new Map(digests.filter((each) => !each.startsWith('_')).map((each) => [each, keyOf(each)]))
  })
  return { find, asked, answers }
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('lookups of one event loop turn share a statement, and each receives its own key', async (t) => {
  const { find, asked, answers } = finderOf(t)
  const found = Promise.all(['a', '_none', 'b'].map(find))
  await turn()
  t.same(asked, [['a', '_none', 'b']])
  answers[0]?.()
  t.same(await found, [keyOf('a'), undefined, keyOf('b')])
})

t.test('while four statements are pending, lookups wait for the next one', async (t) => {
  const { find, asked, answers } = finderOf(t)
  for (const digest of ['1', '2', '3', '4']) {
    void find(digest)
    await turn()
  }
  const late = Promise.all([find('5'), find('6')])
  await turn()
  t.equal(asked.length, 4)
  answers[0]?.()
  await turn()
  t.same(asked[4], ['5', '6'])
  answers[4]?.()
  t.same(await late, [keyOf('5'), keyOf('6')])
})

t.test('a failed statement rejects only its own lookups', async (t) => {
  const { find, answers } = finderOf(t)
  const lost = Promise.allSettled([find('a'), find('b')])
  await turn()
  const other = find('c')
  await turn()
  answers[0]?.(new Error('down'))
  answers[1]?.()
  t.match(await lost, [{ reason: { message: 'down' } }, { reason: { message: 'down' } }])
  t.same(await other, keyOf('c'))
})
