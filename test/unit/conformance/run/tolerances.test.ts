import t, { type Test } from 'tap'
import { loadScenarios, verifyReport } from '../../../../src/conformance/index.js'
import { parseContract } from '../../../../src/contract/index.js'
import { type Behaviour, startCountingService } from '../traffic/counting-service.js'
import { runSuite, scenarioFolder } from './run-suite.js'

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
