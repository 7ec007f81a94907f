import t from 'tap'
import { judged } from './library.js'

t.test(
  'a batch with an absurd number of calls is a defect of its case and does not end the run',
  async (t) => {
    const many = `
scenario: A batch without end.
rule: books.missing-null
steps:
  - batch:
      - { call: book, params: [7], times: 1000000000 }
    expect: { status: 413 }
`
    const { result } = await judged(t, many)
    t.match(result, { verdict: 'harness-error', reason: 'step 1: the batch has more than 100000 calls' })
  },
)

t.test('an answer cannot turn one request into more calls than are counted', async (t) => {
  const carried = `
scenario: An id that an answer gave.
rule: books.missing-null
steps:
  - call: book
    params: [1]
    capture: { id: $.result.title }
  - batch:
      - { call: book, params: [7], id: '\${id}' }
    expect: { items: [ { result: null } ] }
`
  const title = '1,"method":"book"},{"jsonrpc":"2.0","id":2'
  const { result, deployment } = await judged(t, carried, {
    book: ({ params }) => ({ result: params[0] === 1 ? { title } : null }),
  })
  t.match(result, {
    verdict: 'harness-error',
    reason: /^step 2: the id 1,"method":"book"\},.* is not the JSON text/,
  })
  t.same(deployment.methods().filter((name) => name === 'book').length, 1)
})
