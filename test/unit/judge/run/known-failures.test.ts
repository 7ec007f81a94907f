import t from 'tap'
import { type CaseResult, readKnownFailures } from '../../../../src/judge/index.js'
import type { Verdict } from '../../../../src/judge/report/index.js'
import { applyKnownFailures } from '../../../../src/judge/run/plan/known-failures.js'

const entry = (id: string, expires = '2030-01-31') => `
- case: ${id}
  reason: the node is old
  owner: ada@example.com
  expires: ${expires}
`

t.test('a list of known failures is read with the line of each entry', async (t) => {
  const known = readKnownFailures(
    `# of the staging service${entry('logs/*')}${entry('blocks/one')}`,
    'known.yaml',
  )
  t.same(known, [
    {
      case: 'logs/*',
      reason: 'the node is old',
      owner: 'ada@example.com',
      expires: '2030-01-31',
      source: { file: 'known.yaml', line: 2 },
    },
    {
      case: 'blocks/one',
      reason: 'the node is old',
      owner: 'ada@example.com',
      expires: '2030-01-31',
      source: { file: 'known.yaml', line: 7 },
    },
  ])
  t.same(readKnownFailures('[]', 'none.yaml'), [])
})

t.test('cases that fail for one reason share an entry, each with its own line', async (t) => {
  const list = entry('x').replace('case: x', 'case:\n    - logs/one\n    - blocks/*')
  const told = { reason: 'the node is old', owner: 'ada@example.com', expires: '2030-01-31' }
  t.same(readKnownFailures(list, 'known.yaml'), [
    { case: 'logs/one', ...told, source: { file: 'known.yaml', line: 3 } },
    { case: 'blocks/*', ...told, source: { file: 'known.yaml', line: 4 } },
  ])
})

const mistakes: readonly (readonly [string, string, RegExp])[] = [
  ['no list', 'case: a', /^known\.yaml:1:1: expected a list of known failures/],
  ['nothing', '', /^known\.yaml:1:1: expected a list/],
  ['broken YAML', '- case: [', /^known\.yaml:1:\d+: \w/],
  [
    'an entry that is a string',
    '- logs/*',
    /^known\.yaml:1:3: a known failure has case, reason, owner, expires$/,
  ],
  [
    'an extra member',
    `${entry('a')}  ticket: 12`,
    /^known\.yaml:6:3: "ticket" is not a member of a known failure/,
  ],
  ['a missing member', entry('a').replace(/ {2}owner.*\n/, ''), /^known\.yaml:2:3: owner is missing$/],
  [
    'an empty reason',
    entry('a').replace('the node is old', "''"),
    /^known\.yaml:3:11: reason must be a string$/,
  ],
  ['an invalid date', entry('a', '2030-02-31'), /^known\.yaml:5:12: expires must be a date such as/],
  ['a date in another format', entry('a', '31 January'), /^known\.yaml:5:12: expires must be a date such as/],
  ['an empty list of cases', entry('[]'), /^known\.yaml:2:9: case must be a string, or a list of strings$/],
  ['a case that is not a string', entry('[a, 7]'), /^known\.yaml:2:13: a case must be a string$/],
  ['a duplicate case in one entry', entry('[a, a]'), /^known\.yaml:2:13: "a" is already in line 2$/],
  ['a duplicate case', entry('a') + entry('a'), /^known\.yaml:7:3: "a" is already in line 2$/],
]

for (const [name, text, message] of mistakes) {
  t.test(`a list with ${name} is refused with file, line and column`, async (t) => {
    t.throws(() => readKnownFailures(text, 'known.yaml'), { name: 'ScenarioError', message })
  })
}

const result = (id: string, verdict: Verdict, reason?: string): CaseResult => ({
  id,
  group: 'g',
  scenario: 'It holds.',
  rules: [],
  effect: 'read',
  verdict,
  reason,
  cause: undefined,
  findings: [],
  evidence: [],
  ids: [],
  head: undefined,
  billed: 1,
  milliseconds: 1,
})

const today = '2027-06-30'
const verdicts = (cases: readonly CaseResult[], list: string, catalogue = cases.map(({ id }) => id)) =>
  applyKnownFailures(cases, readKnownFailures(list, 'known.yaml'), catalogue, today).map(
    ({ id, verdict, reason }) => [id, verdict, reason] as const,
  )

t.test('a known failure is reported with its reason, owner and date', async (t) => {
  t.same(verdicts([result('a/b', 'fail', 'step 1: x'), result('c', 'fail', 'y')], entry('a/*')), [
    ['a/b', 'known-fail', 'the node is old (known to ada@example.com until 2030-01-31)'],
    ['c', 'fail', 'y'],
  ])
})

t.test('a case without an answer may be known, and keeps its verdict after the entry expires', async (t) => {
  t.equal(verdicts([result('a', 'no-answer', 'x')], entry('a'))[0]?.[1], 'known-fail')
  const [expired] = applyKnownFailures(
    [result('a', 'no-answer', 'x')],
    readKnownFailures(entry('a', '2027-06-29'), 'known.yaml'),
    ['a'],
    today,
  )
  t.match(expired, {
    verdict: 'no-answer',
    expired: 'known to ada@example.com until 2027-06-29, now expired: the node is old',
  })
  const both = [result('a/b', 'pass'), result('a/c', 'no-answer')]
  t.equal(verdicts(both, entry('a/*'))[0]?.[1], 'pass', 'another case of the pattern still fails')
})

t.test('a known failure is valid through its last day and fails afterwards', async (t) => {
  t.equal(verdicts([result('a', 'fail')], entry('a', today))[0]?.[1], 'known-fail')
  t.match(verdicts([result('a', 'fail', 'step 1: x')], entry('a', '2027-06-29'))[0], [
    'a',
    'fail',
    'step 1: x; known to ada@example.com until 2027-06-29, now expired: the node is old',
  ])
})

t.test('a pattern is stale only if all of its cases were selected', (t) => {
  t.match(verdicts([result('a/b', 'pass')], entry('a/*'), ['a/b', 'c'])[0], ['a/b', 'stale'])
  t.match(verdicts([result('a/b', 'pass')], entry('a/*'), ['a/b', 'a/c'])[0], ['a/b', 'pass'])
  t.match(verdicts([result('a/b', 'pass')], entry('a/b'), ['a/b', 'a/c'])[0], ['a/b', 'stale'])
  t.end()
})

t.test('a known failure that passes is stale, unless another case of its pattern still fails', async (t) => {
  t.match(verdicts([result('a/b', 'pass')], entry('a/*'))[0], [
    'a/b',
    'stale',
    'it passes now: remove the known failure in known.yaml:2 ("the node is old")',
  ])
  t.equal(verdicts([result('a/b', 'tolerated', 'x')], entry('a/b'))[0]?.[1], 'stale')
  t.same(
    verdicts([result('a/b', 'pass'), result('a/c', 'fail')], entry('a/*')).map(([, verdict]) => verdict),
    ['pass', 'known-fail'],
  )
})

t.test('a case that did not run does not affect its known failure', async (t) => {
  for (const verdict of ['not-run', 'not-applicable', 'inconclusive', 'harness-error'] as const) {
    t.equal(verdicts([result('a', verdict, 'why')], entry('a'))[0]?.[1], verdict)
  }
})

t.test('an entry without a matching case is stale, except when the case was not selected', async (t) => {
  t.match(verdicts([result('a', 'pass')], entry('z/*'))[1], [
    'z/*',
    'stale',
    'unknown case "z/*": correct or remove known.yaml:2',
  ])
  t.equal(verdicts([result('a', 'pass')], entry('z/*'), ['a', 'z/y']).length, 1)
})

t.test('an entry with a cause matches only failures with it', async (t) => {
  const failed = (id: string, cause: string): CaseResult => ({ ...result(id, 'fail'), cause })
  const cases = [
    failed('a/b', 'result /a: must be text, got #'),
    failed('a/c', 'result /b: must be text, got #'),
  ]
  const listed = (cause: string) => `${entry('a/*')}  cause: '${cause}'\n`
  const words = (list: string) => verdicts(cases, list).map(([, verdict]) => verdict)
  t.same(words(listed('result /a: *')), ['known-fail', 'fail'])
  t.same(words(listed('result /a: *') + listed('result /b: *')), ['known-fail', 'known-fail'])
  t.same(words(listed('result /c: *')), ['fail', 'fail'])
  t.same(
    verdicts([...cases, result('a/d', 'pass')], listed('result /c: *')).map(([, verdict]) => verdict),
    ['fail', 'fail', 'stale'],
    'nothing fails for the cause any more',
  )
  t.throws(() => readKnownFailures(listed('x') + listed('x'), 'known.yaml'), /"a\/\*" is already in line 2/)
})

t.test('an entry of generated cases is never stale, because each seed sends other calls', async (t) => {
  const list = entry('explored/*')
  t.same(verdicts([result('a', 'pass')], list), [['a', 'pass', undefined]], 'without generated cases')
  t.equal(verdicts([result('explored/m/1-1', 'pass')], list)[0]?.[1], 'pass')
  t.equal(verdicts([result('explored/m/1-1', 'fail')], list)[0]?.[1], 'known-fail')
})
