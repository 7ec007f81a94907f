import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { NoValueError } from '../../../../src/toolkit/values/index.js'
import { type Making, makingsOf, seeds } from './making.js'

/** A construct, its schema, and further conditions of its values. */
interface Row {
  readonly construct: string
  readonly schema: JsonValue
  readonly always?: JsonValue
  /** The schema in standard JSON Schema. */
  readonly same?: JsonValue
}

const rows = parse(
  readFileSync(new URL('fixtures/constructs.yaml', import.meta.url), 'utf8'),
) as readonly Row[]

const text = { type: 'string' }
const whole = { type: 'integer' }
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })

const components: JsonObject = {
  Text: text,
  Pet: { type: 'object', required: ['name'], properties: { name: text } },
  Even: { type: ['object', 'null'], required: ['next'], properties: { next: ref('Odd') } },
  Odd: { type: 'object', required: ['next'], properties: { next: ref('Even') } },
  Deep: { anyOf: [{ type: 'object', required: ['in'], properties: { in: ref('Deep') } }, ref('Deeper')] },
  Deeper: {
    type: 'object',
    required: ['in'],
    properties: { in: { type: 'object', required: ['a'], properties: { a: text } } },
  },
}

const depthOf = (value: JsonValue): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((inner) => depthOf(inner ?? null)))
    : 0
const isLarge = (value: JsonValue) => depthOf(value) > 20 || JSON.stringify(value).length > 50_000

const makings = makingsOf(rows, components)
const wanted = makingsOf(rows.map(({ always = true }) => ({ schema: always })))

rows.forEach(({ construct }, at) => {
  t.test(`${construct}: every value is valid and reproducible`, async (t) => {
    const making = makings[at] as Making
    const values = seeds.map(making.make)
    t.same(
      values.filter((value) => !making.fits(value)),
      [],
      'each is valid',
    )
    t.same(
      values.filter((value) => !wanted[at]?.fits(value)),
      [],
      'each meets the condition',
    )
    t.same(values.filter(isLarge), [], 'none is large')
    t.equal(JSON.stringify(seeds.map(making.make)), JSON.stringify(values))
  })
})

t.test('every alternative occurs for some seed', async (t) => {
  const choices: readonly (readonly [schema: JsonValue, kinds: readonly string[]])[] = [
    [{ oneOf: [text, whole, { type: 'null' }] }, ['null', 'number', 'string']],
    [{ type: ['string', 'array', 'null'] }, ['array', 'null', 'string']],
    [{ type: 'string', nullable: true }, ['null', 'string']],
    [{ type: 'array', items: text }, ['array']],
    [{ anyOf: [{ type: 'object' }, { const: true }] }, ['boolean', 'object']],
  ]
  const kind = (value: JsonValue) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)
  makingsOf(choices.map(([schema]) => ({ schema }))).forEach(({ make }, at) => {
    const kinds = new Set(Array.from({ length: 80 }, (_, seed) => kind(make(String(seed)))))
    t.same([...kinds].sort(), choices[at]?.[1])
  })
})

t.test('for an unsatisfiable schema, the narrowest schema without values is named', async (t) => {
  const inside = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: 'integer', minimum: 5, maximum: 4 } },
  }
  const closed = { type: 'object', additionalProperties: false }
  const impossible: readonly (readonly [schema: JsonValue, inside: string])[] = [
    [false, ''],
    [{ allOf: [text, whole] }, ''],
    [{ type: 'string', minLength: 5, maxLength: 4 }, ''],
    [{ type: 'string', pattern: '^a$', minLength: 2 }, ''],
    [{ type: 'string', pattern: '(?=a)b' }, ''],
    [{ not: {} }, ''],
    [{ not: { not: false } }, ''],
    [{ enum: [1, 2], not: { maximum: 5 } }, ''],
    [inside, '/properties/a'],
    [{ type: 'array', items: inside, minItems: 1 }, '/items/properties/a'],
    [
      { type: 'array', minItems: 1, items: { allOf: [{ ...closed, required: ['lost'] }] } },
      '/items/allOf/0/additionalProperties',
    ],
    [
      { ...closed, required: ['a'], properties: { a: { ...closed, required: ['lost'] } } },
      '/properties/a/additionalProperties',
    ],
    [{ ...closed, required: ['a'], properties: { a: { anyOf: [false, { not: {} }] } } }, '/properties/a'],
    [{ type: 'object', required: ['in'], properties: { in: ref('Result') } }, ''],
    [{ type: 'array', minItems: 3, maxItems: 2 }, ''],
    [{ type: 'array', items: { const: 1 }, minItems: 2, uniqueItems: true }, ''],
    [{ type: 'object', required: ['a'], propertyNames: { minLength: 2 } }, ''],
    [{ type: 'object', required: ['a', 'b'], maxProperties: 1 }, ''],
  ]
  makingsOf(impossible.map(([schema]) => ({ schema }))).forEach(({ make, pointer }, at) => {
    try {
      t.fail(`${JSON.stringify(impossible[at]?.[0])} returns ${JSON.stringify(make('seed'))}`)
    } catch (error) {
      t.ok(error instanceof NoValueError, String(error))
      t.equal((error as NoValueError).pointer, `${pointer}${impossible[at]?.[1]}`)
    }
  })
})

t.test('lists have up to 100,000 items, and longer ones are not made', async (t) => {
  const list = (minItems: number) => makingsOf([{ schema: { type: 'array', items: whole, minItems } }])[0]
  t.match(list(100_000)?.make('seed'), { length: 100_000 })
  t.throws(() => list(100_001)?.make('seed'), NoValueError)
})

t.test('lists in lists are made unless together they have too many items', async (t) => {
  const nested = (levels: number): JsonValue =>
    levels === 0 ? whole : { type: 'array', items: nested(levels - 1), minItems: 110 }
  t.equal(((makingsOf([{ schema: nested(2) }])[0]?.make('seed') ?? []) as JsonValue[]).length, 110)
  t.throws(() => makingsOf([{ schema: nested(3) }])[0]?.make('seed'), NoValueError)
  t.throws(
    () => makingsOf([{ schema: { type: 'object', minProperties: 3, maxProperties: 2 } }])[0]?.make('seed'),
    NoValueError,
  )
})

t.test('objects have up to 10,000 undeclared members, and larger ones are not made', async (t) => {
  const map = (minProperties: number) =>
    makingsOf([{ schema: { type: 'object', additionalProperties: whole, minProperties } }])[0]
  t.equal(Object.keys((map(10_000)?.make('seed') ?? {}) as object).length, 10_000)
  t.throws(() => map(10_001)?.make('seed'), NoValueError)
})

t.test('numbers at the ends of the range of doubles are finite', (t) => {
  const most = Number.MAX_VALUE
  const schemas = [
    { maximum: -most },
    { minimum: most },
    { minimum: -most, maximum: most },
    { minimum: 1e308 },
  ]
  for (const words of schemas) {
    const [making] = makingsOf([{ schema: { type: 'number', ...words } }])
    for (let seed = 0; seed < 20; seed++)
      t.ok(Number.isFinite(making?.make(String(seed))), JSON.stringify(words))
  }
  t.end()
})
