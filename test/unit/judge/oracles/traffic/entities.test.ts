import t, { type Test } from 'tap'
import { loadScenarios, type Report, verifyReport } from '../../../../../src/judge/index.js'
import { parseContract } from '../../../../../src/toolkit/contract/index.js'
import { startDeployment } from '../../run/deployment.js'
import { runSuite, scenarioFolder } from '../../run/run-suite.js'

interface Order {
  readonly id: string
  readonly number: number
  readonly time: number
  readonly after: string | null
  readonly parts: readonly number[]
  readonly total: number
}

const contract = {
  openrpc: '1.3.2',
  info: { title: 'Orders', version: '1' },
  methods: ['order', 'page'].map((name) => ({
    name,
    'x-effect': 'read',
    params: [{ name: 'number', schema: { type: 'integer' } }],
    result: { name, schema: {} },
  })),
}

const orders: readonly Order[] = Array.from({ length: 12 }, (_, number) => ({
  id: `order-${number}`,
  number,
  time: 1000 + 10 * number,
  after: number === 0 ? null : `order-${number - 1}`,
  parts: [number, 1],
  total: number + 1,
}))

/** Each order alone, then pages of three. No case looks at more than the type of a result. */
const files = {
  'entities/order.yaml': `
entity: An order.
key: '\${id}'
from:
  - { call: order, at: $.result, is: { $has: { id: { $type: string } } } }
  - { call: page, at: '$.result.orders[*]' }
`,
  'invariants/same.yaml': `
invariant: An order is the same alone and in a page.
of: order
same: { except: [time] }
`,
  'invariants/after.yaml': `
invariant: An order has the number after that of the order before.
of: order
with: { before: { entity: order, key: '\${order.after}' } }
expect:
  - { value: '\${order.number}', is: '\${before.number + 1}' }
`,
  'invariants/times.yaml': `
invariant: The times of orders do not go back.
of: order
ordered: { by: '\${order.number}', value: '\${order.time}' }
settled: { value: '\${order.number}', distance: 2 }
`,
  'invariants/total.yaml': `
invariant: The total of an order is the sum of its parts.
of: order
if: [{ value: '\${order.parts}', is: { $length: { $min: 1 } } }]
compute: [{ compute: sum, params: ['\${order.parts}'], capture: { sum: $ } }]
expect: [{ value: '\${order.total}', is: '\${sum}' }]
`,
  'orders/alone.yaml': `
scenario: An order has its id.
steps:
${orders.map(({ number }) => `  - { call: order, params: [${number}], expect: { result: { $has: { id: order-${number} } } } }`).join('\n')}
`,
  'orders/pages.yaml': `
scenario: A page has three orders, also in a batch.
steps:
  - { call: page, params: [0], expect: { result: { $has: { orders: { $length: 3 } } } } }
  - batch: [{ call: page, params: [3] }, { call: page, params: [6] }, { call: page, params: [9] }]
    expect: { body: { $each: { $has: { result: { $has: { orders: { $length: 3 } } } } } } }
`,
}

const functions = {
  sum: ([parts]: readonly unknown[]) => (parts as readonly number[]).reduce((sum, part) => sum + part, 0),
}

type Changed = (order: Order, place: string) => object

/** Results of the invariants for a service that changes some orders. */
async function invariantsOf(t: Test, changed: Changed) {
  const { cases } = await reportOf(t, changed)
  const verdicts = cases.filter(({ group }) => group === 'orders').map(({ verdict }) => verdict)
  t.same([...new Set(verdicts)], ['pass'])
  return cases.filter(({ group }) => group === 'invariants')
}

async function reportOf(t: Test, changed: Changed): Promise<Report> {
  const { url } = await startDeployment(t, ({ method, params: [number] }) => {
    const asked = orders.slice(Number(number), Number(number) + 3)
    if (method === 'page') return { result: { orders: asked.map((order) => changed(order, 'page')) } }
    const [order] = asked
    return { result: order === undefined ? null : changed(order, 'alone') }
  })
  return runSuite(t, url, files, { contract, functions })
}

t.test('entities that agree pass, with the number of comparisons', async (t) => {
  const results = await invariantsOf(t, (order) => order)
  t.same(
    results.map(({ id, verdict, compared }) => [id, verdict, compared]),
    [
      ['invariants/after', 'pass', 11],
      ['invariants/same', 'pass', 12],
      ['invariants/times', 'pass', 9],
      ['invariants/total', 'pass', 12],
    ],
  )
})

t.test('one wrong entity in one answer fails, even if no case tests it', async (t) => {
  const one = (number: number, change: (order: Order) => object) => (order: Order, place: string) =>
    order.number === number && place === 'page' ? { ...order, ...change(order) } : order
  const rows: readonly (readonly [string, (order: Order, place: string) => object, readonly string[]])[] = [
    ['another member in a page', one(4, () => ({ parts: [4, 0, 1] })), ['same']],
    ['a member missing in a page', one(5, () => ({ after: undefined })), ['same']],
    ['another number', (order) => ({ ...order, ...(order.number === 7 && { number: 17 }) }), ['after']],
    ['a time that goes back', one(8, () => ({ time: 900 })), ['times']],
    ['a time that goes back, not settled', one(11, () => ({ time: 900 })), []],
    ['another total', (order) => ({ ...order, ...(order.number === 3 && { total: 9 }) }), ['total']],
  ]
  for (const [name, changed, failing] of rows) {
    const results = await invariantsOf(t, changed)
    const failed = results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
    t.same(
      failed,
      failing.map((invariant) => `invariants/${invariant}`),
      name,
    )
  }
})

t.test('a violation names the entity, and shows both answers', async (t) => {
  const results = await invariantsOf(t, (order, place) => (place === 'page' ? { ...order, total: 0 } : order))
  const [same] = results.filter(({ id }) => id === 'invariants/same')
  t.equal(same?.verdict, 'fail')
  t.match(same?.findings[0], {
    where: 'order order-0, total',
    expected: '1, as in an earlier answer',
    got: /^0, and 11 more times$/,
  })
  t.same(
    same?.evidence.map(({ curl }) => /"method":"(\w+)"/.exec(curl)?.[1]),
    ['order', 'page'],
  )
})

t.test('verify judges the stored answers by the invariants', async (t) => {
  const { scenarios, invariants } = await loadScenarios(await scenarioFolder(t, files), { builtIn: false })
  const options = { scenarios, invariants, functions, variables: new Map() }
  const again = async (changed: Changed) => {
    const report = await reportOf(t, changed)
    const { cases } = await verifyReport(report, {
      ...options,
      contract: parseContract(JSON.stringify(contract)),
    })
    return cases.filter(({ id }) => id.startsWith('invariants/')).map(({ before, now }) => [before, now])
  }
  const passed = ['pass', 'pass']
  t.same(await again((order) => order), [passed, passed, passed, passed])
  const other: Changed = (order) => (order.number === 3 ? { ...order, total: 9 } : order)
  t.same(await again(other), [passed, passed, passed, ['fail', 'fail']])
})

/** A contract whose calls return what they are given, by name or by position. */
const echoes = {
  openrpc: '1.3.2',
  info: { title: 'Echoes', version: '1' },
  methods: [
    {
      name: 'echo',
      'x-effect': 'read',
      params: ['text', 'mark'].map((name) => ({ name, schema: { type: 'string' } })),
      result: { name: 'echo', schema: { type: 'string' } },
      errors: [{ code: 7, message: 'Refused' }],
    },
  ],
}

const echoFiles = {
  'entities/echo.yaml': `
entity: A call with its answer.
key: '\${params.text}'
from: [{ call: echo }]
`,
  'invariants/echo.yaml': `
invariant: The result is the text that was sent.
of: echo
expect: [{ value: '\${echo.result}', is: '\${echo.params.text}' }]
`,
  'echo/answers.yaml': `
scenario: Every call is answered.
steps:
  - { call: echo, params: [alone], expect: { result: { $type: string } } }
  - { call: echo, params: { mark: '!', text: by name }, expect: { result: { $type: string } } }
  - { call: echo, params: [refused], expect: { error: { code: 7 } } }
  - { call: echo, params: [7], expect: { result: seven } }
  - batch: [{ call: echo, params: [first] }, { call: echo, params: [last, '!'] }]
    expect: { body: { $each: { $has: { result: { $type: string } } } } }
  - raw: '[{"jsonrpc":"2.0","id":1,"method":"echo","params":["one"]},{"jsonrpc":"2.0","id":1,"method":"echo","params":["other"]}]'
    expect: { body: { $each: { $has: { result: { $type: string } } } } }
`,
}

const swapped = new Map([
  ['one', 'other'],
  ['other', 'one'],
])

/** Runs the cases against a service that changes some texts. Answers to equal ids come in the wrong order. */
async function echoReport(t: Test, changed: (text: string) => string): Promise<Report> {
  const { url } = await startDeployment(t, ({ params }) => {
    const own: string = Array.isArray(params) ? params[0] : (params as unknown as { text: string }).text
    if (Number(own) === 7) return { result: 'seven' }
    if (own === 'refused') return { error: { code: 7, message: 'Refused' } }
    return { result: changed(swapped.get(own) ?? own) }
  })
  return runSuite(t, url, echoFiles, { contract: echoes })
}

t.test(
  'an invariant about a call sees its parameters, by name and by position, alone and in a batch',
  async (t) => {
    const echoOf = async (changed: (text: string) => string) =>
      (await echoReport(t, changed)).cases.find(({ id }) => id === 'invariants/echo')
    const right = await echoOf((text) => text)
    t.same([right?.verdict, right?.compared], ['pass', 4], 'not a refusal, invalid parameters and equal ids')
    for (const wrong of ['alone', 'by name', 'first', 'last']) {
      const result = await echoOf((text) => (text === wrong ? `${text}?` : text))
      t.equal(result?.verdict, 'fail', wrong)
      t.match(result?.findings[0], { where: `echo ${wrong}, echo.result`, got: `"${wrong}?"` })
    }
  },
)

t.test('verify judges the parameters of stored calls', async (t) => {
  const { scenarios, invariants } = await loadScenarios(await scenarioFolder(t, echoFiles), {
    builtIn: false,
  })
  const again = async (changed: (text: string) => string) => {
    const { cases } = await verifyReport(await echoReport(t, changed), {
      ...{
        scenarios,
        invariants,
        functions,
        variables: new Map(),
        contract: parseContract(JSON.stringify(echoes)),
      },
    })
    return cases.find(({ id }) => id === 'invariants/echo')?.now
  }
  t.equal(await again((text) => text), 'pass')
  t.equal(await again((text) => (text === 'last' ? 'first' : text)), 'fail')
})
