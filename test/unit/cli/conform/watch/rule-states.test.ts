import t from 'tap'
import { RuleStates } from '../../../../../src/cli/conform/watch/rule-states.js'
import type { Verdict } from '../../../../../src/judge/report/index.js'
import { result } from '../../../judge/report/sample-report.js'

const of = (id: string, verdict: Verdict, rule?: string) =>
  result(id, verdict, { reason: `reason of ${id}`, rules: rule === undefined ? [] : [rule, 'other'] })

t.test('a rule fails until all of its failing cases pass', async (t) => {
  const states = new RuleStates()
  const change = (id: string, verdict: Verdict) => states.update([of(id, verdict, 'books.null')])
  t.same(change('a', 'pass'), [])
  t.same(states.rules, new Map([['books.null', false]]))
  const [failing] = change('a', 'fail')
  t.same(failing, { rule: 'books.null', case: 'a', state: 'failing', reason: 'reason of a' })
  t.same(change('b', 'no-answer'), [])
  t.same(change('a', 'fail'), [])
  t.same(states.failingCases, ['b', 'a'], 'the case that was judged longest ago comes first')
  t.same(change('a', 'pass'), [])
  t.same(states.rules, new Map([['books.null', true]]))
  const [recovered] = change('b', 'tolerated')
  t.same(recovered, { rule: 'books.null', case: 'b', state: 'recovered', reason: 'reason of b' })
  t.same(states.failingCases, [])
})

t.test('other verdicts change nothing', async (t) => {
  for (const verdict of ['inconclusive', 'not-run', 'not-applicable', 'harness-error'] as const) {
    const states = new RuleStates()
    t.same(states.update([of('a', verdict, 'books.null')]), [])
    t.same(states.rules, new Map())
    states.update([of('a', 'fail', 'books.null')])
    t.same(states.update([of('a', verdict, 'books.null')]), [], verdict)
    t.same(states.rules, new Map([['books.null', true]]))
  }
})

t.test('a known failure does not fail, and a case without a rule stands for itself', async (t) => {
  const states = new RuleStates()
  t.same(states.update([of('a', 'known-fail', 'books.null'), of('b', 'stale', 'books.title')]), [])
  t.match(states.update([of('derived/a', 'fail')]), [{ rule: 'derived/a', state: 'failing' }])
})
