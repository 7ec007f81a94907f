import t from 'tap'
import { phasesOf } from '../../../../src/conformance/run/phases.js'
import { buildScenario } from '../../../../src/conformance/scenario/build-scenario.js'

const scenario = (id: string, members: { readonly [name: string]: string | boolean } = {}) =>
  buildScenario(
    { scenario: 'Something holds.', steps: [], ...members },
    { id, builtIn: true, origin: 'file', source: { file: 'x', line: 1 } },
  )

const ids = (scenarios: Parameters<typeof phasesOf>[0]) =>
  Object.fromEntries([...phasesOf(scenarios)].map(([phase, cases]) => [phase, cases.map(({ id }) => id)]))

t.test('reading first, several at a time; then what writes; then what spends the quota', async (t) => {
  const cases = [
    scenario('a/1', { effect: 'spends-quota' }),
    scenario('a/2', { effect: 'write' }),
    scenario('a/3'),
  ]
  t.same(ids(cases), { read: ['a/3'], write: ['a/2'], 'spends-quota': ['a/1'] })
})

t.test('a case that counts what its own requests change runs among those that run one by one', async (t) => {
  const cases = [scenario('a/1', { alone: true }), scenario('a/2'), scenario('a/3', { after: 'a/1' })]
  t.same(ids(cases), { read: ['a/2'], write: ['a/1', 'a/3'], 'spends-quota': [] })
})
