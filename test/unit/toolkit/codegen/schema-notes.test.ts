import t from 'tap'
import { schemaNotes } from '../../../../src/toolkit/codegen/types/schema-notes.js'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'

const text = { type: 'string', minLength: 2 }

t.test('conditions that a type cannot express are described in words', async (t) => {
  const rows: readonly [JsonObject, string][] = [
    [{ type: 'string' }, ''],
    [{ type: 'integer' }, 'A whole number.'],
    [{ type: ['integer', 'null'], minimum: 1 }, 'A whole number. Value: at least 1.'],
    [{ type: 'integer', enum: [1, 2] }, ''],
    [{ format: 'date' }, 'Format: `date`.'],
    [{ format: 'int32' }, 'Format: `int32`, not validated.'],
    [{ format: 'toString' }, 'Format: `toString`, not validated.'],
    [{ pattern: '^`a`$', minLength: 1, maxLength: 1 }, 'Pattern: `` ^`a`$ ``. Length: 1.'],
    [
      { exclusiveMinimum: 1, exclusiveMaximum: 2, multipleOf: 0.5 },
      'More than 1. Less than 2. A multiple of 0.5.',
    ],
    [{ minItems: 1, maxItems: 2, uniqueItems: true }, 'Items: 1 to 2. Items are unique.'],
    [{ contains: {} }, 'At least one item must match a given schema.'],
    [{ minProperties: 1, propertyNames: {} }, 'Members: at least 1. The names of members are validated.'],
    [{ not: { title: 'Secret' } }, 'Refused: Secret'],
    [{ not: {} }, 'Some values are refused.'],
    [{ if: {}, else: {} }, 'Further conditions apply.'],
    [
      { dependencies: { a: ['b', 'c'], d: {} } },
      '`a` requires `b`, `c`. Further conditions apply if `d` is present.',
    ],
    [{ patternProperties: { '^x-': text } }, 'Members whose name matches `^x-` have a separate schema.'],
    [{ properties: { a: text }, additionalProperties: false }, 'No further members.'],
    [{ additionalProperties: false }, ''],
    [{ additionalProperties: text }, 'Each further member: length: at least 2.'],
    [{ items: text }, 'Each item: length: at least 2.'],
    [{ items: { items: text } }, 'Each item: each item: length: at least 2.'],
    [{ items: [text, {}, { format: 'date' }] }, 'Item 0: length: at least 2. Item 2: format: `date`.'],
    [{ items: [{}], additionalItems: text }, 'Each further item: length: at least 2.'],
    [{ allOf: [text, { pattern: 'a' }, { $ref: '#/x' }] }, 'Length: at least 2. Pattern: `a`.'],
    [{ oneOf: [text, { type: 'null' }] }, 'Length: at least 2.'],
    [{ anyOf: [text, { type: 'integer' }, {}] }, 'One form: length: at least 2. One form: a whole number.'],
    [
      { oneOf: [text, { pattern: 'a' }] },
      'Must match exactly one form. One form: length: at least 2. One form: pattern: `a`.',
    ],
    [
      { contentEncoding: 'base64', contentMediaType: 'image/png', readOnly: true, writeOnly: true },
      'Content: `base64`, `image/png`, not validated. Read only. Write only.',
    ],
    [{ type: 'string', nullable: true }, "Null is also accepted (OpenAPI's `nullable`)."],
    [{ nullable: false }, ''],
    [{ default: { a: [1] } }, 'Default: `{"a":[1]}`.'],
  ]
  for (const [schema, want] of rows)
    t.equal(
      schemaNotes(schema)
        .filter((note) => note !== '')
        .join(' '),
      want,
      JSON.stringify(schema),
    )
  t.same([schemaNotes(true), schemaNotes(false)], [[], []])
})
