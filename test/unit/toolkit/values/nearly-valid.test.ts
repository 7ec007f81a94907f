import fc from 'fast-check'
import t from 'tap'
import {
  type Contract,
  ContractError,
  createSchemaChecker,
  type JsonValue,
  type LocatedSchema,
  loadContract,
  parseContract,
  pointerTokens,
} from '../../../../src/toolkit/contract/index.js'
import { createValues, NoValueError } from '../../../../src/toolkit/values/index.js'
import { copyPublicDocuments } from '../../../support/public-documents.js'
import { isLong } from '../../../support/runs.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { contractOf, fixtureNames, fixturePath, methodOf } from '../codegen/fixtures.js'

/** The schemas of parameters and results. */
const schemasOf = ({ methods }: Contract): readonly LocatedSchema[] =>
  methods.flatMap(({ params, result }) =>
    [...params, ...(result ? [result] : [])].map(({ schema }) => schema),
  )

/**
 * Returns a contract without one of its constraints. It is undefined if the rest is no contract, and for constraints of
 * other documents, such as the meta-schema of OpenRPC.
 */
function withoutConstraint({ document }: Contract, pointer: string): Contract | undefined {
  if (!pointer.startsWith('#')) return undefined
  const changed = structuredClone(document) as { [name: string]: JsonValue }
  const tokens = [...(pointerTokens(pointer) ?? [])]
  const keyword = tokens.pop() ?? ''
  const holder = tokens.reduce((at, token) => at[token] as typeof changed, changed)
  if (!Object.hasOwn(holder, keyword)) throw new TypeError(`${pointer} does not exist`)
  delete holder[keyword]
  try {
    return parseContract(JSON.stringify(changed))
  } catch (error) {
    // The contract's own extensions may point into what the constraint described.
    if (error instanceof ContractError) return undefined
    throw error
  }
}

const few = [
  'compositions',
  'conditions',
  'dependencies',
  'lists',
  'numbers',
  'pet-store',
  'strings',
  'tuples',
] as const
const ours = isLong
  ? fixtureNames.map(fixturePath).filter((path) => path.endsWith('.json'))
  : few.map(fixturePath)
const installed = isLong ? (await copyPublicDocuments(await temporaryFolder(t))).installed : []
const each = isLong ? 8 : 2
const broken = new Set<string>()

for (const path of [...ours, ...installed]) {
  const name = path.replace(/^.*\/|\.\w+$/g, '')
  t.test(`${name}: a nearly valid value breaks the constraint that it names, and no other one`, async (t) => {
    const contract = await loadContract(path)
    const { nearlyValid, valid } = createValues(contract, { varied: true })
    const problems = createSchemaChecker(contract)
    const wrong: unknown[] = []
    for (const [at, schema] of schemasOf(contract).entries()) {
      for (const { value, pointer, keyword } of sampled(() => nearlyValid(schema))) {
        broken.add(keyword)
        if (problems(schema, value).length === 0) wrong.push({ fits: value, pointer })
        const other = withoutConstraint(contract, pointer)
        const same = other && schemasOf(other)[at]
        if (!same) continue
        const otherProblems = createSchemaChecker(other)
        // In a oneOf, a schema without a constraint may match values of the other forms.
        const isWeaker = sampled(() => valid([schema])).every(
          (each) => otherProblems(same, each).length === 0,
        )
        const others = isWeaker ? otherProblems(same, value) : []
        if (others.length > 0) wrong.push({ value, pointer, others })
      }
    }
    t.same(wrong, [])
  })
}

/** Returns values of an arbitrary. There are none for a schema that every value fits, or with a broken reference. */
function sampled<Value>(make: () => fc.Arbitrary<Value>): readonly Value[] {
  try {
    return fc.sample(make(), { seed: 7, numRuns: each })
  } catch (error) {
    if (error instanceof NoValueError) return []
    throw error
  }
}

t.test('all kinds of constraints were broken', async (t) => {
  const kinds = 'type enum required pattern minimum additionalProperties'
  t.same(
    kinds.split(' ').filter((kind) => !broken.has(kind)),
    [],
  )
})

const account = {
  type: 'object',
  required: ['name', 'age'],
  properties: {
    name: { type: 'string', pattern: '^[a-z]{3,8}$' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: { type: 'array', uniqueItems: true, items: { enum: ['a', 'b'] } },
    next: { oneOf: [{ $ref: '#/components/schemas/Account' }, { type: 'null' }] },
  },
  additionalProperties: false,
}

function accountValues() {
  const components = { schemas: { Account: account } }
  const contract = contractOf({
    methods: [methodOf([], { $ref: '#/components/schemas/Account' })],
    components,
  })
  const [schema] = schemasOf(contract)
  if (!schema) throw new TypeError('the contract has no schema')
  return { schema, ...createValues(contract, { varied: true }), fits: createSchemaChecker(contract) }
}

t.test('nearly valid values break each constraint of a schema, also inside', async (t) => {
  const { schema, nearlyValid } = accountValues()
  const found = fc.sample(nearlyValid(schema), { seed: 1, numRuns: 400 })
  const pointers = new Set(found.map(({ pointer }) => pointer.replace('#/components/schemas/Account/', '')))
  const wanted = [
    'type',
    'required',
    'additionalProperties',
    'properties/name/type',
    'properties/name/pattern',
    'properties/age/type',
    'properties/age/minimum',
    'properties/age/maximum',
    'properties/tags/type',
    'properties/tags/uniqueItems',
    'properties/next/oneOf',
  ]
  t.same(
    wanted.filter((pointer) => !pointers.has(pointer)),
    [],
  )
})

t.test('the same seed gives the same values, and failing ones shrink', async (t) => {
  const { schema, valid, nearlyValid, fits } = accountValues()
  for (const values of [valid([schema]), nearlyValid(schema)] as readonly fc.Arbitrary<unknown>[]) {
    const twice = [1, 2].map(() => JSON.stringify(fc.sample(values, { seed: 5, numRuns: 20 })))
    t.equal(twice[0], twice[1])
  }
  const isYoung = (value: JsonValue) => ((value as { age?: number }).age ?? 0) < 18
  const { failed, counterexample } = fc.check(fc.property(valid([schema]), isYoung), {
    seed: 5,
    numRuns: 200,
  })
  const [smallest] = counterexample ?? [null]
  t.ok(failed)
  t.equal((smallest as { age?: number } | null)?.age, 18, JSON.stringify(smallest))
  t.same(fits(schema, smallest ?? null), [], 'the smallest one fits, too')
})

t.test('bounds beyond the usual numbers have values, too', async (t) => {
  const beyond = [{ minimum: 1e16 }, { maximum: -1e16 }, { exclusiveMinimum: 1e20 }]
  const contract = contractOf({
    methods: beyond.map((bounds, at) => methodOf([], { type: 'number', ...bounds }, { name: `m${at}` })),
  })
  const { valid, nearlyValid } = createValues(contract, { varied: true })
  const problems = createSchemaChecker(contract)
  for (const schema of schemasOf(contract)) {
    const isWrong = (value: JsonValue) => problems(schema, value).length > 0
    t.notOk(fc.sample(valid([schema]), { seed: 1, numRuns: 50 }).some(isWrong))
    t.ok(fc.sample(nearlyValid(schema), { seed: 1, numRuns: 50 }).every(({ value }) => isWrong(value)))
  }
})
