import type { CaseResult, Report } from '../../../../src/judge/index.js'
import { completenessOf, type Evidence, type Verdict } from '../../../../src/judge/report/index.js'

/** An exchange with a reply. */
export const evidence: Evidence = {
  step: 2,
  request: { verb: 'POST', url: 'http://x/•••••', headers: {}, body: '{"id":84}', altered: undefined },
  response: { status: 200, headers: {}, body: '{"result":[]}', altered: undefined },
  trouble: undefined,
  omitted: undefined,
  milliseconds: 12,
  curl: `curl -s "$RPC_URL" -d '{"id":84}'`,
}

/** A case with a verdict. */
export const result = (id: string, verdict: Verdict, more: Partial<CaseResult> = {}): CaseResult => ({
  id,
  group: id.split('/')[0] ?? '',
  scenario: `The case ${id} holds.`,
  rules: [],
  effect: 'read',
  verdict,
  reason: undefined,
  cause: undefined,
  findings: [],
  evidence: [],
  ids: [],
  head: undefined,
  billed: 1,
  milliseconds: 5,
  ...more,
})

const head = { number: '0x6e1443', hash: '0x9ab1cdef0123' }

/** A case that failed by its rule. */
export const failure: Partial<CaseResult> = {
  rules: ['logs.block-hash-excludes-range', 'logs.other'],
  cause: 'one cause',
  findings: [
    { where: '/error/code', expected: '-32602', got: 'result an empty list' },
    { where: '/id', expected: '84', got: '85' },
  ],
  evidence: [{ ...evidence, step: 1 }, evidence],
  head: { before: head, after: head },
}

/** A report of some cases. */
export function report(cases: readonly CaseResult[], more: Partial<Report> = {}): Report {
  const counts = (verdict: Verdict) => cases.filter((found) => found.verdict === verdict).length
  return {
    schema: 'concordat-conformance-report/2',
    tool: { name: 'concordat', version: '1.0.0' },
    contract: { title: 'Node access service', version: '1.0.0', sha256: '5d1c0123456789abcdef' },
    target: { url: 'https://rpc.example.net/•••••-T', network: 'test', head },
    mode: { allowed: ['read'], budget: 1000, perSecond: 10, concurrency: 4 },
    started: '2027-01-31T02:00:00.000Z',
    milliseconds: 40_100,
    requests: { http: 380, billed: 391, writes: 0, heldBack: 0, limited: 0, unanswered: 0 },
    completeness: completenessOf({ cases }),
    counts: {
      pass: counts('pass'),
      tolerated: counts('tolerated'),
      fail: counts('fail'),
      'no-answer': counts('no-answer'),
      'gave-up': counts('gave-up'),
      'known-fail': counts('known-fail'),
      stale: counts('stale'),
      inconclusive: counts('inconclusive'),
      'not-applicable': counts('not-applicable'),
      'not-run': counts('not-run'),
      'harness-error': counts('harness-error'),
    },
    cases,
    rules: [
      {
        id: 'logs.block-hash-excludes-range',
        text: '`blockHash` excludes `fromBlock`.',
        section: '4.1 rule 1',
        level: 'mandatory',
        pointer: '#/info/x-rules/77',
        cases: [{ id: 'logs/a', verdict: 'fail' }],
      },
      {
        id: 'quota.spent',
        text: 'x',
        section: '8',
        level: 'mandatory',
        pointer: '#/info/x-rules/1',
        cases: [{ id: 'quota/a', verdict: 'not-run' }],
      },
      { id: 'no.case', text: 'x', section: '8', level: 'mandatory', pointer: '#/info/x-rules/2', cases: [] },
    ],
    elements: [
      {
        kind: 'method',
        id: 'eth_getLogs',
        pointer: '#/methods/20',
        cases: [{ id: 'logs/a', verdict: 'fail' }],
      },
      { kind: 'parameter', id: 'eth_getLogs filter', pointer: '#/methods/20/params/0', cases: [] },
      { kind: 'error', id: '-32602 Invalid params', pointer: '#/components/errors/invalidParams', cases: [] },
    ],
    fixtures: {},
    ...more,
  }
}
