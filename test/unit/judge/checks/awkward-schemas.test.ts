import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { createChecks } from '../../../../src/judge/index.js'
import { type JsonValue, loadContract } from '../../../../src/toolkit/contract/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { contractOf, methodOf, shown } from './fixtures.js'

const withSchemas = (schemas: { readonly [key: string]: JsonValue }, result: JsonValue = {}) =>
  createChecks(contractOf({ methods: [methodOf(result)], components: { schemas } }))

t.test('recursive and mutually recursive schemas are checked', async (t) => {
  const checks = withSchemas({
    Tree: {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
    },
    Even: {
      anyOf: [
        { type: 'null' },
        { type: 'object', properties: { next: { $ref: '#/components/schemas/Odd' } } },
      ],
    },
    Odd: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Even' } } },
  })
  const check = (key: string, value: JsonValue) => shown(checks.schema(`#/components/schemas/${key}`, value))
  t.same(check('Tree', { children: [{ children: [] }] }), [])
  t.same(check('Tree', { children: [{ children: [7] }] }), ['/children/0/children/0 must be an object'])
  t.same(check('Even', { next: { next: null } }), [])
  t.same(check('Even', { next: {} }), ['/next must have the member "next"'])
})

t.test('schemas with special names are checked', async (t) => {
  const names = ['a/b', 'a~b', 'a b', 'a%2Fb', '100%', '#', '?', '日本', 'constructor', '__proto__']
  const schemas = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]))
  const checks = withSchemas(schemas)
  for (const name of names) {
    const pointer = `#/components/schemas/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`
    t.same(checks.schema(pointer, 1), [], name)
    t.same(shown(checks.schema(pointer, 'x')), [' must be a whole number'], name)
    const referring = withSchemas(schemas, { $ref: pointer })
    t.same(shown(referring.result('m', [], 'x')), [' must be a whole number'], `a reference to ${name}`)
  }
})

t.test('members of any name are checked, own members only', async (t) => {
  const schema = JSON.parse(
    '{"type":"object","required":["constructor"],"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}},"additionalProperties":false}',
  )
  const checks = withSchemas({ Odd: schema })
  const problems = (text: string) => shown(checks.schema('/components/schemas/Odd', JSON.parse(text)))
  t.same(problems('{"constructor":1,"__proto__":1}'), [])
  t.same(problems('{}'), [' must have the member "constructor"'])
  t.same(problems('{"constructor":1,"__proto__":"x"}'), ['/__proto__ must be a whole number'])
  t.same(problems('{"constructor":1,"toString":1}'), [' must not have the member "toString"'])
})

t.test('keywords that ajv would read differently follow the specification', async (t) => {
  const checks = withSchemas({
    Named: { $id: 'https://example.com/named', type: 'string' },
    NamedToo: { $id: 'https://example.com/named', type: 'integer' },
    Nullable: { nullable: true, type: 'string' },
    NullableAny: { nullable: true, minimum: 5 },
    NullableListed: { nullable: true, type: 'string', enum: ['a'] },
    NullableSame: { nullable: true, type: 'string', const: 'a' },
    NullableAll: { nullable: true, type: 'string', allOf: [{ minLength: 2 }, { type: 'string' }] },
    Cents: { type: 'number', multipleOf: 0.01 },
    OldPattern: { type: 'string', pattern: '^\\-[\\_a]$' },
    Formatted: { type: 'string', format: 'no-such-format' },
    Extended: {
      type: 'string',
      'x-note': { $id: 7, $ref: '#/nowhere' },
      discriminator: { propertyName: 'a' },
    },
    Sibling: { $ref: '#/components/schemas/Named', minLength: 2 },
    Later: { dependentRequired: { a: ['b'] } },
    Counted: { items: [{ type: 'integer' }, { type: 'string' }], contains: { const: 1 } },
    Steps: { type: 'number', multipleOf: 5e-324 },
  })
  const rows: readonly [string, JsonValue, boolean][] = [
    ['Named', 'x', true],
    ['NamedToo', 'x', false],
    ['Nullable', null, true],
    ['Nullable', 1, false],
    ['NullableAny', null, true],
    ['NullableAny', 1, false],
    ['NullableListed', null, true],
    ['NullableListed', 'b', false],
    ['NullableSame', null, true],
    ['NullableSame', 'b', false],
    ['NullableAll', null, true],
    ['NullableAll', 'x', false],
    ['Cents', 0.07, true],
    ['Cents', 0.075, false],
    ['OldPattern', '-_', true],
    ['OldPattern', 'x', false],
    ['Formatted', 'x', true],
    ['Extended', 'x', true],
    ['Sibling', 'xx', true],
    ['Sibling', 'x', false],
    ['Later', { a: 1 }, false],
    ['Counted', [1], true],
    ['Counted', [2], false],
    ['Counted', [], false],
    ['Counted', [2, 'a', 1], true],
    ['Steps', 1, true],
  ]
  for (const [key, value, isRight] of rows) {
    const problems = checks.schema(`#/components/schemas/${key}`, value)
    t.equal(problems.length === 0, isRight, `${key}: ${JSON.stringify(value)}`)
  }
})

t.test('references under annotation keywords are not resolved', async (t) => {
  const nowhere = { $ref: '#/components/schemas/Missing' }
  const checks = withSchemas({
    Noted: { type: 'integer', note: nowhere, notes: [nowhere], examples: [nowhere], 'x-note': nowhere },
    Named: { type: 'integer', 'x-note': { $id: 'note' }, note: { $id: 'note', $anchor: 'note' } },
    NamedToo: { type: 'integer', 'x-note': { $id: 'note' }, note: { $id: 'note', $anchor: 'note' } },
    Listed: { enum: [nowhere] },
  })
  t.same(checks.schema('#/components/schemas/Noted', 1), [])
  t.same(shown(checks.schema('#/components/schemas/Noted', 'x')), [' must be a whole number'])
  t.same(shown(checks.schema('#/components/schemas/NamedToo', 'x')), [' must be a whole number'])
  t.same(checks.schema('#/components/schemas/Listed', nowhere), [])
})

t.test('references resolve to schemas anywhere in the document', async (t) => {
  const word = { nullable: true, $ref: '#/components/schemas/Word' }
  const checks = withSchemas({
    Word: { type: 'string' },
    Holder: {
      nullable: true,
      enum: [{}, []],
      properties: { inner: word },
      note: { schemas: [word] },
      default: word,
      'x-note': word,
    },
    OfNullable: { $ref: '#/components/schemas/Holder/properties/inner' },
    OfUnknown: { $ref: '#/components/schemas/Holder/note/schemas/0' },
    OfDefault: { $ref: '#/components/schemas/Holder/default' },
    OfExtension: { $ref: '#/components/schemas/Holder/x-note' },
  })
  for (const key of ['OfNullable', 'OfUnknown', 'OfDefault', 'OfExtension']) {
    const check = (value: JsonValue) => shown(checks.schema(`#/components/schemas/${key}`, value))
    t.same([check('x'), check(null), check(1)], [[], [], [' must be null or a Word']], key)
  }
})

t.test('an example is never read as a schema', async (t) => {
  const example = {
    name: 'e',
    params: [],
    result: { name: 'r', value: { $id: 7, $ref: 'x', type: 'nonsense' } },
  }
  const checks = createChecks(
    contractOf({ methods: [methodOf({ type: 'integer' }, { examples: [example] })] }),
  )
  t.same(checks.result('m', [], 1), [])
})

t.test('a schema inside an extension is found by reference', async (t) => {
  const info = { title: 'T', version: '1', 'x-forms': { reference: { $ref: '#/components/schemas/Id' } } }
  const checks = createChecks(contractOf({ info, components: { schemas: { Id: { type: 'integer' } } } }))
  t.same(shown(checks.schema('#/info/x-forms/reference', 'x')), [' must be a whole number'])
  t.same(checks.schema('/info/x-forms/reference', 1), [])
  t.same(checks.schema('#/components/schemas/Id', 1), [])
})

t.test('schemas in several files may refer to each other', async (t) => {
  const folder = await temporaryFolder(t)
  const own = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1' },
    methods: [methodOf({ $ref: 'parts/pets.json#/Pet' })],
    components: { schemas: { Id: { type: 'integer' } } },
  }
  const pets = {
    Pet: {
      type: 'object',
      properties: { id: { $ref: '../own.json#/components/schemas/Id' }, name: { $ref: '#/Name' } },
    },
    Name: { type: 'string' },
  }
  await mkdir(join(folder, 'parts'))
  await writeFile(join(folder, 'own.json'), JSON.stringify(own))
  await writeFile(join(folder, 'parts/pets.json'), JSON.stringify(pets))
  const checks = createChecks(await loadContract(join(folder, 'own.json')))
  t.same(checks.result('m', [], { id: 1, name: 'a' }), [])
  t.same(shown(checks.schema('parts/pets.json#/Name', 1)), [' must be text'])
  t.same(shown(checks.result('m', [], { id: 'x', name: 1 })), [
    '/id must be a whole number',
    '/name must be text',
  ])
})

t.test('a missing or unusable schema is reported', async (t) => {
  const info = { title: 'T', version: '1', 'x-forms': { wrong: { minimum: 'five' } } }
  const checks = createChecks(contractOf({ info }))
  const rows: readonly [string, RegExp][] = [
    ['#/components/schemas/None', /^The contract has no schema at #\/components\/schemas\/None\.$/],
    ['#/info/title', /^The contract has no schema at #\/info\/title\.$/],
    ['Block', /^"Block" is not a JSON pointer into the contract\.$/],
    ['#/info/x-forms/wrong', /^The schema at #\/info\/x-forms\/wrong cannot be used: /],
  ]
  for (const [pointer, message] of rows) {
    t.throws(() => checks.schema(pointer, 1), { name: 'CheckError', message }, pointer)
  }
})
