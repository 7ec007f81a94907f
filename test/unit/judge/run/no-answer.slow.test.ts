import t from 'tap'
import { exitCodeOf, type ReportFormat, renderReport, terminalReport } from '../../../../src/judge/index.js'
import { type Answer, type Call, startDeployment } from './deployment.js'
import { judged, library, missing, only } from './library.js'
import { runSuite } from './run-suite.js'

const manyCases = (number: number) =>
  Object.fromEntries(Array.from({ length: number }, (_, at) => [`books/c${at + 10}.yaml`, missing]))
const slowCase = missing.replace('[7]', '[13]')
const isSlow = ({ params }: Call) => params[0] === 13

t.test('a call without an answer is neither a pass nor a failure of the rule', async (t) => {
  for (const silent of ['silence', 'reset'] as const) {
    const { result, report } = await judged(
      t,
      missing,
      { book: () => silent },
      { timeoutMilliseconds: silent === 'silence' ? 2_000 : 300_000 },
    )
    t.match(result, { verdict: 'no-answer', findings: [], cause: /^no answer/ })
    t.match(result.reason, /^step 1: .*(No complete answer arrived within|closed the connection)/)
    t.ok(result.evidence.at(-1)?.trouble, 'the evidence describes the cause')
    t.match(report.counts, { 'no-answer': 1, fail: 0 })
    t.ok(report.requests.unanswered >= 1)
  }
})

t.test('an answer that is not JSON-RPC is a failure', async (t) => {
  const { result } = await judged(t, missing, { book: () => ({ body: 'rubbish' }) })
  t.equal(result.verdict, 'fail')
})

t.test('a case that blocks the service does not affect other cases', async (t) => {
  // Simulates a single-threaded node: it answers nothing until the slow call is cancelled and the head was requested
  // twice.
  let isBlocked = false
  let probes = 0
  const book = (call: Call): Answer => {
    if (isSlow(call)) {
      isBlocked = true
      probes = 0
    }
    return isBlocked ? 'silence' : { result: null }
  }
  const newest = (): Answer => {
    if (isBlocked && ++probes === 2) isBlocked = false
    return isBlocked ? 'silence' : { result: { number: '0x10', hash: '0xaa' } }
  }
  const deployment = await startDeployment(t, library({ book, newest }))
  const files = { ...manyCases(40), 'books/c13.yaml': slowCase }
  const report = await runSuite(t, deployment.url, files, { concurrency: 4, timeoutMilliseconds: 2_000 })
  t.same(
    report.cases.filter(({ verdict }) => verdict !== 'pass').map(({ id, verdict }) => [id, verdict]),
    [['books/c13', 'no-answer']],
  )
  t.equal(report.counts.pass, 39)
})

t.test('a case that ran alone is not retried', async (t) => {
  let asked = 0
  const book = (): Answer => {
    asked++
    return 'silence'
  }
  const { result } = await judged(t, missing, { book }, { concurrency: 4, timeoutMilliseconds: 2_000 })
  t.equal(result.verdict, 'no-answer')
  t.equal(asked, 1)
})

t.test('a case that writes is never retried', async (t) => {
  let lent = 0
  const lend = (): Answer => {
    lent++
    return 'reset'
  }
  const lending = `
scenario: A book is lent.
effect: write
rule: shelf.length
steps:
  - call: lend
    params: [1]
    expect: { result: lent }
`
  const { report } = await judged(
    t,
    lending,
    { lend },
    { allow: ['write'], concurrency: 4 },
    { 'books/two.yaml': missing },
  )
  t.match(report.counts, { 'no-answer': 1, pass: 1 })
  t.equal(lent, 1)
})

t.test('a fixture without an answer is retried for the next case', async (t) => {
  let asked = 0
  const book = ({ params }: Call): Answer => {
    if (params[0] !== 1) return { result: null }
    asked++
    return asked === 1 ? 'silence' : { result: { title: 'Emma', shelf: 2 } }
  }
  const findBook = `
fixture: a book on a shelf
steps:
  - call: book
    params: [1]
    capture: { shelf: $.result.shelf }
`
  const needing = missing.replace('steps:', 'needs: [a-book]\nsteps:').replace('[7]', `['\${shelf + 5}']`)
  const { report } = await judged(
    t,
    needing,
    { book },
    { timeoutMilliseconds: 2_000 },
    { 'books/two.yaml': needing, 'fixtures/a-book.yaml': findBook },
  )
  t.same(
    report.cases.map(({ verdict }) => verdict),
    ['no-answer', 'pass'],
  )
  t.match(only(report).reason, /^fixture a-book, step 1: /)
})

t.test('an unresponsive service ends the run, and the remaining cases are given up', async (t) => {
  let asked = 0
  const book = (): Answer => (++asked > 3 ? 'reset' : { result: null })
  const deployment = await startDeployment(
    t,
    library({ book, newest: () => (asked > 3 ? 'reset' : { result: { number: '0x10', hash: '0xaa' } }) }),
  )
  const report = await runSuite(t, deployment.url, manyCases(40))
  t.match(report.counts, { pass: 3, 'no-answer': 1, 'gave-up': 36, fail: 0 })
  t.match(report.cases.at(-1)?.reason, /requests got no complete answer/)
})

t.test('a run whose service stops answering gave up, which no format and no option hides', async (t) => {
  let asked = 0
  const book = (): Answer => (++asked > 20 ? 'reset' : { result: null })
  const newest = (): Answer => (asked > 20 ? 'reset' : { result: { number: '0x10', hash: '0xaa' } })
  const deployment = await startDeployment(t, library({ book, newest }))
  const known = [{ case: '*', reason: 'x', owner: 'x', expires: '2999-01-01', source: { file: '', line: 1 } }]
  const report = await runSuite(t, deployment.url, manyCases(80), { known })
  t.equal(report.counts.pass, 20)
  t.ok(report.counts['gave-up'] > 30, JSON.stringify(report.counts))
  t.equal(report.counts['not-run'], 0)
  t.match(report.completeness, { verdict: 'gave-up', gaveUp: report.counts['gave-up'], leftOut: 0 })
  t.equal(exitCodeOf(report, false), 1)
  const options = { again: () => '' }
  const text = (format: ReportFormat) => renderReport(format, report, options)
  t.match(text('junit'), /<testsuites [^>]* errors="[1-9]/)
  t.match(text('tap'), /^not ok 1 - books$/m)
  t.match(text('sarif'), /"executionSuccessful": false/)
  t.match(text('github'), /^::error title=run.complete%3A \d+ cases::/m)
  t.equal(text('github').match(/run\.complete/g)?.length, 1, 'once, not once for each case')
  const lines = terminalReport(report, { ...options, colours: false }).join('\n')
  for (const shown of [lines, ...(['junit', 'tap', 'sarif', 'html', 'markdown'] as const).map(text)])
    t.match(shown, /THE RUN GAVE UP; \d+ of 80 cases judged; \d+ given up; the run was aborted: /)
})

t.test('a case that needs one that the run gave up is given up, too', async (t) => {
  let asked = 0
  const book = (): Answer => (++asked > 1 ? 'reset' : { result: null })
  const newest = (): Answer => (asked > 1 ? 'reset' : { result: { number: '0x10', hash: '0xaa' } })
  const deployment = await startDeployment(t, library({ book, newest }))
  const later = missing.replace('steps:', 'after: [books/c50]\nsteps:')
  t.not(later, missing)
  const report = await runSuite(t, deployment.url, { ...manyCases(60), 'books/later.yaml': later })
  t.match(
    report.cases.find(({ id }) => id === 'books/later'),
    { verdict: 'gave-up', waitedFor: 'books/c50' },
  )
})
