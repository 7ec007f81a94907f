import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { parseTemplate } from '../../../../src/judge/scenario/parse-template.js'
import { isObject, type JsonObject, type JsonValue } from '../../../../src/toolkit/contract/index.js'

const file = new URL('../../../../src/judge/scenario/scenario.schema.json', import.meta.url)
const schema = JSON.parse(readFileSync(file, 'utf8')) as JsonObject

t.test('the schema is plain draft-07, so that editors accept it', async (t) => {
  t.equal(schema['$schema'], 'http://json-schema.org/draft-07/schema#')
  const ajv = new Ajv({ strict: false })
  t.ok(ajv.validateSchema(schema), JSON.stringify(ajv.errors))
})

t.test('the schema alone distinguishes scenarios and fixtures', async (t) => {
  const validate = new Ajv({ strict: false }).compile(schema)
  const table: readonly [yaml: string, valid: boolean][] = [
    ['{ scenario: A., steps: [{ call: x }] }', true],
    ['{ fixture: A., steps: [{ call: x }] }', true],
    ['{ scenario: A., fixture: B., steps: [{ call: x }] }', false],
    ['{ fixture: A., rule: a, steps: [{ call: x }] }', false],
    ['{ steps: [{ call: x }] }', false],
    ['{ scenario: A., steps: [{ call: x, expect: { result: { $patern: a } } }] }', false],
  ]
  for (const [yaml, valid] of table) t.equal(validate(parse(yaml)), valid, yaml)
})

t.test('every member has a description for editors', async (t) => {
  const definitions = schema['definitions'] as JsonObject
  const visit = (value: JsonValue | undefined, place: string): void => {
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, `${place}/${at}`)
    if (!isObject(value)) return
    const properties = value['properties']
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const reference = isObject(property) ? String(property['$ref'] ?? '') : ''
      const target = definitions[reference.replace('#/definitions/', '')]
      const described = [property, target].some((one) => isObject(one) && one['description'] !== undefined)
      t.ok(described || name === 'expect', `${place}/${name}`)
    }
    for (const [name, inner] of Object.entries(value)) visit(inner, `${place}/${name}`)
  }
  visit(schema, '#')
})

t.test('the schema accepts exactly the valid variable names', async (t) => {
  const { pattern } = (schema['definitions'] as { readonly variableName: { readonly pattern: string } })
    .variableName
  for (const name of [
    'a',
    '_',
    'aB1',
    'a-b',
    'a-b-c1',
    'a-_',
    '',
    '1',
    'a-',
    '-a',
    'a-1',
    'a.b',
    'a b',
    'ä',
  ]) {
    const template = parseTemplate(`\${${name}}`)
    const [first] = typeof template === 'string' ? [] : template
    const isVariable = first !== undefined && 'variable' in first && first.variable === name && name !== 'a.b'
    t.equal(new RegExp(pattern, 'u').test(name), isVariable, name)
  }
})
