import t, { type Test } from 'tap'
import { startJsonRpc } from '../../../support/foreign/json-rpc-server.js'
import { runSuite } from './run-suite.js'

/** A contract with two methods, and rules about all answers. */
const contract = (rules: object) => ({
  openrpc: '1.3.2',
  info: {
    title: 'Sizes',
    version: '1',
    'x-http': { rules },
    'x-rules': [{ id: 'batch.ordered', text: 'Answers have the order of their calls.', level: 'mandatory' }],
  },
  methods: [
    ['double', 'integer'],
    ['name', 'string'],
  ].map(([name, type]) => ({
    name,
    paramStructure: 'by-name',
    'x-effect': 'read',
    params: [{ name: 'of', required: true, schema: { type: 'integer' } }],
    result: { name: 'result', schema: { type } },
  })),
})

const methods = {
  double: ({ of }: { readonly of?: unknown }) => Number(of) * 2,
  name: ({ of }: { readonly of?: unknown }) => `number ${of}`,
}

/** Sends a batch, and uses its second answer. */
const batch = `
scenario: A batch has a result for each call.
steps:
  - batch:
      - { call: double, params: { of: 2 } }
      - { call: name, params: { of: 3 } }
      - { call: double, params: { of: 5 } }
    expect: { items: [{ result: 4 }, { result: number 3 }, { result: 10 }] }
    capture: { name: '$[1].result' }
  - skip-unless: '\${name}'
    is: number 3
    reason: The second answer is another one.
`

const reversed = (answers: readonly object[]) => answers.toReversed()

async function verdictOf(t: Test, order: typeof reversed | undefined, rules: object, wrong = false) {
  const name = wrong ? ({ of }: { readonly of?: unknown }) => of : methods.name
  const url = await startJsonRpc(t, { ...methods, name }, order === undefined ? {} : { order })
  const { cases } = await runSuite(t, url, { 'batches/one.yaml': batch }, { contract: contract(rules) })
  const [found] = cases
  return `${found?.verdict} ${found?.reason ?? ''}`.trim()
}

t.test('answers of a batch belong to the calls with their ids, in any order', async (t) => {
  t.equal(await verdictOf(t, undefined, {}), 'pass')
  t.equal(await verdictOf(t, reversed, {}), 'pass')
  t.equal(
    await verdictOf(t, reversed, {}, true),
    'fail step 1: /items/1/result: expected must be text, got 3, and 1 more',
  )
})

t.test('a contract can promise the order', async (t) => {
  const rules = { batchOrder: 'batch.ordered' }
  t.equal(await verdictOf(t, undefined, rules), 'pass')
  t.match(
    await verdictOf(t, reversed, rules),
    /^fail step 1: \/items\/0\/id: expected \d, as it was sent, got \d/,
  )
})

t.test('an answer with another id takes the place that is left', async (t) => {
  const order = (answers: readonly object[]) =>
    answers.map((answer, at) => (at === 0 ? { ...answer, id: 999 } : answer)).toReversed()
  t.match(
    await verdictOf(t, order, {}),
    /^fail step 1: \/items\/0\/id: expected \d, as it was sent, got 999$/,
  )
})
