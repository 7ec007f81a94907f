import t from 'tap'
import { judged, missing } from './library.js'

/** Answers wrongly once in some times. */
function onceIn(times: number) {
  let count = 0
  return () => ({ result: ++count % times === 0 ? { title: 'Emma' } : null })
}

t.test('a repeated case finds what is wrong now and then', async (t) => {
  t.equal((await judged(t, missing, { book: onceIn(3) })).result.verdict, 'pass', 'one run misses it')
  t.equal((await judged(t, missing, { book: onceIn(3) }, { repeat: 2 })).result.verdict, 'pass')
  const { result } = await judged(t, missing, { book: onceIn(3) }, { repeat: 5 })
  t.match(result, { verdict: 'fail', reason: /^in run 3 of 5: step 1: /, billed: 3 })
})

t.test('a case that writes runs once, and repetitions share no answers', async (t) => {
  const write = `
scenario: A book is lent.
rule: books.title
effect: write
steps:
  - call: lend
    params: [7]
    expect: { result: lent }
`
  const shared = missing.replace('params: [7]', 'params: [7]\n    share: true')
  const once = await judged(t, write, {}, { repeat: 4, allow: ['write'] })
  t.match(once.result, { verdict: 'pass', billed: 1 })
  t.match((await judged(t, shared, {}, { repeat: 4 })).result, { verdict: 'pass', billed: 4 })
})
