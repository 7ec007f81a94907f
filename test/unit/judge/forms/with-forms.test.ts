import t, { type Test } from 'tap'
import { type Scenario, scenariosOf, withForms } from '../../../../src/judge/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { type Answer, type Call, startDeployment } from '../run/deployment.js'
import { library, missing } from '../run/library.js'
import { libraryContract } from '../run/library-contract.js'
import { runSuite } from '../run/run-suite.js'

const contract = parseContract(JSON.stringify(libraryContract))

/** Derived cases: numbers of books that the library does not have. */
const derived = scenariosOf(
  {
    scenarios: Array.from({ length: 40 }, (_, at) => ({
      id: `derived/book/missing-${at}`,
      scenario: `Book ${at + 10} is missing.`,
      rule: 'books.missing-null',
      steps: [{ call: 'book', params: [at + 10], expect: { result: null } }],
    })),
  },
  'test',
)

/** Runs the derived cases in their forms against a library with a fault. */
async function run(t: Test, answer: (call: Call) => Answer, scenarios = withForms(contract, derived)) {
  const deployment = await startDeployment(t, answer)
  const all = await runSuite(t, deployment.url, { 'books/one.yaml': missing }, { scenarios })
  const report = { ...all, cases: all.cases.filter(({ id }) => id !== 'books/one') }
  return { report, deployment, failed: report.cases.filter(({ verdict }) => verdict === 'fail') }
}

const withoutForms = (scenarios: readonly Scenario[]) =>
  scenarios.map((one) => ({ ...one, steps: one.steps.map((step) => ({ ...step, form: undefined })) }))

t.test('derived calls travel in every form and cost no further request', async (t) => {
  const { report, deployment, failed } = await run(t, library())
  t.same(failed, [])
  t.equal(report.requests.billed, derived.length + 2, 'and the head and a case of a file')
  const sent = new Set(
    deployment.requests.map(({ path, headers, body }) =>
      [path.split('/').length, headers['accept-encoding'], body.startsWith('[')].join(' '),
    ),
  )
  t.equal(sent.size, 8, 'two paths, with and without compression, alone and in a batch')
  const positions = report.cases.map(({ evidence: [first] }) => first?.form?.match(/^as item (\d)/)?.[1])
  t.same(new Set(positions), new Set(['1', '2', '3', undefined]))
  t.same(report.coverage?.forms?.never, ['with the second key'], 'the report names the other form')
})

t.test('calls of rpc.discover never share a batch', async (t) => {
  const discovering = derived.map((scenario): Scenario => {
    const steps = scenario.steps.map((step) =>
      step.kind === 'call' ? { ...step, call: { ...step.call, method: 'rpc.discover' } } : step,
    )
    return { ...scenario, steps }
  })
  const formed = withForms(contract, [...discovering.slice(20), ...derived.slice(0, 20)])
  const batches = formed.flatMap(({ steps }) =>
    steps.flatMap((step) => (step.kind === 'call' && step.form?.batch ? [step.form.batch.items] : [])),
  )
  t.ok(batches.length > 0)
  for (const items of batches) t.same(new Set(items.map(({ method }) => method)), new Set(['book']))
})

const book = { result: { title: 'Emma', shelf: 2 } }
const faults: Readonly<Record<string, (call: Call) => boolean>> = {
  'over /v2/{key}': ({ got }) => got.path.startsWith('/v2/'),
  'accepting gzip': ({ got }) => got.headers['accept-encoding'] === 'gzip',
  'in a batch': ({ got }) => got.body.startsWith('['),
  'in a batch, over /v2/{key}': ({ got }) => got.body.startsWith('[') && got.path.startsWith('/v2/'),
  'as the last item': ({ got, id }) =>
    got.body.startsWith('[') && got.body.lastIndexOf('"id":') === got.body.indexOf(`"id":${id},`),
}

for (const [words, isWrong] of Object.entries(faults)) {
  t.test(`a fault ${words} is caught in that form only`, async (t) => {
    const faulty = (call: Call) => (call.method === 'book' && isWrong(call) ? book : library()(call))
    const { failed, report } = await run(t, faulty)
    t.ok(failed.length > 0)
    for (const { findings, cause, evidence } of failed) {
      t.match(findings[0], { where: 'form', expected: 'the answer to the same call alone' })
      t.match(cause, /^books\.missing-null (?:in a batch|over|accepting)/)
      t.ok(evidence.at(-1)?.form)
    }
    t.ok(failed.length < report.cases.length, 'other forms pass')
    t.same((await run(t, faulty, withoutForms(derived))).failed, [], 'the plain form misses it')
  })
}

t.test('a call that fails in every form is a failure of the call', async (t) => {
  const { failed } = await run(t, (call) => (call.method === 'book' ? book : library()(call)))
  t.equal(failed.length, derived.length)
  for (const { findings, evidence } of failed) {
    t.equal(findings[0]?.where, '/result')
    t.equal(evidence.at(-1)?.form, undefined)
  }
})

t.test('without answers to batches, calls are judged alone', async (t) => {
  const refusal = { body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"No batches"}}' }
  const { failed } = await run(t, (call) => (call.got.body.startsWith('[') ? refusal : library()(call)))
  t.same(failed, [])
})

t.test('a case that derived calls fill sends these, or its own calls if there are too few', async (t) => {
  const filledCase = (times: number): Scenario => ({
    ...(derived[0] as Scenario),
    id: 'batch/full',
    group: 'batch',
    origin: 'file',
    steps: [
      {
        ...(derived[0]?.steps[0] as Extract<Scenario['steps'][number], { kind: 'call' }>),
        kind: 'batch',
        items: [{ method: 'newest', params: [], id: undefined, times }],
        share: false,
        isFilled: true,
        expect: { body: { $length: times } },
      },
    ],
  })
  for (const [times, requests] of [
    [30, 40],
    [40, 40],
    [41, 81],
  ] as const) {
    const { report, failed } = await run(t, library(), withForms(contract, [filledCase(times), ...derived]))
    t.same(failed, [])
    t.equal(report.requests.billed, requests + 2, `${times} items`)
  }
})

t.test('batches that get no answer are one finding, and do not end the run', async (t) => {
  const { failed, report } = await run(t, (call) =>
    call.got.body.startsWith('[') ? 'reset' : library()(call),
  )
  t.match(
    failed.map(({ findings, cause }) => [findings[0]?.got, cause]),
    [[/^no answer as item \d of a batch of 3.*; further calls are sent alone$/, /^no answer in a batch/]],
  )
  t.equal(report.counts.pass, derived.length, 'and the case of a file')
})

t.test('a call whose method is not batchable is never put into a batch', async (t) => {
  const single = parseContract(
    JSON.stringify({
      ...libraryContract,
      methods: libraryContract.methods.map((method) => ({ ...method, 'x-batchable': false })),
    }),
  )
  const { failed, deployment } = await run(t, library(), withForms(single, derived))
  t.same(failed, [])
  t.same(
    deployment.requests.filter(({ body }) => body.startsWith('[')),
    [],
  )
})
