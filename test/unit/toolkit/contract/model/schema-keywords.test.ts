import fc from 'fast-check'
import t from 'tap'
import { schemaNotes } from '../../../../../src/toolkit/codegen/types/schema-notes.js'
import { bodyOf } from '../../../../../src/toolkit/codegen/types/schema-type.js'
import { typeNames } from '../../../../../src/toolkit/codegen/types/type-names.js'
import { createTypeWriter } from '../../../../../src/toolkit/codegen/types/type-writer.js'
import {
  type AssertingKeyword,
  createSchemaChecker,
  createSchemaClasses,
  type JsonObject,
  type JsonValue,
} from '../../../../../src/toolkit/contract/index.js'
import { createValues } from '../../../../../src/toolkit/values/index.js'
import { contractOf } from '../../codegen/fixtures.js'
import { asParam, diffOf } from '../../diff/told.js'

/** For each keyword that restricts values: a schema with it, and the keywords that stay without it. */
const examples: Readonly<Record<AssertingKeyword, readonly [schema: JsonObject, ...removed: string[]]>> = {
  $ref: [{ $ref: '#/components/schemas/Text' }],
  type: [{ type: 'string' }],
  enum: [{ enum: ['a', 'b'] }],
  const: [{ const: 'a' }],
  allOf: [{ allOf: [{ type: 'string' }] }],
  anyOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
  oneOf: [{ oneOf: [{ type: 'string' }, { type: 'null' }] }],
  not: [{ type: 'string', not: { const: 'a' } }],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  if: [{ type: 'string', if: { const: 'a' }, then: { maxLength: 0 } }, 'then'],
  minimum: [{ type: 'integer', minimum: 5 }],
  maximum: [{ type: 'integer', maximum: 5 }],
  exclusiveMinimum: [{ type: 'integer', exclusiveMinimum: 5 }],
  exclusiveMaximum: [{ type: 'integer', exclusiveMaximum: 5 }],
  multipleOf: [{ type: 'integer', multipleOf: 5 }],
  minLength: [{ type: 'string', minLength: 5 }],
  maxLength: [{ type: 'string', maxLength: 5 }],
  pattern: [{ type: 'string', pattern: '^a' }],
  format: [{ type: 'string', format: 'date' }],
  items: [{ type: 'array', items: { type: 'string' } }],
  additionalItems: [{ type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'null' } }],
  contains: [{ type: 'array', contains: { type: 'string' } }],
  minItems: [{ type: 'array', minItems: 2 }],
  maxItems: [{ type: 'array', maxItems: 2 }],
  uniqueItems: [{ type: 'array', uniqueItems: true, items: { type: 'integer' } }],
  unevaluatedItems: [{ type: 'array', items: [{ type: 'string' }], unevaluatedItems: false }],
  properties: [{ type: 'object', properties: { a: { type: 'string' } } }],
  patternProperties: [{ type: 'object', patternProperties: { '^a': { type: 'string' } } }],
  additionalProperties: [
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  ],
  unevaluatedProperties: [
    { type: 'object', properties: { a: { type: 'string' } }, unevaluatedProperties: false },
  ],
  propertyNames: [{ type: 'object', propertyNames: { maxLength: 1 } }],
  required: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
  minProperties: [{ type: 'object', minProperties: 2 }],
  maxProperties: [{ type: 'object', maxProperties: 2 }],
  dependencies: [{ type: 'object', dependencies: { a: ['b'] } }],
  dependentRequired: [{ type: 'object', dependentRequired: { a: ['b'] } }],
  dependentSchemas: [{ type: 'object', dependentSchemas: { a: { required: ['b'] } } }],
}

const components = { Text: { type: 'string' } }
const contractWith = (schema: JsonObject) => contractOf(asParam(schema, components))
const schemaIn = (contract: ReturnType<typeof contractWith>) =>
  contract.methods[0]?.params[0]?.schema ?? { pointer: '', schema: true }

/** The type of a schema and the constraints that it leaves to the doc comment. */
function typeWith(schema: JsonObject): string {
  const contract = contractWith(schema)
  const located = schemaIn(contract)
  return JSON.stringify([
    bodyOf(createTypeWriter(contract, typeNames(contract)), located).text,
    schemaNotes(located.schema),
  ])
}

for (const [keyword, [schema, ...more]] of Object.entries(examples))
  t.test(`"${keyword}" is honoured by every reader of schemas`, async (t) => {
    const without = Object.fromEntries(
      Object.entries(schema).filter(([name]) => name !== keyword && !more.includes(name)),
    ) as JsonObject
    const [contract, open] = [contractWith(schema), contractWith(without)]
    const [located, free] = [schemaIn(contract), schemaIn(open)]
    const check = createSchemaChecker(contract)
    const isValid = (value: JsonValue) => check(located, value).length === 0
    const values = createValues(contract, { varied: true })
    t.ok(fc.sample(values.valid([located]), { seed: 1, numRuns: 50 }).every(isValid), 'valid values')
    const broken = fc.sample(values.nearlyValid(located), { seed: 1, numRuns: 50 })
    t.notOk(
      broken.some(({ value }) => isValid(value)),
      'values that violate it',
    )
    t.not(typeWith(schema), typeWith(without), 'types or their notes')
    t.ok(
      diffOf(asParam(without, components), asParam(schema, components)).some(
        ({ breaks }) => breaks.length > 0,
      ),
      'diff',
    )
    const { classOf } = createSchemaClasses([], () => true)
    t.not(classOf({ contract, all: [located] }), classOf({ contract: open, all: [free] }), 'the normal form')
  })
