import {
  contractTerms,
  createRedactor,
  createSender,
  createTarget,
  exploredScenarios,
  type IsPossible,
  judgeMutations,
  type MutationCounts,
  runConformance,
} from '../../judge/index.js'
import type { Report } from '../../judge/report/index.js'
import { exploredCases } from '../../toolkit/cases/index.js'
import { areDisjoint, type Contract } from '../../toolkit/contract/index.js'
import { createMock } from '../../toolkit/mock/index.js'
import { tableLines } from '../../toolkit/report-formats/index.js'
import { createValues, unlessNone } from '../../toolkit/values/index.js'
import { conformDefaults } from '../conform/conform-options.js'
import { loadSuite, type Suite } from '../conform/conform-suite.js'
import { type CommandIo, UsageError } from '../io.js'
import { loadMethods } from '../mock/mock-methods.js'

/** Options of `concordat selftest --generated`. */
export interface GeneratedOptions {
  readonly document: string | undefined
  /** Number of generated calls. */
  readonly calls: number
  readonly seed: number
  readonly json: boolean
}

/** Required shares of mutations. */
const required = { reached: 0.8, caught: 0.99 } as const

/** Number of mocks that share the calls. Each has its own seed, so that a method without parameters has several results. */
const mocks = 4

/**
 * Tests generated calls with faults, for any contract: serves it as a mock, sends generated calls, and changes
 * the results as faulty services would.
 * @returns 0 if enough mutations were reached and caught, otherwise 1
 * @throws UsageError when the document is invalid or its mock fails
 */
export async function selftestGenerated(options: GeneratedOptions, io: CommandIo): Promise<number> {
  const suite = await loadSuite({ document: options.document })
  const methods = await loadMethods(suite.contract)
  const contract = withValidExamples(suite.contract, methods)
  const reports: Report[] = []
  for (let at = 0; at < mocks; at++) {
    const calls = Math.ceil((options.calls * (at + 1)) / mocks) - Math.ceil((options.calls * at) / mocks)
    if (calls > 0) reports.push(await explore({ ...suite, contract }, methods, calls, options.seed + at))
  }
  // A method without possible values has a case that did not run.
  const cases = reports.flatMap((report) => report.cases).filter(({ verdict }) => verdict !== 'not-run')
  const isUsable = ({ verdict }: Report['cases'][number]) => verdict === 'pass'
  const usable = cases.filter(isUsable)
  if (cases.length === 0) throw new UsageError('the contract has no method whose result can be generated')
  if (usable.length === 0) throw new UsageError('no generated call passed on the mock of the contract')
  const { kinds: counts, impossible } = await judgeMutations({
    contract,
    reports: reports.map((report) => ({ ...report, cases: report.cases.filter(isUsable) })),
    accepts: (method, result) => methods[method]?.validateResult(result).length === 0,
    isPossible: possible(contract),
  })
  const sum = (number: (one: MutationCounts) => number) =>
    counts.reduce((total, one) => total + number(one), 0)
  const reached = share(
    sum((one) => one.reached),
    sum((one) => one.applied),
  )
  const caught = share(
    sum((one) => one.forbidden.caught),
    sum((one) => one.forbidden.reached),
  )
  const failed = cases.length - usable.length
  io.out(
    options.json
      ? JSON.stringify(
          { seed: options.seed, cases: cases.length, failed, reached, caught, kinds: counts, impossible },
          null,
          2,
        )
      : tableOf({ counts, reached, caught, failed, impossible }).join('\n'),
  )
  return reached >= required.reached && caught >= required.caught ? 0 : 1
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole
}

type Methods = Awaited<ReturnType<typeof loadMethods>>

/** Removes the examples whose results violate their schemas, because the mock would return these results. */
function withValidExamples(contract: Contract, methods: Methods): Contract {
  return {
    ...contract,
    methods: contract.methods.map((method) => ({
      ...method,
      examples: method.examples.filter(
        ({ result }) =>
          result === undefined || methods[method.name]?.validateResult(result.value).length === 0,
      ),
    })),
  }
}

/** Creates a predicate that is true if a generated value can fit one schema and none of the others. */
function possible(contract: Contract): IsPossible {
  const values = createValues(contract)
  return (located, others = []) => {
    const none = areDisjoint(contract, [located, ...others]) ? [] : others
    return unlessNone(() => values.valid([located], none)) !== undefined
  }
}

/** Runs generated calls against the mock of a contract. */
async function explore(
  { contract, checks, sha256, tool }: Suite,
  methods: Methods,
  calls: number,
  seed: number,
): Promise<Report> {
  const mock = createMock({ contract, methods, seed: String(seed), onError: () => undefined })
  const server = await mock.listen({ port: 0, host: '127.0.0.1' })
  const { networks } = contractTerms(contract)
  const target = createTarget({ url: server.url, network: Object.keys(networks)[0], networks, paths: [] })
  const { concurrency, maximumBytes, timeoutSeconds } = conformDefaults
  const bounds = { budget: undefined, perSecond: undefined, concurrency }
  const allowed = new Set(['read', 'write'] as const)
  const sender = createSender({
    ...{
      ...bounds,
      maximumBytes,
      headers: {},
      allow: allowed,
      effects: checks.effects,
      methods: checks.methods,
    },
    timeoutMilliseconds: timeoutSeconds * 1000,
    assumeRead: () => true,
  })
  const scenarios = exploredScenarios(exploredCases(contract, { calls, seed, mayCall: () => true }))
  try {
    return await runConformance({
      ...{
        tool,
        contract,
        contractSha256: sha256,
        scenarios,
        fixtures: [],
        catalogue: [],
        known: [],
        target,
        sender,
      },
      ...{
        headers: {},
        checks,
        functions: {},
        redactor: createRedactor([]),
        variables: new Map(),
        facts: new Set(),
      },
      mode: { ...bounds, allowed },
      profile: new Map(),
      onFound: undefined,
      onProgress: undefined,
      signal: undefined,
    })
  } finally {
    sender.close()
    await server.close()
  }
}

/** Maximum number of places in the table that no call reached. */
const unreachedMost = 10

/** What the table shows. */
interface Outcome {
  readonly counts: readonly MutationCounts[]
  readonly reached: number
  readonly caught: number
  readonly failed: number
  readonly impossible: readonly string[]
}

function tableOf({ counts, reached, caught, failed, impossible }: Outcome): readonly string[] {
  const rows = counts.map(({ kind, applied, reached, forbidden, allowed }) => [
    kind,
    ...[applied, reached].map(String),
    `${forbidden.caught} of ${forbidden.reached}`,
    `${allowed.caught} of ${allowed.reached}`,
    `${allowed.caught - allowed.byLaws} of ${allowed.reached}`,
  ])
  const table = [
    ['mutation', 'applied', 'reached', 'forbidden: caught', 'allowed: caught', 'without laws'],
    ...rows,
  ]
  const places = (word: 'missed' | 'unreached', most: number) => {
    const all = counts.flatMap((one) => one[word].map((place) => `  ${word}: ${one.kind} at ${place}`))
    const others = all.length - most
    return others > 0 ? [...all.slice(0, most), `  ${word}: ${others} more (--json lists all)`] : all
  }
  return [
    ...tableLines(table, { indent: 2, right: [1, 2, 3, 4, 5] }),
    ...places('missed', Number.POSITIVE_INFINITY),
    ...places('unreached', unreachedMost),
    `  ${percent(reached)} of all mutations reached (${percent(required.reached)} required), ${percent(caught)} of the forbidden ones caught (${percent(required.caught)} required)`,
    ...impossible.map((place) => `  left out: no value fits ${place}`),
    ...(failed > 0 ? [`  ${failed} generated cases did not pass on the mock and were left out`] : []),
  ]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
