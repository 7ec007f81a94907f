import t from 'tap'
import type { Answer, Call } from './deployment.js'
import { judged, missing } from './library.js'

const disturbed = missing.replace(
  'expect: { result: null }',
  `expect: { result: null }
    tolerate:
      - expect: { error: { message: { $pattern: old } } }
        reason: Old libraries refuse it.
        depends-on: implementation
    inconclusive:
      - expect: { error: { message: { $pattern: taken } } }
        reason: Somebody else lends books.`,
)
const error = (code: number, message: string) => (): Answer => ({ error: { code, message } })

t.test('an answer with a possible external cause makes the case inconclusive', async (t) => {
  const { result } = await judged(t, disturbed, { book: error(-32602, 'the book is taken') })
  t.match(result, { verdict: 'inconclusive', reason: 'step 1: Somebody else lends books.' })
  t.equal(result.evidence.length, 1, 'the reply is kept')
})

t.test('another answer is a failure, and tolerances are checked first', async (t) => {
  const other = await judged(t, disturbed, { book: error(-32602, 'closed') })
  t.equal(other.result.verdict, 'fail')
  const tolerated = await judged(t, disturbed, { book: error(-32602, 'an old book is taken') })
  t.equal(tolerated.result.verdict, 'tolerated')
  const passed = await judged(t, disturbed)
  t.equal(passed.result.verdict, 'pass')
})

t.test('a contract violation is a failure, whatever its cause', async (t) => {
  const { result } = await judged(t, disturbed, {
    book: ({ id }: Call) => ({ body: `{"jsonrpc":"1.0","id":${id},"error":{"code":1,"message":"taken"}}` }),
  })
  t.equal(result.verdict, 'fail')
})

t.test('an exception that matches every answer is refused', async (t) => {
  const every = disturbed.replace(
    '{ error: { message: { $pattern: taken } } }',
    '{ result: { $type: object } }',
  )
  await t.rejects(judged(t, every), {
    name: 'ScenarioError',
    message: /inconclusive.*|tolerates every answer/,
  })
})

const before = `
scenario: The book before the newest is not there.
rule: books.missing-null
steps:
  - call: newest
    capture: { newest: $.result.number }
  - call: book
    params: ['\${newest - 1}']
    expect: { error: { code: -32602 } }
`
const newestIs = (number: string) => () => ({ result: { number, hash: '0xaa' } })

t.test('a number that falls below zero makes the case not applicable', async (t) => {
  const { result, report } = await judged(t, before, { newest: newestIs('0x0') })
  t.match(result, {
    verdict: 'not-applicable',
    reason: `step 2: \${newest - 1}: 0x0 moved by -1 falls below zero`,
  })
  t.equal(report.counts['harness-error'], 0)
  const { result: above } = await judged(t, before, {
    newest: newestIs('0x1'),
    book: error(-32602, 'a number is needed'),
  })
  t.equal(above.verdict, 'pass', 'zero is valid')
  const { result: text } = await judged(t, before, { newest: newestIs('one') })
  t.equal(text.verdict, 'harness-error', 'a value that is not a number is a defect of the case')
})

t.test('a fixture whose number falls below zero makes its cases not applicable', async (t) => {
  const fixture = `
fixture: the book before the newest
steps:
  - call: newest
    capture: { newest: $.result.number }
  - call: book
    params: ['\${newest - 1}']
    capture: { title: $.result.title }
`
  const needing = missing.replace('steps:', 'needs: [a-book]\nsteps:')
  const { result } = await judged(
    t,
    needing,
    { newest: newestIs('0x0') },
    {},
    { 'fixtures/a-book.yaml': fixture },
  )
  t.match(result, { verdict: 'not-applicable', reason: /^fixture a-book, step 2: .* falls below zero/ })
})

t.test('an error about a fixture is inconclusive once nodes may have dropped its state', async (t) => {
  const text = `
scenario: The title of a book stays.
rule: books.title
needs: a-book
steps: [{ call: book, params: [2], expect: { result: { title: '\${title}' } } }]
`
  const fixture =
    'fixture: A book.\nsteps: [{ call: book, params: [1], capture: { title: $.result.title } }]\n'
  const verdictAfter = async (blocks: number, answer: Answer) => {
    let number = 16
    const book = ({ params }: Call): Answer => {
      if (params[0] === 1) return { result: { title: 'Emma', shelf: 2 } }
      number = 16 + blocks
      return answer
    }
    const newest = (): Answer => ({ result: { number: `0x${number.toString(16)}`, hash: `0x${number}` } })
    const { result } = await judged(t, text, { book, newest }, {}, { 'fixtures/a-book.yaml': fixture })
    return result
  }
  const gone = { error: { code: -32001, message: 'No such state' } }
  t.match(await verdictAfter(40, gone), {
    verdict: 'inconclusive',
    reason: /^the head moved from 0x10 to 0x38 since the fixtures of the case were found/,
  })
  t.match(await verdictAfter(2, gone), { verdict: 'fail' })
  t.match(await verdictAfter(40, { result: { title: 'Other', shelf: 2 } }), { verdict: 'fail' })
})
