import t from 'tap'
import { generate } from '../../../../src/toolkit/codegen/index.js'
import { ContractError, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, fileOf, loadValidators, methodOf, tool } from './fixtures.js'

const param = (schema: JsonValue): JsonObject => ({ name: 'p', required: true, schema })
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })

/** Schemas nested to this depth. */
function nested(levels: number, around: (inner: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: 'string' }
  for (let level = 0; level < levels; level++) schema = around(schema)
  return schema
}

/** The problems of a contract, with places and messages. */
function refusal(parts: { readonly [name: string]: JsonValue }): readonly string[] {
  try {
    generate(contractOf(parts), tool)
    return []
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  }
}

const forms: Readonly<Record<string, (inner: JsonObject) => JsonObject>> = {
  properties: (inner) => ({ type: 'object', properties: { a: inner } }),
  items: (inner) => ({ type: 'array', items: inner }),
  allOf: (inner) => ({ allOf: [inner] }),
  anyOf: (inner) => ({ anyOf: [inner, { type: 'null' }] }),
  not: (inner) => ({ not: inner }),
}

t.test(
  'schemas nested a hundred levels deep are generated, and a thousand levels are refused with their place',
  async (t) => {
    for (const [name, around] of Object.entries(forms)) {
      t.same(refusal({ methods: [methodOf([param(nested(100, around))])] }), [], name)
      const [problem = '', ...others] = refusal({ methods: [methodOf([param(nested(1000, around))])] })
      t.same(others, [])
      t.match(problem, /^#\/methods\/0\/params/, name)
    }
  },
)

t.test('the same holds for examples, defaults and constants', async (t) => {
  let value: JsonValue = 1
  for (let level = 0; level < 1000; level++) value = [value]
  const places: readonly [JsonObject, RegExp][] = [
    [methodOf([param({ default: value })]), /^#\/methods\/0\/params/],
    [methodOf([], { const: value }), /^#\/methods\/0\/result/],
    [methodOf([], {}, { 'x-note': value }), /^#\/methods\/0\/x-note/],
  ]
  for (const [method, place] of places) t.match(refusal({ methods: [method] })[0] ?? '', place)
})

t.test('a chain of a thousand references is resolved', async (t) => {
  const schemas = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`S${at}`, at === 999 ? { type: 'string' } : ref(`S${at + 1}`)]),
  )
  const validators = await loadValidators(
    contractOf({ methods: [methodOf([param(ref('S0'))])], components: { schemas } }),
  )
  t.same(validators['m']?.params(['a']), [])
  t.not(validators['m']?.params([1]).length, 0)
})

t.test('an enum with ten thousand values becomes a type and a check', async (t) => {
  const listed = Array.from({ length: 10_000 }, (_, at) => `v${at}`)
  const contract = contractOf({ methods: [methodOf([param({ enum: listed })])] })
  t.match(fileOf(generate(contract, tool).files, 'types.ts'), "| 'v9999'")
  const validators = await loadValidators(contract)
  t.same(validators['m']?.params(['v9999']), [])
  t.not(validators['m']?.params(['v10000']).length, 0)
})

t.test('circular schemas are refused at every step of the circle', async (t) => {
  const rows: readonly [JsonObject, readonly string[]][] = [
    [{ A: ref('A') }, ['A']],
    [{ A: ref('B'), B: ref('A') }, ['A', 'B']],
    [{ A: { dependentSchemas: { a: ref('A') } } }, ['A', 'A/dependentSchemas/a']],
    [{ A: { dependencies: { a: ref('A') } } }, ['A', 'A/dependencies/a']],
    [{ A: { if: ref('B'), else: {} }, B: { not: ref('A') } }, ['A', 'A/if', 'B', 'B/not']],
    // A schema that leads to a circle is not part of it, nor is one between two circles.
    [{ A: ref('A'), B: { allOf: [ref('A'), ref('C')] }, C: ref('C'), D: ref('B') }, ['A', 'C']],
    [{ A: { items: ref('A') }, B: { properties: { a: ref('B') } }, C: { contains: ref('C') } }, []],
    [{ A: { propertyNames: ref('A') }, B: { additionalProperties: ref('B') } }, []],
  ]
  for (const [schemas, places] of rows) {
    const found = refusal({ components: { schemas } })
    const want = places.map(
      (place) => `#/components/schemas/${place}: refers to itself without a member or an item in between`,
    )
    t.same([...found].sort(), want.sort(), JSON.stringify(schemas))
  }
})

t.test('components are found by name, in any URI encoding', async (t) => {
  const rows: readonly [key: string, reference: string][] = [
    ['plain', 'plain'],
    ['pl%61in', 'pl%2561in'],
    ['%2F', '%252F'],
    ['a%', 'a%25'],
    ['a/b~c', 'a~1b~0c'],
    ['a/b~c', '%61%7E1b~0%63'],
    ['~1', '~01'],
    ['#', '%23'],
    ['é b', '%C3%A9%20b'],
    ['?', '?'],
    ['"', '%22'],
  ]
  for (const [key, reference] of rows) {
    // Another component has the name that a careless decoder would compute.
    const other = key.includes('%') ? { [safelyDecoded(key)]: { type: 'number' } } : {}
    const contract = contractOf({
      methods: [methodOf([param(ref(reference))])],
      components: { schemas: { ...other, [key]: { type: 'string' } } },
    })
    const validators = await loadValidators(contract)
    t.same(validators['m']?.params(['a']), [], `${key} by ${reference}`)
    t.not(validators['m']?.params([1]).length, 0, `${key} by ${reference}`)
    for (const { pointer, schema } of contract.schemas)
      t.equal(contract.resolve(pointer, '#').schema, schema, pointer)
  }
})

function safelyDecoded(key: string): string {
  try {
    return `other ${decodeURIComponent(key)}`
  } catch {
    return 'other'
  }
}
