import t from 'tap'
import { createTypeFitter } from '../../../../src/toolkit/codegen/types/fits-type.js'
import { typeNames } from '../../../../src/toolkit/codegen/types/type-names.js'
import { createTypeWriter } from '../../../../src/toolkit/codegen/types/type-writer.js'
import { createSchemaChecker, type JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf } from './fixtures.js'

const text = { type: 'string' }
const weak = { type: 'object', properties: { a: text } }
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
const components = { Weak: weak, Strong: { type: 'object', required: ['s'], properties: { s: text } } }

t.test('the values of a schema that its TypeScript type accepts', async (t) => {
  const rows: readonly [JsonValue, JsonValue, boolean][] = [
    [true, 5, true],
    [{}, [5], true],
    [text, 'a', true],
    [{ type: 'integer' }, 5, true],
    [{ type: 'string', nullable: true }, null, true],
    [weak, {}, true],
    [weak, { a: 'x', b: 1 }, true],
    [weak, { b: 1 }, false],
    [{ type: 'object', properties: { constructor: text } }, {}, true],
    [{ type: 'object', properties: { constructor: text } }, { constructor: 'x' }, true],
    [{ properties: { a: text } }, 5, false],
    [{ properties: { a: text } }, [1], false],
    [{ items: text }, {}, false],
    [{ items: weak }, [{ a: 'x' }, { b: 1 }], false],
    [{ items: [text, weak] }, ['x', { b: 1 }], false],
    [{ items: [text], additionalItems: weak }, ['x', { b: 1 }], false],
    [{ items: [text] }, ['x', { b: 1 }], true],
    [{ type: 'object' }, { b: 1 }, true],
    [{ type: 'object', properties: { a: weak } }, { a: { b: 1 } }, false],
    [{ type: 'object', additionalProperties: weak }, { a: { b: 1 } }, false],
    [{ type: 'object', additionalProperties: weak }, { a: { a: 'x' } }, true],
    [{ ...weak, additionalProperties: { type: 'integer' } }, { b: 1 }, true],
    [{ ...weak, patternProperties: { '^x': weak }, additionalProperties: false }, { x: { b: 1 } }, false],
    [{ type: 'object', required: ['s'], properties: { a: text } }, { s: 1 }, true],
    [{ type: 'object', required: ['s'], additionalProperties: weak }, { s: { b: 1 } }, false],
    [{ ...weak, anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, true],
    [{ type: 'object', properties: { a: weak }, anyOf: [{ required: ['a'] }] }, { a: { b: 1 } }, false],
    [{ enum: [{ b: 1 }], properties: { a: text } }, { b: 1 }, true],
    [ref('Weak'), { b: 1 }, false],
    [{ allOf: [ref('Weak'), ref('Strong')] }, { s: 'x' }, true],
    [{ allOf: [ref('Weak'), { type: 'object', properties: { c: text } }] }, { b: 1 }, false],
    [{ allOf: [ref('Weak'), { minProperties: 1 }] }, { b: 1 }, false],
    [{ anyOf: [ref('Weak'), { type: 'null' }] }, { b: 1 }, false],
    [{ anyOf: [ref('Weak'), {}] }, { b: 1 }, true],
    [{ anyOf: [ref('Weak'), { type: 'object' }] }, { b: 1 }, true],
    [{ oneOf: [{ ...weak, required: ['a'] }, ref('Strong')] }, { s: 'x' }, true],
    [{ type: 'object', oneOf: [ref('Weak'), ref('Strong')] }, { a: 'x' }, true],
    [{ ...ref('Strong'), properties: { a: text } }, { s: 'x' }, true],
  ]
  for (const [schema, value, want] of rows) {
    const contract = contractOf({ components: { schemas: { ...components, Given: schema } } })
    const check = createSchemaChecker(contract)
    const fits = createTypeFitter(createTypeWriter(contract, typeNames(contract)), check)
    const located = contract.schemas.find(({ key }) => key === 'Given')
    if (!located) throw new Error('no schema')
    t.same(check(located, value), [], `the schema takes it: ${JSON.stringify([schema, value])}`)
    t.equal(fits(located, value), want, JSON.stringify([schema, value]))
  }
})
