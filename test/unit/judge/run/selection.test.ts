import t from 'tap'
import type { Scenario } from '../../../../src/judge/index.js'
import { lawScenarios, matchesPattern, SelectionError, selectCases } from '../../../../src/judge/index.js'
import { phasesOf } from '../../../../src/judge/run/plan/phases.js'
import { parseContract } from '../../../../src/toolkit/contract/index.js'

const scenario = (id: string, more: Partial<Scenario> = {}): Scenario => ({
  id,
  group: id.split('/')[0] ?? '',
  scenario: 'It holds.',
  rules: [],
  effect: 'read',
  networks: [],
  needs: [],
  after: [],
  followsHead: false,
  builtIn: false,
  origin: 'file',
  steps: [],
  source: { file: `${id}.yaml`, line: 1 },
  ...more,
})

const patterns: readonly (readonly [string, string, boolean])[] = [
  ['logs/a', 'logs/a', true],
  ['logs/a', 'logs/ab', false],
  ['*', '', true],
  ['*', 'logs/a', true],
  ['logs/*', 'logs/a/b', true],
  ['logs/*', 'logs', false],
  ['*.null', 'books.null', true],
  ['*.null', 'books.nullable', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['ab*ba', 'aba', false],
  ['a**b', 'ab', true],
  ['[a-z]*', 'x', false],
  ['a.c', 'abc', false],
]

for (const [pattern, text, matches] of patterns) {
  t.test(
    `the pattern ${pattern} ${matches ? 'matches' : 'does not match'} ${text || 'the empty text'}`,
    async (t) => {
      t.equal(matchesPattern(pattern, text), matches)
    },
  )
}

t.test('a pattern with very many asterisks is matched quickly', async (t) => {
  t.equal(matchesPattern(`${'a*'.repeat(200)}c`, 'a'.repeat(20_000)), false)
})

const suite = [
  scenario('a/one', { rules: ['x.first'] }),
  scenario('a/two', { rules: ['x.second'], after: ['b/three'] }),
  scenario('b/three', { after: ['b/four'] }),
  scenario('b/four', { rules: ['x.first'] }),
]

const ids = (scenarios: readonly Scenario[]) => scenarios.map(({ id }) => id)
const chosen = (only: readonly string[], replay?: string) => ids(selectCases(suite, { only, replay }))

t.test('without a selection all cases run, in their order', async (t) => {
  t.same(chosen([]), ids(suite))
})

t.test('patterns select cases by id or by rule, with their dependencies', async (t) => {
  t.same(chosen(['a/one']), ['a/one'])
  t.same(chosen(['x.first']), ['a/one', 'b/four'])
  t.same(chosen(['x.second']), ['a/two', 'b/three', 'b/four'])
  t.same(chosen(['b/f*', 'a/one']), ['a/one', 'b/four'])
})

t.test('a pattern with ! excludes cases, and cases that depend on them are reported', async (t) => {
  t.same(chosen(['!a/*']), ['b/three', 'b/four'])
  t.same(chosen(['a/*', '!x.second']), ['a/one'])
  t.throws(() => chosen(['!b/three']), { message: /^a\/two runs after "b\/three", which is not selected/ })
  t.throws(() => chosen(['!c/*']), { message: 'no case and no rule matches "c/*"; --list shows all cases' })
})

t.test('a full id selects one case and its dependencies', async (t) => {
  t.same(chosen([], 'b/three'), ['b/three', 'b/four'])
  t.throws(() => chosen([], 'b/*'), { name: 'SelectionError', message: /unknown case "b\/\*"/ })
})

t.test('a pattern without a match is an error, also next to one that matches', async (t) => {
  t.throws(
    () => chosen(['a/*', 'c/*']),
    new SelectionError('no case and no rule matches "c/*"; --list shows all cases'),
  )
})

t.test('two cases with one name are an error', async (t) => {
  const twice = [scenario('a'), scenario('b'), scenario('a')]
  t.throws(() => selectCases(twice, { only: ['b'], replay: undefined }), {
    message: 'two cases have the id "a": a.yaml:1 and a.yaml:1',
  })
})

t.test('circular dependencies and unknown dependencies are errors', async (t) => {
  const ring = [scenario('a', { after: ['b'] }), scenario('b', { after: ['a'] })]
  t.throws(() => selectCases(ring, { only: [], replay: undefined }), { message: /a after b after a/ })
  const lost = [scenario('a', { after: ['z'] })]
  t.throws(() => selectCases(lost, { only: [], replay: undefined }), {
    message: 'a runs after "z", which is not a case',
  })
})

/** A contract with one law. */
const lawful = {
  openrpc: '1.3.2',
  info: { title: 'T', version: '1' },
  methods: [
    {
      name: 'list',
      params: [],
      result: { name: 'r', schema: { type: 'array', items: { type: 'integer' } } },
      'x-laws': [{ law: 'sorted', list: '', by: [''] }],
    },
  ],
}

t.test(
  'cases about the head run first, then other reads, writes, laws and cases that spend the quota, each after its dependencies',
  async (t) => {
    const phases = phasesOf([
      scenario('quota', { effect: 'spends-quota' }),
      scenario('derived', { origin: 'derived' }),
      scenario('late', { after: ['early'] }),
      scenario('write', { effect: 'write' }),
      scenario('read-after-write', { after: ['write-2'] }),
      scenario('write-2', { effect: 'write' }),
      scenario('alone', { alone: true }),
      scenario('after-alone', { after: ['alone'] }),
      scenario('early'),
      scenario('at-head', { followsHead: true }),
      ...lawScenarios(parseContract(JSON.stringify(lawful))),
    ])
    t.same(
      phases.map(({ scenarios, isSerial }) => [isSerial, ...ids(scenarios)]),
      [
        [false, 'at-head', 'early', 'late'],
        [true, 'alone', 'after-alone'],
        [false, 'derived'],
        [true, 'write', 'write-2', 'read-after-write'],
        [true, 'laws/list/sorted'],
        [true, 'quota'],
      ],
    )
  },
)
