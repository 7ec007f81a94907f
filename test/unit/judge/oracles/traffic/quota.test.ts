import t from 'tap'
import { loadScenarios, readReport, verifyReport } from '../../../../../src/judge/index.js'
import { jsonReport } from '../../../../../src/judge/report/json-report.js'
import { parseContract } from '../../../../../src/toolkit/contract/index.js'
import { runSuite, scenarioFolder } from '../../run/run-suite.js'
import { type Behaviour, startCountingService } from './counting-service.js'

const contract = {
  openrpc: '1.3.2',
  info: { title: 'Counter', version: '1' },
  methods: [
    {
      name: 'seven',
      'x-effect': 'read',
      params: [],
      result: { name: 'seven', schema: { type: 'integer' } },
    },
  ],
}

const header = (name: string, pattern: string, rest: string) => `
invariant: The limit is counted.
header: { name: ${name}, pattern: '${pattern}', by: '^("[a-z]+")', ${rest} }
`

/** 48 single calls and 12 batches of two to four calls, in cases of five requests. */
const cases = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `calls/case-${at}.yaml`,
    `
scenario: Five requests are answered.
steps:
${'  - call: seven\n    expect: { result: 7 }\n'.repeat(4)}
  - batch: [{ call: seven, times: ${2 + (at % 3)} }]
    expect: { body: { $each: { $has: { result: 7 } } } }
`,
  ]),
)

const files = {
  ...cases,
  'invariants/falls.yaml': header(
    'RateLimit',
    String.raw`;r=(\d+);`,
    String.raw`is: falls, reset: ';t=(\d+)$'`,
  ),
  'invariants/limit.yaml': header('RateLimit-Policy', '(q=.*)$', 'is: steady'),
  'invariants/reset.yaml': header('RateLimit', String.raw`;t=(\d+)$`, 'is: seconds-to-reset, window: 86400'),
}

/** Verdicts of the invariants for a service, with and without concurrent requests. */
async function verdictsOf(
  t: Parameters<typeof startCountingService>[0],
  behaviour: Behaviour,
  concurrency = 1,
) {
  const url = await startCountingService(t, behaviour)
  const report = await runSuite(t, url, files, { contract, concurrency })
  t.equal(report.cases.filter(({ group, verdict }) => group === 'calls' && verdict === 'pass').length, 12)
  const { scenarios, invariants } = await loadScenarios(await scenarioFolder(t, files), { builtIn: false })
  const options = { scenarios, invariants, functions: {}, variables: new Map() }
  const verified = await verifyReport(readReport(jsonReport(report)), {
    ...options,
    contract: parseContract(JSON.stringify(contract)),
  })
  t.same(
    verified.cases.map(({ now }) => now),
    report.cases.map(({ verdict }) => verdict),
    'verify judges the same',
  )
  return report.cases.filter(({ group }) => group === 'invariants')
}

const failed = (cases: Awaited<ReturnType<typeof verdictsOf>>) =>
  cases.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)

t.test('a correct count passes, also beside other traffic of the key', async (t) => {
  const services: readonly (readonly [string, Behaviour])[] = [
    ['alone', {}],
    ['a bystander now and then', { others: (number) => (number % 7 === 0 ? 3 : 0) }],
    ['a program that sends one request with each of ours', { others: () => 1 }],
    [
      'a program that sends two requests with nearly each of ours',
      { others: (number) => (number % 9 === 0 ? 1 : 2) },
    ],
    ['a busy bystander', { others: (number) => (number * 7919) % 5 }],
    ['a bystander beside each batch and more', { others: (number) => (number % 5 === 0 ? 1 : number % 3) }],
  ]
  for (const [name, behaviour] of services) {
    for (const concurrency of [1, 4]) {
      const cases = await verdictsOf(t, behaviour, concurrency)
      t.same(
        cases.map(({ verdict }) => verdict),
        ['pass', 'pass', 'pass'],
        `${name}, ${concurrency} at once`,
      )
      t.ok(cases.every(({ compared = 0 }) => compared >= 59))
    }
  }
})

t.test('several processes that count their shares are undecided', async (t) => {
  const [falls, limit, reset] = await verdictsOf(t, { processes: 2 })
  t.same([falls?.verdict, limit?.verdict, reset?.verdict], ['inconclusive', 'pass', 'pass'])
  t.match(falls?.reason, /at least 2 processes/)
})

t.test('wrong arithmetic fails, even if no case tests it', async (t) => {
  const rows: readonly (readonly [string, Behaviour, string])[] = [
    ['batches one too few', { charge: ({ batch }) => (batch === undefined ? 1 : batch - 1) }, 'falls'],
    ['batches one too many', { charge: ({ batch }) => (batch === undefined ? 1 : batch + 1) }, 'falls'],
    ['every request two', { charge: () => 2 }, 'falls'],
    ['everything twice', { charge: ({ batch }) => 2 * (batch ?? 1) }, 'falls'],
    [
      'one request in twenty is free',
      { charge: ({ number, batch }) => (number % 20 === 0 ? 0 : (batch ?? 1)) },
      'falls',
    ],
    [
      'one number too high',
      { stated: (counted) => (counted.number === 30 ? { ...counted, left: counted.left + 9 } : counted) },
      'falls',
    ],
    [
      'another limit now and then',
      { stated: (counted) => (counted.number % 15 === 0 ? { ...counted, limit: 20_000 } : counted) },
      'limit',
    ],
    [
      'a reset two hours off',
      { stated: (counted) => ({ ...counted, seconds: (counted.seconds + 7200) % 86_400 }) },
      'reset',
    ],
    [
      'a reset two hours off, once',
      {
        stated: (counted) =>
          counted.number === 40 ? { ...counted, seconds: counted.seconds + 7200 } : counted,
      },
      'reset',
    ],
  ]
  for (const [name, behaviour, invariant] of rows) {
    t.same(failed(await verdictsOf(t, behaviour)), [`invariants/${invariant}`], name)
  }
})

t.test('concurrent requests do not hide what is missing', async (t) => {
  const free: Behaviour = { charge: ({ batch }) => (batch === undefined ? 1 : 0) }
  t.same(failed(await verdictsOf(t, free, 4)), ['invariants/falls'])
})

t.test('a violation shows both answers and how to send them again', async (t) => {
  const charge: Behaviour['charge'] = ({ batch }) => (batch === undefined ? 1 : 0)
  const [falls] = await verdictsOf(t, { charge })
  t.match(falls?.findings[0]?.where, 'header ratelimit')
  t.match(
    falls?.findings[0]?.expected,
    /^at most \d+ left: \d+ were left before, and this run was charged at least \d+ since$/,
  )
  t.equal(falls?.evidence.length, 2)
  t.ok(
    falls?.evidence.every(({ curl, response }) => curl.startsWith('curl ') && response?.headers['ratelimit']),
  )
})
