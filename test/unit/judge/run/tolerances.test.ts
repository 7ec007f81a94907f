import t, { type Test } from 'tap'
import { loadScenarios, verifyReport } from '../../../../src/judge/index.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'
import { type Behaviour, startCountingService } from '../oracles/traffic/counting-service.js'
import { type Files, runSuite, scenarioFolder } from './run-suite.js'

const contract = {
  openrpc: '1.3.2',
  info: {
    title: 'Counter',
    version: '1',
    'x-rules': ['charge.batch', 'charge.single'].map((id) => ({
      ...{ id, section: '1', level: 'mandatory', scope: 'service' },
      text: 'Each call is charged one.',
    })),
  },
  methods: [
    {
      name: 'seven',
      'x-effect': 'read',
      params: [],
      result: { name: 'seven', schema: { type: 'integer' } },
    },
  ],
}

const counted = (step: string, charge: number, dependsOn: string) => `
  - call: seven
    capture-header: { left: { name: RateLimit, pattern: ';r=(\\d+);' } }
  - ${step}
    expect: { headers: { RateLimit: { $pattern: ';r=\${left - ${charge}};' } } }
    tolerate:
      - expect: { headers: { RateLimit: { $pattern: ';r=\\d+;', $not: { $pattern: ';r=\${left};' } } } }
        reason: Others also make requests.
        depends-on: ${dependsOn}`

/** Three cases about batches of different sizes, and three about single calls, which state two numbers each. */
const filesOf = (dependsOn: string) => ({
  ...Object.fromEntries(
    [2, 3, 4].map((size) => [
      `batch/of-${size}.yaml`,
      `scenario: A batch is charged its size.\nrule: charge.batch\nsteps:${counted(`batch: [{ call: seven, times: ${size} }]`, size, dependsOn)}`,
    ]),
  ),
  ...Object.fromEntries(
    [1, 2, 3].map((at) => [
      `single/case-${at}.yaml`,
      `scenario: A call is charged one.\nrule: charge.single\nsteps:${counted('call: seven', 1, dependsOn).repeat(2)}`,
    ]),
  ),
})

async function verdictsOf(t: Test, behaviour: Behaviour, dependsOn = 'traffic') {
  const files = filesOf(dependsOn)
  const report = await runSuite(t, await startCountingService(t, behaviour), files, { contract })
  const { scenarios } = await loadScenarios(await scenarioFolder(t, files), { builtIn: false })
  const options = { contract: parseContract(JSON.stringify(contract)), scenarios, functions: {} }
  const verified = await verifyReport(report, { ...options, variables: new Map() })
  t.same(
    verified.cases.map(({ now }) => now),
    report.cases.map(({ verdict }) => verdict),
    'verify judges the same',
  )
  return report.cases
}

const one = ({ batch = 1 }: { readonly batch: number | undefined }) => batch

t.test('a constant deviation of one rule is no traffic', async (t) => {
  const [first, ...others] = await verdictsOf(t, {
    charge: (counted) => one(counted) + (counted.batch === undefined ? 0 : 1),
  })
  t.match(first, {
    id: 'batch/of-2',
    verdict: 'fail',
    findings: [
      {
        where: 'step 2',
        expected: 'no deviation, or one that varies, because it is tolerated for requests of others',
        got: 'header RateLimit -1, in all 3 answers about this rule, and in none about others',
      },
    ],
  })
  t.same(
    others.map(({ verdict }) => verdict),
    ['fail', 'fail', 'pass', 'pass', 'pass'],
  )
})

t.test('other requests of the key are tolerated', async (t) => {
  const programs: readonly (readonly [string, (number: number) => number])[] = [
    ['one request with each of ours', () => 1],
    ['two requests with each of ours', () => 2],
    ['now and then', (number) => (number % 4 === 0 ? 1 : 0)],
    ['once', (number) => (number === 2 ? 1 : 0)],
    ['irregular', (number) => (number * 7919) % 5],
    ['during the batches only, irregular', (number) => (number <= 6 ? (number * 7919) % 4 : 0)],
  ]
  for (const [name, others] of programs) {
    const cases = await verdictsOf(t, { others })
    t.same(
      cases.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'tolerated'),
      [],
      name,
    )
  }
})

t.test('a deviation that depends on the implementation may be constant', async (t) => {
  const charge: Behaviour['charge'] = (counted) => one(counted) + (counted.batch === undefined ? 0 : 1)
  const cases = await verdictsOf(t, { charge }, 'implementation')
  t.same(
    cases.map(({ verdict }) => verdict),
    ['tolerated', 'tolerated', 'tolerated', 'pass', 'pass', 'pass'],
  )
})

t.test('a healthy count passes', async (t) => {
  t.ok((await verdictsOf(t, {})).every(({ verdict }) => verdict === 'pass'))
})

/** A case whose numbers are suspect if a batch was charged one too many, and one that can show other requests. */
const suspicious = {
  'batch/exact.yaml': `scenario: A batch is charged its size, and not one more.
rule: charge.batch
steps:
  - call: seven
    capture-header: { left: { name: RateLimit, pattern: ';r=(\\d+);' } }${[2, 3]
      .map(
        (size) => `
  - batch: [{ call: seven, times: ${size} }]
    expect: { headers: { RateLimit: { $pattern: ';r=\${left - ${size}};' } } }
    tolerate:
      - expect: { headers: { RateLimit: { $pattern: ';r=\\d+;', $not: { $pattern: ';r=\${left};' } } } }
        suspect: { headers: { RateLimit: { $pattern: ';r=\${left - ${size + 1}};' } } }
        reason: Others also make requests.
        depends-on: traffic
    capture-header: { left: { name: RateLimit, pattern: ';r=(\\d+);' } }`,
      )
      .join('')}`,
  'single/one.yaml': filesOf('traffic')['single/case-1.yaml'] ?? '',
}

async function suspiciousVerdicts(t: Test, behaviour: Behaviour, invariants: Files = {}) {
  const url = await startCountingService(t, behaviour)
  const { cases } = await runSuite(t, url, { ...suspicious, ...invariants }, { contract, concurrency: 1 })
  return cases.slice(0, 2).map(({ verdict, reason }) => (verdict === 'fail' ? reason : verdict))
}

t.test('the deviation of a mistake needs another sign of its cause', async (t) => {
  const charge: Behaviour['charge'] = (counted) => one(counted) + (counted.batch === undefined ? 0 : 1)
  const [wrong, ...others] = await suspiciousVerdicts(t, { charge })
  t.match(
    wrong,
    /^step 2: expected no deviation.*got header RateLimit -1, as in each such answer of this case \(2\), and in none about other rules$/,
  )
  t.same(others, ['pass'])
  const irregular = { charge, others: (number: number) => (number === 5 ? 1 : 0) }
  t.same(await suspiciousVerdicts(t, irregular), ['tolerated', 'tolerated'], 'another answer deviates')
  t.same(await suspiciousVerdicts(t, {}), ['pass', 'pass'])
})

t.test('other requests in one gap between the answers of a case are tolerated', async (t) => {
  for (const gap of [2, 3, 5, 7]) {
    for (const requests of [1, 2, 3]) {
      const others = (number: number) => (number === gap ? requests : 0)
      const verdicts = await suspiciousVerdicts(t, { others })
      t.same(verdicts.toSorted(), ['pass', 'tolerated'], `${requests} before request ${gap}`)
    }
  }
})

t.test('the remaining requests between cases show other programs', async (t) => {
  const falls = `invariant: Each request decreases the remaining requests.
header: { name: RateLimit, pattern: '^"[a-z]+";r=(\\d+);t=\\d+$', by: '^("[a-z]+")', is: falls, reset: ';t=(\\d+)$' }`
  const seldom = (numbers: readonly number[]) => ({
    others: (number: number) => (numbers.includes(number) ? 1 : 0),
  })
  const invariants = { 'invariants/falls.yaml': falls }
  // Requests 2 and 3 are the batches. Request 4 begins the next case, so no step judges what falls before it.
  t.same(await suspiciousVerdicts(t, seldom([2, 3, 4]), invariants), ['tolerated', 'pass'])
  t.match(await suspiciousVerdicts(t, seldom([2, 3]), invariants), [/^step 2: /, 'pass'])
})
