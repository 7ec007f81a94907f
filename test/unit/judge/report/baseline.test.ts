import t from 'tap'
import { compareReports, exitCodeOfNew, type Report } from '../../../../src/judge/index.js'
import { failure, report, result } from './sample-report.js'

const generated = { case: {} }
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)

t.test('every change of a verdict has its list', (t) => {
  const before = report([
    result('a/broken', 'fail'),
    result('a/fine', 'pass'),
    result('a/repaired', 'no-answer'),
    result('a/stale', 'stale'),
    result('a/skipped', 'fail'),
    result('a/gone', 'pass'),
    result('a/gone-bad', 'fail'),
    result('a/same', 'tolerated'),
  ])
  const now = report([
    result('a/broken', 'no-answer'),
    result('a/fine', 'fail'),
    result('a/repaired', 'tolerated'),
    result('a/stale', 'stale'),
    result('a/skipped', 'not-run'),
    result('a/added', 'pass'),
    result('a/added-bad', 'fail'),
    result('a/same', 'pass'),
  ])
  const { failing, still, fixed, unjudged, added, removed } = compareReports(now, before)
  t.same(ids(failing), ['a/fine', 'a/added-bad'])
  t.same(ids(still), ['a/broken', 'a/stale'])
  t.same(ids(fixed), ['a/repaired'])
  t.same(unjudged, [
    { id: 'a/skipped', now: 'not-run' },
    { id: 'a/gone-bad', now: undefined },
  ])
  t.same(added, ['a/added', 'a/added-bad'])
  t.same(removed, ['a/gone', 'a/gone-bad'])
  t.end()
})

t.test('failures of generated cases are recognized by method and cause with every seed', (t) => {
  const failed = (id: string, cause: string) => result(id, 'fail', { ...failure, generated, cause })
  const before = report([failed('explored/book/7-1', 'one'), failed('explored/lend/7-2', 'other')])
  const now = report([
    failed('explored/book/8-4', 'one'),
    failed('explored/book/8-5', 'other'),
    result('explored/shelf/8-6', 'pass', { generated }),
  ])
  const { failing, still, unjudged, added, removed } = compareReports(now, before)
  t.same(ids(still), ['explored/book/8-4'])
  t.same(ids(failing), ['explored/book/8-5'], 'the cause is known of another method only')
  t.same(ids(unjudged), ['explored/lend/7-2'])
  t.same([added, removed], [[], []])
  t.end()
})

t.test('the coverage lists parts that were reached before, also by reports that only list the rest', (t) => {
  const none = { total: 0, seen: 0, reached: [], never: [] }
  const withMembers = (members: NonNullable<Report['coverage']>['members']) =>
    report([], { coverage: { methods: none, members, branches: none, errors: none } })
  const now = withMembers({ total: 4, seen: 1, reached: ['a'], never: ['b', 'c', 'added'] })
  const lost = (before: Report) =>
    compareReports(now, before).coverage.find(({ kind }) => kind === 'members')?.lost
  t.same(lost(withMembers({ total: 3, seen: 2, reached: ['a', 'b'], never: ['c'] })), ['b'])
  t.same(lost(withMembers({ total: 3, seen: 2, never: ['c'] })), ['b', 'added'])
  t.same(compareReports(now, report([])).coverage, [])
  const withForms = (forms: NonNullable<Report['coverage']>['members']) =>
    report([], { coverage: { methods: none, members: none, branches: none, errors: none, forms } })
  const single = withForms({ total: 2, seen: 1, reached: ['alone'], never: ['in a batch'] })
  const both = withForms({ total: 2, seen: 2, reached: ['alone', 'in a batch'], never: [] })
  const forms = (now: Report, before: Report) =>
    compareReports(now, before).coverage.find(({ kind }) => kind === 'forms')
  t.same(forms(single, both)?.lost, ['in a batch'])
  t.equal(forms(single, now), undefined, 'reports of earlier versions lack the forms')
  t.end()
})

t.test('only new failures decide the exit code', (t) => {
  const codes = (now: Report, before: Report, requireComplete = false) =>
    exitCodeOfNew(now, compareReports(now, before), requireComplete)
  const red = report([result('a/one', 'fail'), result('a/two', 'pass')])
  const green = report([result('a/one', 'pass'), result('a/two', 'pass')])
  t.equal(codes(red, red), 0)
  t.equal(codes(red, green), 1)
  t.equal(codes(report([result('a/one', 'fail')]), red), 0, 'all cases failed before')
  t.equal(codes(report([result('a/one', 'stale')]), green), 1)
  const defect = report([result('a/one', 'harness-error')])
  t.equal(codes(defect, defect), 2, 'defects of the tool are never old')
  t.equal(codes(report([...red.cases, result('a/three', 'not-run')]), red, true), 3)
  t.end()
})

t.test('a fixture and a rule that had evidence before and have none now are lost', (t) => {
  const rule = (id: string, ...cases: Report['rules'][number]['cases']) => ({
    ...{ id, text: '', section: '', level: 'mandatory', pointer: '#/info/x-rules/0' },
    cases,
  })
  const lacks = (fixture: string) => ({ lacks: { fixture, isOptional: false } })
  const before = {
    ...report([result('a/one', 'pass'), result('a/two', 'pass'), result('a/writes', 'pass')]),
    rules: [
      rule('kept', { id: 'a/one', verdict: 'pass' }),
      rule('lost', { id: 'a/two', verdict: 'pass' }),
      rule('written', { id: 'a/writes', verdict: 'pass' }),
      rule('never', { id: 'a/three', verdict: 'not-run' }),
      rule('not-selected', { id: 'a/four', verdict: 'pass' }),
    ],
    fixtures: { 'a-book': {}, 'a-shelf': {} },
  }
  const now = {
    ...report([
      result('a/one', 'fail'),
      result('a/two', 'not-applicable', lacks('a-book')),
      result('a/three', 'not-applicable', lacks('never-found')),
      result('a/writes', 'not-run', { effect: 'write' }),
    ]),
    rules: [
      rule('kept', { id: 'a/one', verdict: 'fail' }),
      rule('lost', { id: 'a/two', verdict: 'not-applicable' }),
      rule('written', { id: 'a/writes', verdict: 'not-run' }),
      rule('never', { id: 'a/three', verdict: 'not-applicable' }),
      rule('not-selected'),
    ],
    fixtures: {},
  }
  const { lostFixtures, lostRules } = compareReports(now, before)
  t.same([lostFixtures, lostRules], [['a-book'], ['lost']])
  const same = compareReports(before, before)
  t.same([same.lostFixtures, same.lostRules], [[], []])
  t.end()
})
