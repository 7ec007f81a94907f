import t, { type Test } from 'tap'
import { problemsOf } from '../../load/problems-of.js'
import { type Answer, type Call, startDeployment } from '../../run/deployment.js'
import { library, missing } from '../../run/library.js'
import { runSuite } from '../../run/run-suite.js'

const files = (more: string) => ({
  'books/one.yaml': missing.replace('result: null', '$TEXT').replace('$TEXT', 'error: { code: -32001 }'),
  'invariants/no-addresses.yaml': `
invariant: No answer contains an address.
no-text: { pattern: 'https?://'${more} }
`,
})

/** The verdict about the texts of a library whose book is this. */
async function judged(t: Test, answer: (call: Call) => Answer, more = ''): Promise<string> {
  const deployment = await startDeployment(t, library({ book: answer }))
  const report = await runSuite(t, deployment.url, files(more))
  const found = report.cases.find(({ id }) => id === 'invariants/no-addresses')
  const [finding] = found?.findings ?? []
  const got = finding?.got.replace(/, and \d+ more times$/, '')
  return `${found?.verdict} ${finding === undefined ? '' : `${finding.where}: ${got}`}`.trim()
}

const error = (message: string, data?: unknown): Answer => ({ error: { code: -32001, message, data } })

t.test('no text of any answer matches, whatever its case is about', async (t) => {
  t.equal(await judged(t, () => error('Not found')), 'pass')
  t.equal(
    await judged(t, () => error('connect to http://10.0.0.7:4444')),
    'fail /error/message: "connect to http://10.0.0.7:4444"',
  )
  t.equal(
    await judged(t, () => error('Not found', { at: ['x', 'see https://node'] })),
    'fail /error/data/at/1: "see https://node"',
  )
  t.equal(await judged(t, () => ({ result: { a: 'http://x' } })), 'fail /result/a: "http://x"')
  t.equal(await judged(t, () => ({ status: 502, body: 'from http://x' })), 'fail body: "from http://x"')
})

t.test('results of methods may be left out, and a file names its mistakes', async (t) => {
  t.equal(await judged(t, () => ({ result: { a: 'http://x' } }), ', except: [book]'), 'pass')
  t.equal(await judged(t, () => error('http://x'), ', except: [book]'), 'fail /error/message: "http://x"')
  const problems = await problemsOf(t, {
    'invariants/no-addresses.yaml': "invariant: None.\nno-text: { pattern: '(' }\n",
  })
  t.match(problems, [/not a regular expression/])
})
