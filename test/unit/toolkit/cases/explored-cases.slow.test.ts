import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { exploredScenarios } from '../../../../src/judge/index.js'
import { paramsJudge } from '../../../../src/toolkit/cases/params/params-judge.js'
import { exploredCase, exploredCases } from '../../../../src/toolkit/codegen/index.js'
import {
  type Contract,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../../src/toolkit/contract/index.js'
import { everyNth } from '../../../support/runs.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'

const number = { type: 'integer', minimum: 1, maximum: 9 }
const Id = { type: 'string', pattern: '^id-[0-9]{3}$' }
const Filter = {
  type: 'object',
  properties: { name: { type: 'string' }, size: number, tags: { type: 'array', items: { type: 'string' } } },
  additionalProperties: false,
}
const param = (name: string, schema: JsonValue, required = true) => ({ name, schema, required })
const Item = { type: 'object', required: ['id'], properties: { id: { $ref: '#/components/schemas/Id' } } }

/** A contract with a list, a lookup by id, a method with optional parameters and one that writes. */
const shop = contractOf({
  methods: [
    {
      ...methodOf(
        [
          param('kind', { oneOf: [{ enum: ['new', 'old'] }, number] }),
          param('filter', { $ref: '#/components/schemas/Filter' }, false),
        ],
        { type: 'array', items: Item },
      ),
      name: 'list',
      'x-effect': 'read',
    },
    {
      ...methodOf([param('item', { $ref: '#/components/schemas/Id' })], { oneOf: [{ type: 'null' }, Item] }),
      name: 'find',
      'x-effect': 'read',
      'x-laws': [{ law: 'repeatable' }, { law: 'batchable' }],
    },
    {
      ...methodOf([param('item', { $ref: '#/components/schemas/Id' })], { type: 'null' }),
      name: 'drop',
      'x-effect': 'write',
    },
  ],
  components: { schemas: { Id, Filter, Item } },
})

const all = (contract: Contract, calls: number, seed = 1, mayCall = (_: string) => true) =>
  (exploredCases(contract, { calls, seed, mayCall })['scenarios'] ?? []) as readonly (JsonObject & {
    id: string
  })[]

const stepsOf = ({ steps }: JsonObject) => [steps ?? []].flat().filter(isObject)
const lastOf = (scenario: JsonObject) => stepsOf(scenario).at(-1) ?? {}
const isRefusal = (scenario: JsonObject) =>
  isObject(lastOf(scenario)['expect']) && 'error' in (lastOf(scenario)['expect'] as JsonObject)

t.test('equal seeds give equal cases, other seeds give others, and an id names its case', async (t) => {
  const cases = all(shop, 200)
  t.ok(isDeepStrictEqual(all(shop, 200), cases))
  t.notOk(isDeepStrictEqual(all(shop, 200, 2), cases))
  for (const one of everyNth(8, cases))
    t.same(
      exploredCase(shop, one.id, () => true),
      one,
      one.id,
    )
  t.equal(
    exploredCase(shop, 'explored/none/1-1', () => true),
    undefined,
  )
  t.equal(
    exploredCase(shop, 'derived/list/1-1', () => true),
    undefined,
  )
})

t.test('the number of calls is a limit, and methods that may not be called are left out', async (t) => {
  const calls = (cases: readonly JsonObject[]) => JSON.stringify(cases).split('"call":').length - 1
  for (const most of [1, 2, 50]) t.equal(calls(all(shop, most)), most, String(most))
  t.notMatch(JSON.stringify(all(shop, 200, 1, (name) => name !== 'drop')), '"drop"')
})

t.test('valid calls fit the schemas, and the others violate them', async (t) => {
  let [valid, invalid] = [0, 0]
  for (const scenario of all(shop, 600)) {
    const { call, params } = lastOf(scenario)
    const method = shop.methods.find(({ name }) => name === call)
    if (method === undefined || !Array.isArray(params) || JSON.stringify(scenario['steps']).includes('${'))
      continue
    const fits = paramsJudge(shop, method)
    const isValid = method.params.every(({ required }, at) =>
      params[at] === undefined ? !required : fits(at, params[at]),
    )
    t.equal(isValid, !isRefusal(scenario), JSON.stringify(scenario))
    if (isValid) valid++
    else invalid++
  }
  t.ok(valid > 50 && invalid > 10, `${valid} valid, ${invalid} invalid`)
})

t.test('calls reach each branch, each bound and each pair of optional members', async (t) => {
  const params = all(shop, 600)
    .filter((scenario) => !isRefusal(scenario))
    .map((scenario) => lastOf(scenario)['params'] ?? null)
  const has = (wanted: JsonValue) =>
    params.some((given) => JSON.stringify(given).startsWith(JSON.stringify(wanted).slice(0, -1)))
  for (const kind of ['new', 'old', 1, 9]) t.ok(has([kind]), String(kind))
  const filters = params.flatMap((given) =>
    Array.isArray(given) && isObject(given[1]) ? [Object.keys(given[1]).sort().join()] : [],
  )
  for (const names of ['', 'name', 'size', 'tags', 'name,size', 'name,tags', 'size,tags'])
    t.ok(filters.includes(names), `{${names}}`)
})

t.test('results become parameters where schemas agree, and laws become sequences', async (t) => {
  const texts = all(shop, 400).map((scenario) => JSON.stringify(stepsOf(scenario)))
  t.ok(texts.some((text) => /"list".*\[0\]\['id'\].*"find","params":\["\$\{v3\}"\]/.test(text)))
  t.ok(
    texts.some((text) => /"find".*"first":"\$\.result".*"find".*"\$is"/.test(text)),
    'the same call again',
  )
  t.ok(
    texts.some((text) => /"first":"\$\.result".*"batch"/.test(text)),
    'the same call in a batch',
  )
})

t.test('links supply parameters, and an equal result may come from another method', async (t) => {
  const linked = contractOf({
    methods: [
      {
        ...methodOf([], { type: 'object', required: ['a'], properties: { a: { type: 'string' } } }),
        name: 'first',
        links: [{ name: 'next', method: 'second', params: { key: '${result.a}' } }],
      },
      {
        ...methodOf([param('key', { type: 'string' }), param('full', { type: 'boolean' })], {
          type: 'object',
        }),
        name: 'second',
        'x-laws': [
          {
            law: 'equals',
            method: 'third',
            params: { other: '${result.a}', whole: '${params.full}', fixed: 7 },
          },
        ],
      },
      {
        ...methodOf([param('other', {}), param('whole', {}), param('fixed', {})], { type: 'object' }),
        name: 'third',
      },
    ],
  })
  const texts = all(linked, 300).map((scenario) => JSON.stringify(stepsOf(scenario)))
  t.ok(texts.some((text) => text.includes('"capture":{"v3":"$.result.a"}') && text.includes('"second"')))
  t.ok(
    texts.some((text) => /"p0":"\$\.result\.a".*"third","params":\["\$\{p0\}",(true|false),7\]/.test(text)),
  )
})

t.test(
  'a method without valid parameters or a valid result has a case with the reason, and others run',
  (t) => {
    const contract = contractOf({
      methods: [
        { ...methodOf([param('never', false)], {}), name: 'never' },
        {
          ...methodOf([], { items: [{ type: 'string', minLength: 1e9 }], minItems: 1, type: 'array' }),
          name: 'long',
        },
        {
          ...methodOf([param('big', { type: 'integer', minimum: 2 ** 53, maximum: 1e300 })], {}),
          name: 'big',
        },
        { ...methodOf([], { type: 'null' }), name: 'fine' },
      ],
    })
    const document = exploredCases(contract, { calls: 100, seed: 1, mayCall: () => true })
    const called = new Set((document['scenarios'] as { id: string }[]).map(({ id }) => id.split('/')[1]))
    t.same([...called].sort(), ['big', 'fine'])
    t.same(
      (document['not-run'] as { id: string; reason: string }[]).map(({ id, reason }) => `${id}: ${reason}`),
      [
        'explored/never/no-value: no value was found for the parameter "never" (#/methods/0/params/0/schema): correct keywords that contradict each other, or add examples',
        'explored/long/no-value: no value was found for the result (#/methods/1/result/schema/items/0): correct keywords that contradict each other, or add examples',
      ],
    )
    const notRun = exploredScenarios(document).filter(({ notRun }) => notRun !== undefined)
    t.same(
      notRun.map(({ id, steps }) => [id, steps.length]),
      [
        ['explored/never/no-value', 0],
        ['explored/long/no-value', 0],
      ],
    )
    t.end()
  },
)
