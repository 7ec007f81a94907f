import t from 'tap'
import { type CaseResult, exitCodeOf, type Report } from '../../../../src/judge/index.js'
import { type Verdict, verdictWords } from '../../../../src/judge/report/index.js'
import { isCovered } from '../../../../src/judge/report/verdicts.js'
import { redactReport } from '../../../../src/judge/run/result/redact-report.js'
import { ruleCoverage } from '../../../../src/judge/run/result/rule-coverage.js'

import { result as sampleResult } from '../report/sample-report.js'

const counts = (given: Partial<Record<Verdict, number>>) => ({
  elements: [],
  cases: [],
  mode: { allowed: ['read' as const], budget: null, perSecond: null, concurrency: 1 },
  counts: {
    ...(Object.fromEntries(Object.keys(verdictWords).map((name) => [name, 0])) as Record<Verdict, number>),
    ...given,
  },
})

const codes: readonly (readonly [string, Partial<Record<Verdict, number>>, number, number])[] = [
  ['all passed', { pass: 4 }, 0, 0],
  ['some were tolerated, or known to fail', { pass: 1, tolerated: 2, 'known-fail': 3 }, 0, 0],
  ['some were not applicable', { pass: 1, 'not-applicable': 2 }, 0, 0],
  ['one failed', { pass: 400, fail: 1 }, 1, 1],
  ['five hundred failed', { fail: 500 }, 1, 1],
  ['one got no answer', { pass: 400, 'no-answer': 1 }, 1, 1],
  ['a known failure is stale', { pass: 1, stale: 1 }, 1, 1],
  ['one failed beside a defect of the runner', { fail: 1, 'harness-error': 1 }, 1, 1],
  ['the runner had a defect', { pass: 9, 'harness-error': 1 }, 2, 2],
  ['some did not run', { pass: 1, 'not-run': 1 }, 0, 3],
  ['some are inconclusive', { pass: 1, inconclusive: 1 }, 0, 3],
  ['no case ran to its end', { 'not-run': 7, 'not-applicable': 2 }, 2, 2],
  ['all are inconclusive', { inconclusive: 3 }, 2, 2],
  ['the run gave up after some cases', { pass: 400, 'gave-up': 300 }, 1, 1],
  ['the run gave up before it judged a case', { 'gave-up': 300 }, 2, 2],
]

for (const [name, given, code, complete] of codes) {
  t.test(`where ${name} the exit code is ${code}, and ${complete} with --complete`, async (t) => {
    t.equal(exitCodeOf(counts(given), false), code)
    t.equal(exitCodeOf(counts(given), true), complete)
  })
}

t.test('a complete run finds every fixture that is not optional', async (t) => {
  const lacking = (isOptional: boolean): CaseResult[] => [
    sampleResult('a/lost', 'not-applicable', { lacks: { fixture: 'a-book', isOptional } }),
  ]
  const given = counts({ pass: 4, 'not-applicable': 1 })
  t.equal(exitCodeOf({ ...given, cases: lacking(false) }, true), 3)
  t.equal(exitCodeOf({ ...given, cases: lacking(false) }, false), 0)
  t.equal(exitCodeOf({ ...given, cases: lacking(true) }, true), 0)
})

const method = (id: string, ...verdicts: readonly Verdict[]): Report['elements'][number] => ({
  kind: 'method',
  id,
  pointer: '#/methods/0',
  cases: verdicts.map((verdict, at) => ({ id: `${id}/${at}`, verdict })),
})

t.test('a run without an answered method exits with 2', async (t) => {
  const codeOf = (
    effect: CaseResult['effect'],
    given: Partial<Record<Verdict, number>>,
    ...elements: Report['elements'][number][]
  ) => {
    const cases = elements.flatMap(({ cases }) => cases.map((each) => ({ ...each, effect }) as CaseResult))
    return exitCodeOf({ ...counts(given), elements, cases }, false)
  }
  const code = codeOf.bind(undefined, 'read')
  const passed = { pass: 20, 'not-run': 2 }
  t.equal(code(passed, method('book', 'not-run'), method('lend', 'not-applicable')), 2)
  t.equal(code(passed, method('book', 'not-run'), method('lend', 'pass')), 0, 'one answered method is enough')
  t.equal(code(passed, method('book', 'known-fail')), 0, 'also a known failure')
  t.equal(code(passed, method('book', 'inconclusive')), 0, 'an inconclusive case was answered')
  t.equal(code(passed, method('book')), 0, 'without a case that calls a method, no answer is missing')
  t.equal(codeOf('write', passed, method('book', 'not-run')), 0, 'the case was not allowed')
  t.equal(code({ ...passed, fail: 1 }, method('book', 'not-run')), 1, 'a failure is known')
})

const rule = (id: string) => ({
  id,
  text: 't',
  section: '1',
  level: 'mandatory',
  pointer: '#/info/x-rules/0',
})
const result = (id: string, verdict: Verdict, rules: readonly string[]) =>
  ({ id, verdict, rules }) as CaseResult

t.test('a rule is covered when a case about it ran to its end, whatever its verdict', async (t) => {
  const cases = [
    result('one', 'pass', ['a', 'b', 'a']),
    result('two', 'fail', ['c']),
    result('three', 'not-run', ['d']),
    result('four', 'known-fail', ['b', 'unknown']),
    result('five', 'inconclusive', ['d']),
    result('six', 'no-answer', ['e']),
  ]
  const rules = ruleCoverage(['a', 'b', 'c', 'd', 'e'].map(rule), cases)
  t.same(
    rules.map(({ id, cases }) => [id, cases.map(({ id }) => id)]),
    [
      ['a', ['one']],
      ['b', ['one', 'four']],
      ['c', ['two']],
      ['d', ['three', 'five']],
      ['e', ['six']],
    ],
  )
  t.same(rules.map(isCovered), [true, true, true, false, false])
})

t.test('every text of a report is redacted, names of members too', async (t) => {
  const report = {
    cases: [{ findings: [{ 'key-1': 'at key-1', number: 5, none: null }] }],
  } as unknown as Report
  t.same(
    redactReport(report, (text) => text.replaceAll('key-1', '•')),
    {
      cases: [{ findings: [{ '•': 'at •', number: 5, none: null }] }],
    },
  )
})
