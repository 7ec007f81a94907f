import t from 'tap'
import { type CostOf, Rotation } from '../../../../../src/cli/conform/watch/rotation.js'
import type { Scenario } from '../../../../../src/judge/index.js'

const scenario = (id: string, after: readonly string[] = []): Scenario => ({
  id,
  group: id.split('/')[0] ?? '',
  scenario: 'It holds.',
  rules: [],
  effect: 'read',
  networks: [],
  needs: [],
  after,
  followsHead: false,
  builtIn: false,
  origin: 'file',
  steps: [],
  source: { file: `${id}.yaml`, line: 1 },
})

/** A case costs one request, or the number at the end of its id. */
const costOf: CostOf = async (sample) =>
  sample.reduce((sum, { id }) => sum + Number(/\d+$/.exec(id)?.[0] ?? 1), 0)

const ids = (sample: readonly Scenario[]) => sample.map(({ id }) => id)

t.test('every case has its turn, and the groups alternate', async (t) => {
  const rotation = new Rotation(['a/a', 'a/b', 'a/c', 'a/d', 'b/a', 'b/b'].map((id) => scenario(id)))
  const next = async () => ids(await rotation.next(2, [], costOf))
  t.same(await next(), ['a/a', 'b/a'])
  t.same(await next(), ['a/b', 'a/c'])
  t.equal(rotation.isComplete, false)
  t.same(await next(), ['a/d', 'b/b'])
  t.equal(rotation.isComplete, true)
  rotation.restart()
  t.equal(rotation.isComplete, false)
  t.same(await next(), ['a/a', 'b/a'])
})

t.test('a case that needs more requests than are left is not overtaken', async (t) => {
  const rotation = new Rotation([scenario('a/5'), scenario('a/1'), scenario('a/2')])
  t.same(await rotation.next(4, [], costOf), [])
  t.same(ids(await rotation.next(6, [], costOf)), ['a/5', 'a/1'])
  t.same(ids(await rotation.next(4, [], costOf)), ['a/2'])
})

t.test('a case comes with those that it runs after', async (t) => {
  const rotation = new Rotation([scenario('a/a'), scenario('b/b', ['a/a']), scenario('c/c')])
  await rotation.next(1, [], costOf)
  t.same(ids(await rotation.next(2, [], costOf)), ['a/a', 'b/b'])
  t.same(ids(await rotation.next(1, [], costOf)), ['c/c'])
})

t.test('failing cases come first, within half of the requests', async (t) => {
  const rotation = new Rotation(['a/a', 'a/b', 'a/c', 'a/d', 'a/e'].map((id) => scenario(id)))
  t.same(ids(await rotation.next(4, ['a/d', 'a/e', 'a/c'], costOf)), ['a/a', 'a/b', 'a/d', 'a/e'])
  t.same(ids(await rotation.next(1, ['a/d'], costOf)), ['a/c'], 'half a request is not enough')
  t.same(ids(await rotation.next(2, [], costOf)), ['a/d', 'a/e'], 'they keep their place')
})

t.test('the cases of a round without an answer have another turn', async (t) => {
  const rotation = new Rotation(['a/a', 'a/b'].map((id) => scenario(id)))
  const sample = await rotation.next(2, [], costOf)
  rotation.putBack(sample)
  t.equal(rotation.isComplete, false)
  t.same(ids(await rotation.next(1, [], costOf)), ['a/a'])
})
