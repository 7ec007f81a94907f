import t from 'tap'
import { duration, grouped, type Report, terminalReport } from '../../../../src/judge/index.js'
import { headNumber } from '../../../../src/judge/report/index.js'
import { jsonReport } from '../../../../src/judge/report/json-report.js'
import { evidence, failure, report, result } from './sample-report.js'

const text = (given: Report, colours = false) =>
  terminalReport(given, {
    colours,
    again: ({ id }) => `npx concordat conform "$RPC_URL" --replay ${id}`,
  }).join('\n')

t.test(
  'a failed run shows the rule in words, the expectation, the reply, the head and how to repeat the case',
  async (t) => {
    const cases = [
      result('envelope/a', 'pass'),
      result('envelope/b', 'tolerated', { reason: 'viem leaves it out' }),
      result('logs/a', 'fail', failure),
      result('logs/b', 'pass'),
      result('logs/c', 'fail', failure),
      result('quota/a', 'not-run', { reason: 'it spends the quota: --allow spends-quota' }),
    ]
    t.equal(
      text(report(cases)),
      `
  Not tested: 2 of 3 rules (quota.spent, no.case)
  Completeness: 5 of 6 cases judged; 1 left out by options

  Contract   Node access service 1.0.0         sha256 5d1c01234567…
  Target     https://rpc.example.net/•••••-T   network test, head 7,214,147 (0x9ab1cdef…)
  Mode       safe: read-only methods, budget 1,000 requests, 10 a second

  envelope  ████████████████  1 passed, 1 tolerated
  logs      █████░░░░░░░░░░░  1 passed, 2 failed
  quota     ░░░░░░░░░░░░░░░░  1 not run

  ✗ logs.block-hash-excludes-range
    cases     2 cases with this cause: logs/a, logs/c
    example   The case logs/a holds.
    rule      logs.block-hash-excludes-range (section 4.1 rule 1, #/info/x-rules/77)
              \`blockHash\` excludes \`fromBlock\`.
    and       logs.other
    step      2, HTTP 200 in 12 ms
    expected  /error/code  -32602
    got       result an empty list
    also      /id: 84, got 85
    head      7,214,147 → 7,214,147
    $ curl -s "$RPC_URL" -d '{"id":84}'
    again     npx concordat conform "$RPC_URL" --replay logs/a

  1 tolerated          viem leaves it out  (envelope/b)
  1 not run            it spends the quota: --allow spends-quota  (quota/a)

  2 passed, 1 tolerated, 2 failed, 1 not run        391 of 1,000 requests, 0 writes, 40 s
  Rules covered: 1 of 3 (1 only by cases that did not run, 1 without a case in this run)
  Covered too: methods 1 of 1, parameters 0 of 1, errors 0 of 1
`,
    )
  },
)

t.test('on a terminal only lines for copying exceed its width', async (t) => {
  const many = [
    result('logs/a', 'fail', failure),
    ...(
      ['pass', 'tolerated', 'stale', 'known-fail', 'inconclusive', 'not-applicable', 'not-run'] as const
    ).map((verdict) =>
      result(`logs/${verdict}`, verdict, { reason: 'for a reason of several words '.repeat(5) }),
    ),
  ]
  const given = report(many, {
    mode: { allowed: ['read', 'write', 'spends-quota'], budget: 1000, perSecond: 10, concurrency: 4 },
  })
  for (const columns of [60, 80]) {
    const lines = terminalReport(given, { colours: false, again: ({ id }) => `again ${id}`, columns })
    const long = lines.flatMap((line) => line.split('\n')).filter((line) => line.length > columns)
    t.same(long, [], `${columns} columns`)
    t.match(
      lines.join('\n'),
      /^ {2}logs {2}\S+ {2}1 passed, .*\n {26}\S/m,
      'long verdicts continue on the next line',
    )
  }
})

t.test('a successful run is short', async (t) => {
  const given = report([result('a/b', 'pass')], {
    rules: [],
    elements: [],
    target: { url: 'http://127.0.0.1:1/•••••', network: undefined, head: undefined },
    mode: { allowed: ['read', 'write'], budget: null, perSecond: null, concurrency: 4 },
    requests: { http: 1, billed: 1, writes: 1, heldBack: 2, limited: 1, unanswered: 3 },
    milliseconds: 312,
  })
  t.equal(
    text(given),
    `
  Not tested: nothing that the contract states
  Completeness: 1 of 1 case judged

  Contract   Node access service 1.0.0   sha256 5d1c01234567…
  Target     http://127.0.0.1:1/•••••    head unknown
  Mode       allowed: read, write, no budget, as fast as it answers

  a  ████████████████  1 passed

  1 passed        1 request, 1 write, 2 held back, limited 1 time, 3 without an answer, 312 ms
`,
  )
})

t.test('reasons of other verdicts appear once each, defects first', async (t) => {
  const many = Array.from({ length: 5 }, (_, index) =>
    result(`x/${index}`, 'not-applicable', { reason: 'no key' }),
  )
  const lines = text(
    report([
      ...many,
      result('a/k', 'known-fail', { reason: 'told before' }),
      result('a/i', 'inconclusive', { reason: 'the head moved' }),
      result('a/s', 'stale', { reason: 'it passes now' }),
      result('a/h', 'harness-error', { reason: 'a defect' }),
    ]),
  )
  const order = ['a defect', 'it passes now', 'the head moved', 'told before', 'no key'].map((reason) =>
    lines.indexOf(reason),
  )
  t.same(
    order,
    [...order].sort((a, b) => a - b),
  )
  t.notOk(order.includes(-1))
  t.match(lines, '5 not applicable     no key  (x/0, x/1, x/2, …)')
})

t.test(
  'a failure without an answer says so, findings and cases are counted, and long lines are truncated',
  async (t) => {
    const findings = Array.from({ length: 9 }, (_, index) => ({
      where: `/${index}`,
      expected: 'a',
      got: 'b',
    }))
    const curl = `curl ${'x'.repeat(5000)}`
    const silent = {
      ...evidence,
      response: undefined,
      trouble: { kind: 'timeout', message: 'no answer in time' } as const,
      curl,
    }
    const others = Array.from({ length: 9 }, (_, index) =>
      result(`b/${index}`, 'fail', { cause: 'c', findings }),
    )
    const given = text(
      report([result('b/first', 'fail', { cause: 'c', findings, evidence: [silent] }), ...others]),
    )
    t.match(given, 'step      2, no answer in 12 ms')
    t.match(given, 'and 5 more findings')
    t.match(given, '10 cases with this cause: b/first, b/0, b/1, b/2, b/3, b/4, b/5, …')
    t.match(given, 'x… (whole in the JSON report)')
    t.equal(given.split('✗').length, 2, 'each cause appears once')
  },
)

t.test('failures with one cause are titled by their common rule, or by their common problem', async (t) => {
  const finding = { where: '/result/miner', expected: 'must be an Address', got: '"0x1"' }
  const failing = (id: string, rules: readonly string[]) =>
    result(id, 'fail', { rules, cause: 'c', findings: [finding] })
  const alone = text(report([failing('a/first', ['one'])]))
  t.match(alone, /✗ a\/first\n {4}The case a\/first holds\./)
  const shared = text(report([failing('a/first', ['one', 'two']), failing('b/second', ['two', 'three'])]))
  t.match(shared, /✗ two\n {4}cases {5}2 cases with this cause: b\/second, a\/first\n/)
  t.match(shared, /example {3}The case b\/second holds\./, 'the case about the rule comes first')
  t.match(shared, /rule {6}two\n/)
  t.notMatch(shared, /\b(one|three)\b/, 'rules of single cases are not a title')
  const apart = text(report([failing('a/first', ['one']), failing('b/second', ['two'])]))
  t.match(apart, '✗ /result/miner must be an Address')
})

t.test('cases without an answer are shown with the cause', async (t) => {
  const trouble = { kind: 'timeout', message: 'No complete answer arrived within 10 s.' } as const
  const silent = { ...evidence, response: undefined, trouble }
  const more = {
    reason: 'step 2: No complete answer arrived within 10 s.',
    cause: 'no answer timeout',
    evidence: [silent],
  }
  const given = report([result('a/slow', 'no-answer', more), result('a/other', 'pass')])
  const lines = text(given)
  t.match(lines, '✗ a/slow')
  t.match(lines, 'got       step 2: No complete answer arrived within 10 s.')
  t.match(lines, '1 passed, 1 without an answer')
})

t.test('an expired known failure names its owner, also in a group', async (t) => {
  const expired = (owner: string) => `known to ${owner} until 2027-01-30, now expired: an old node`
  const given = report([
    result('a/b', 'fail', { ...failure, expired: expired('ada'), reason: `x; ${expired('ada')}` }),
    result('a/c', 'fail', { ...failure, expired: expired('bob'), reason: `x; ${expired('bob')}` }),
    result('a/d', 'fail', { ...failure, expired: expired('bob'), reason: `x; ${expired('bob')}` }),
  ])
  t.equal(text(given).match(/^ {4}known {5}known to (ada|bob) until/gm)?.length, 2)
})

t.test('colours are used on request', async (t) => {
  const red = report([result('a/b', 'fail', failure), result('c/d', 'pass')])
  t.notMatch(text(red), '\u001b')
  t.match(text(red, true), '\u001b[31m✗\u001b[0m')
})

t.test('numbers and times are formatted for people', async (t) => {
  t.same([0, 999, 1000, 1234567].map(grouped), ['0', '999', '1,000', '1,234,567'])
  t.same(['0x3e8', '1000', 'latest'].map(headNumber), ['1,000', '1,000', 'latest'])
  t.same([4, 1499, 59_400, 60_000, 61_000, 3_600_000, 9_000_000].map(duration), [
    '4 ms',
    '1 s',
    '59 s',
    '1 min',
    '1 min 1 s',
    '1 h',
    '2 h 30 min',
  ])
})

t.test('the JSON report is the whole report, with its version first', async (t) => {
  const given = report([result('logs/a', 'fail', failure)])
  const json = jsonReport(given)
  t.match(json, /^\{\n {2}"schema": "concordat-conformance-report\/2",/)
  t.ok(json.endsWith('}\n'))
  t.match(JSON.parse(json), {
    counts: { fail: 1 },
    cases: [{ id: 'logs/a', findings: [{ where: '/error/code' }, {}] }],
  })
})

t.test('very many causes and reasons are cut, and counted', async (t) => {
  const many = Array.from({ length: 157 }, (_, at) => [
    result(`a/${at}`, 'fail', { ...failure, rules: [`rule.${at}`], cause: `cause ${at}` }),
    result(`b/${at}`, 'inconclusive', { reason: `reason ${at}` }),
  ]).flat()
  const shown = text(report(many))
  t.equal(shown.match(/✗ a\//g)?.length, 20)
  t.match(shown, '\n\n  … and 137 more causes: --report json=FILE has them all\n')
  t.equal(shown.match(/1 inconclusive/g)?.length, 20)
  t.match(shown, '\n  … and 137 more reasons: --report json=FILE has them all\n')
  t.match(shown, '157 failed, 157 inconclusive')
  t.notMatch(text(report(many.slice(0, 40))), 'more causes')
})
