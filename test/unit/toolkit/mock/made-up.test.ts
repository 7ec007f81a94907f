import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, loadFixture, loadValidators, methodOf } from '../codegen/fixtures.js'
import { startMock } from './start-mock.js'

const any = { name: 'a', required: false, schema: {} }
const pet = {
  type: 'object',
  required: ['id', 'name', 'born'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    born: { type: 'string', format: 'date-time' },
  },
}
const contract = contractOf({ methods: [methodOf([any], pet), methodOf([any], pet, { name: 'n' })] })

t.test(
  'equal requests get equal answers, also after a restart; other requests or seeds get others',
  async (t) => {
    const first = await startMock(t, contract)
    const again = await startMock(t, contract)
    const other = await startMock(t, contract, 'other')
    const answer = JSON.stringify(await first.ask('m', [1]))
    await first.ask('n', ['in between'])
    t.equal(JSON.stringify(await first.ask('m', [1])), answer)
    t.equal(JSON.stringify(await again.ask('m', [1])), answer)
    t.not(JSON.stringify(await first.ask('m', [2])), answer, 'other parameters')
    t.not(JSON.stringify(await first.ask('n', [1])), answer, 'another method')
    t.not(JSON.stringify(await other.ask('m', [1])), answer, 'another seed')
  },
)

for (const name of ['pet-store', 'recursive', 'constructs', 'hostile', 'client-names'] as const) {
  t.test(`${name}: every method returns a valid result or explains why not`, async (t) => {
    const fixture = await loadFixture(name)
    const validators = await loadValidators(fixture)
    const { ask, reports } = await startMock(t, fixture)
    for (const method of fixture.methods.filter(({ result }) => result !== undefined)) {
      const params = method.params.map(({ name: param }) => [param, sample(method.name, param)] as const)
      const sent =
        method.paramStructure === 'by-name' ? Object.fromEntries(params) : params.map(([, value]) => value)
      const { result, error } = await ask(method.name, sent)
      if (error === undefined)
        t.same(validators[method.name]?.result(result), [], `${method.name} ${JSON.stringify(result)}`)
      else t.match(error, { code: /^-3260[23]$/ }, `${method.name}: ${JSON.stringify(error)}`)
    }
    t.same(reports, [])
  })
}

/** Most schemas accept the first parameter; the others cause refusals. */
function sample(method: string, param: string): JsonValue {
  return method === 'walk' && param === 'tree' ? { label: 'x' } : 'x'
}

t.test('a result that depends on a parameter matches the given parameter', async (t) => {
  const full = { name: 'full', required: false, schema: { type: 'boolean', default: false } }
  const either = { type: ['object', 'string'] }
  const forms = [
    { param: 'full', value: true, schema: { type: 'object', required: ['name'] } },
    { param: 'full', value: false, schema: { type: 'string', pattern: '^[0-9]{4}$' } },
  ]
  const method = methodOf([full], either, { 'x-result-when': forms })
  const { ask } = await startMock(t, contractOf({ methods: [method] }))
  t.match((await ask('m', [true])).result, { name: /./ })
  t.match((await ask('m', [false])).result, /^\d{4}$/)
  t.match((await ask('m', [])).result, /^\d{4}$/, 'the default')
})

t.test('lists with an order are sorted, and no two items have the same place', async (t) => {
  const place = { type: 'integer', minimum: 0, maximum: 3 }
  const item = { type: 'object', required: ['block', 'index'], properties: { block: place, index: place } }
  const result = {
    type: 'object',
    required: ['logs'],
    properties: { logs: { type: 'array', items: item, minItems: 6 } },
  }
  const order = [{ list: '/logs', by: ['block', 'index'] }]
  const { ask } = await startMock(
    t,
    contractOf({ methods: [methodOf([any], result, { 'x-result-order': order })] }),
  )
  for (let param = 0; param < 20; param++) {
    const { logs } = (await ask('m', [param])).result as { logs: { block: number; index: number }[] }
    const places = logs.map(({ block, index }) => block * 4 + index)
    t.same(
      places,
      [...new Set(places)].sort((one, other) => one - other),
    )
    t.ok(places.length > 0)
  }
})

t.test(
  'without a generated value, the nearest example is returned, or the error names the schema',
  async (t) => {
    // A text that repeats itself, with a check digit. Random search never finds one.
    const hard = { type: 'string', pattern: '^(?=(.*)[.]$)\\1[.](?<=unlikely [.])$' }
    const example = (name: string, params: JsonObject, value: JsonValue) => ({
      name,
      params: Object.entries(params).map(([key, one]) => ({ name: key, value: one ?? null })),
      result: { name: 'r', value },
    })
    const b = { ...any, name: 'b' }
    const examples = [
      example('wrong', { a: 3, b: 1 }, 'violates the schema'),
      example('far', { a: 1, b: 1 }, 'unlikely .'),
      example('near', { a: 2, b: 2 }, 'unlikely .'),
    ]
    const { ask } = await startMock(
      t,
      contractOf({
        methods: [
          methodOf([any, b], hard, { examples }),
          methodOf([any], hard, { name: 'bare' }),
          methodOf([any], false, { name: 'never' }),
        ],
      }),
    )
    t.same(await ask('m', [3, 2]), { result: 'unlikely .' })
    t.same(await ask('m', [3, 1]), { result: 'violates the schema' }, 'as in the example')
    const said = (pointer: string, method: string) => ({
      error: {
        code: -32603,
        message: `No value could be generated for the schema at ${pointer}: add an example with these parameters to the method "${method}"`,
      },
    })
    t.same(await ask('bare', [1]), said('#/methods/1/result/schema', 'bare'))
    t.same(await ask('never', [1]), said('#/methods/2/result/schema', 'never'))
  },
)
