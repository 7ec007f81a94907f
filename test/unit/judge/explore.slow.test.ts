import t from 'tap'
import { exploredScenarios } from '../../../src/judge/index.js'
import { smallerValues } from '../../../src/judge/shrink/smaller-values.js'
import { exploredCases } from '../../../src/toolkit/codegen/index.js'
import { parseContract } from '../../../src/toolkit/contract/index.js'
import { isLong } from '../../support/runs.js'
import { type Call, startDeployment } from './run/deployment.js'
import { library, missing } from './run/library.js'
import { libraryContract } from './run/library-contract.js'
import { runSuite } from './run/run-suite.js'

const shelf = {
  name: 'shelf',
  'x-effect': 'read',
  'x-laws': [{ law: 'repeatable' }],
  params: [
    { name: 'number', required: true, schema: { type: 'integer', minimum: 0 } },
    {
      name: 'filter',
      required: true,
      schema: {
        type: 'object',
        properties: { author: { type: 'string' }, years: { type: 'array', items: { type: 'integer' } } },
        additionalProperties: false,
      },
    },
  ],
  result: { name: 'titles', schema: { type: 'array', items: { type: 'string' } } },
  errors: [{ $ref: '#/components/errors/invalidParams' }],
}
const contract = { ...libraryContract, methods: [...libraryContract.methods, shelf] }
const refused = { error: { code: -32602, message: 'Invalid params' } }

/** Answers as the contract says. */
function shelfOf({ params }: Call): { result: unknown } | typeof refused {
  const [number, filter] = params as [unknown, Record<string, unknown> | null]
  const isWhole = (value: unknown) => Number.isInteger(value)
  const { author, years, ...rest } =
    typeof filter === 'object' && filter !== null && !Array.isArray(filter) ? filter : { x: 1 }
  const isValid =
    params.length === 2 &&
    isWhole(number) &&
    Number(number) >= 0 &&
    Object.keys(rest).length === 0 &&
    (author === undefined || typeof author === 'string') &&
    (years === undefined || (Array.isArray(years) && years.every(isWhole)))
  return isValid ? { result: ['Emma'] } : refused
}

const bookOf = ({ params }: Call) =>
  params.length === 1 && Number.isInteger(params[0]) && Number(params[0]) >= 0 ? { result: null } : refused

const calls = isLong ? 300 : 150

/** Runs generated calls against a library. */
async function explore(
  t: Parameters<typeof startDeployment>[0],
  answers: Parameters<typeof library>[0],
  seed = 5,
  { of = contract, most = calls }: { readonly of?: object; readonly most?: number } = {},
) {
  const deployment = await startDeployment(t, library({ shelf: shelfOf, book: bookOf, ...answers }))
  const mayCall = (name: string) => ['newest', 'book', 'shelf'].includes(name)
  const document = exploredCases(parseContract(JSON.stringify(of)), { calls: most, seed, mayCall })
  const report = await runSuite(
    t,
    deployment.url,
    { 'books/one.yaml': missing },
    { contract: of, scenarios: exploredScenarios(document) },
  )
  const failures = report.cases.filter(({ verdict }) => verdict === 'fail')
  return {
    report,
    failures,
    found: failures.find(({ generated }) => generated?.shrunkIn !== undefined),
    deployment,
  }
}

t.test('a service that keeps its contract passes, whatever the seed', async (t) => {
  for (const seed of isLong ? [0, 1, 2] : [0, 1]) {
    const { report, failures } = await explore(t, {}, seed)
    t.same(failures, [])
    t.ok(report.counts.pass > calls / 3, `${report.counts.pass} cases`)
  }
})

t.test('a wrong result is found without a case for it, and shrunk to the smallest call', async (t) => {
  const { found, failures } = await explore(t, {
    shelf: (call) => {
      const [, filter] = call.params as [unknown, { author?: string } | null]
      const isHit = typeof filter?.author === 'string' && filter.author.length >= 3
      return isHit && 'result' in shelfOf(call) ? { result: [7] } : shelfOf(call)
    },
  })
  t.ok(failures.length > 1)
  t.match(found?.findings[0], { where: '/result/0', expected: 'must be text' })
  const [step] = (found?.generated?.case['steps'] ?? []) as [
    { call: string; params: [number, { author: string }] },
  ]
  t.equal(step.call, 'shelf')
  t.equal(step.params[0], 0)
  t.same(Object.keys(step.params[1]), ['author'])
  t.equal(step.params[1].author.length, 3)
  const requests = found?.generated?.shrunkIn ?? 0
  t.ok(requests > 0 && requests <= 60, `${requests} requests`)
})

t.test('invalid parameters that a service accepts are found, and stay invalid when shrunk', async (t) => {
  const { found } = await explore(t, { shelf: () => ({ result: [] }) })
  t.match(found?.findings[0], { where: '/error' })
  const [step] = (found?.generated?.case['steps'] ?? []) as [{ params: unknown[] }]
  t.equal('result' in shelfOf({ params: step.params } as unknown as Call), false, JSON.stringify(step))
})

t.test('a broken law is found', async (t) => {
  let count = 0
  const { found } = await explore(t, {
    shelf: (call) => ('result' in shelfOf(call) ? { result: [`Emma ${++count}`] } : refused),
  })
  t.match(found?.scenario, 'gives the same result again')
  t.equal([found?.generated?.case['steps'] ?? []].flat().length, 2)
})

t.test('an unknown method and an internal error are no answers to a valid call', async (t) => {
  for (const code of [-32601, -32603]) {
    const { found } = await explore(t, {
      shelf: () => ({ status: 500, body: `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"x"}}` }),
    })
    t.ok(found, String(code))
  }
})

t.test('a valid call that is refused fails, unless the method has rules beyond its schemas', async (t) => {
  const picky = (call: Call) => {
    const [, filter] = call.params as [unknown, { years?: unknown } | null]
    return filter?.years === undefined ? shelfOf(call) : refused
  }
  const { found } = await explore(t, { shelf: picky })
  t.match(found?.findings[0], {
    where: '/error/code',
    expected: 'no refusal, because the parameters fit their schemas',
  })
  const stated = { ...shelf, 'x-beyond-schemas': ['The library has no list of years.'] }
  const of = { ...contract, methods: [...libraryContract.methods, stated] }
  t.same((await explore(t, { shelf: picky }, 5, { of })).failures, [])
})

t.test('a result that is wrong once in 15 times is found by repeated calls', async (t) => {
  let count = 0
  const book = (call: Call) => {
    const right = bookOf(call)
    return 'result' in right && ++count % 15 === 0 ? { result: { title: 'Emma' } } : right
  }
  const { found } = await explore(t, { book }, 5, { most: 600 })
  t.match(found?.scenario, 'gives no earlier result again after another one')
  t.equal([found?.generated?.case['steps'] ?? []].flat().length, 3)
})

t.test('small numbers come first, so that lookups find what there is', async (t) => {
  const book = (call: Call) =>
    'result' in bookOf(call) && Number(call.params[0]) < 8 ? { result: { title: 'Emma' } } : bookOf(call)
  const { report } = await explore(t, { book })
  const bodies = report.cases.flatMap(({ evidence }) => evidence.map(({ response }) => response?.body ?? ''))
  t.ok(bodies.filter((body) => body.includes('Emma')).length > 10)
})

t.test('a sequence ends where a result has nothing to pass on', async (t) => {
  const { failures } = await explore(t, { newest: () => ({ result: { number: '', hash: '' } }) })
  t.same(failures, [])
})

t.test('coverage counts what answers had', async (t) => {
  const { report } = await explore(t, {
    book: (call) => ('error' in bookOf(call) ? refused : { result: { title: 'Emma' } }),
  })
  const { coverage } = report
  const schemas = '#/components/schemas'
  t.same(coverage, {
    methods: { total: 5, seen: 3, reached: ['newest', 'book', 'shelf'], never: ['lend', 'unmarked'] },
    members: {
      total: 4,
      seen: 3,
      reached: [
        `${schemas}/Book/properties/title`,
        `${schemas}/Head/properties/hash`,
        `${schemas}/Head/properties/number`,
      ],
      never: [`${schemas}/Book/properties/shelf`],
    },
    branches: {
      total: 2,
      seen: 1,
      reached: ['#/methods/1/result/schema/oneOf/1'],
      never: ['#/methods/1/result/schema/oneOf/0'],
    },
    errors: { total: 2, seen: 1, reached: ['-32602'], never: ['-32002'] },
    forms: {
      // Repeated calls travel in other forms.
      seen: 2,
      total: 5,
      never: ['over /{key}', 'with the second key', 'in a batch'],
    },
  })
})

t.test('a method whose valid calls are all refused is not covered', async (t) => {
  const { report } = await explore(t, { shelf: () => refused })
  t.ok(report.coverage?.methods.never.includes('shelf'))
})

t.test('simpler values come in order, and templates stay', async (t) => {
  t.same(smallerValues([1, 2]), [[], [1], [2], [2], [1], [0, 2], [1, 0], [1, 1]])
  t.same(smallerValues({ a: true, b: '${v}' }), [{}, { b: '${v}' }, { a: true }, { a: false, b: '${v}' }])
  t.same(smallerValues('0x1f'), ['', 'a', '0x', '0x1', '0x0', '0x00'])
  t.same(smallerValues(-3), [0, 1, -1])
  t.same(smallerValues(null), [])
})
