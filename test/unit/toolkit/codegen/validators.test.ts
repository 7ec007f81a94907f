import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ValidationProblem } from '@concordat/rpc'
import { Ajv2019 } from 'ajv/dist/2019.js'
import fc from 'fast-check'
import t from 'tap'
import { emitValidators } from '../../../../src/toolkit/codegen/validators/emit-validators.js'
import { useExactMultiples } from '../../../../src/toolkit/contract/exact-multiples.js'
import {
  ContractError,
  type JsonObject,
  type JsonValue,
  objectMember,
} from '../../../../src/toolkit/contract/index.js'
import { runs } from '../../../support/runs.js'
import { contractOf, emitted, inFolder, loadFixture, loadValidators, methodOf, write } from './fixtures.js'

const short = (problems: readonly ValidationProblem[]) => problems.map(({ path, rule }) => `${path} ${rule}`)
const param = (name: string, schema: JsonValue, required = true): JsonObject => ({ name, schema, required })

/** The problems of parameters for a method with these schemas. */
async function problemsOf(params: readonly JsonObject[], given: unknown, parts: JsonObject = {}) {
  const validators = await loadValidators(
    contractOf({ methods: [methodOf(params, {}, parts)], components: shared }),
  )
  return validators['m']?.params(given) ?? []
}

const shared = {
  schemas: {
    Address: {
      title: 'Address',
      description: '0x and 40 hexadecimal digits. More.',
      type: 'string',
      pattern: '^0x[0-9a-f]{40}$',
    },
    Tag: { title: 'Tag', type: 'string', enum: ['latest', 'pending'] },
    Selector: {
      title: 'Selector',
      description: 'An address or a tag',
      anyOf: [{ $ref: '#/components/schemas/Address' }, { $ref: '#/components/schemas/Tag' }],
    },
  },
}
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })

t.test('contradictions beside unevaluated members are refused', async (t) => {
  const inner = { unevaluatedProperties: {}, additionalProperties: true }
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const never = { $schema, oneOf: [{}, { oneOf: [{}, inner, true], not: true }] }
  for (const value of [{}, { a: 1 }, [1], 1]) {
    t.same(await problemsOf([param('p', never)], [value]), [], 'the other branch fits')
    const both = { $schema, allOf: [never, { not: true }] }
    t.not((await problemsOf([param('p', both)], [value])).length, 0)
  }
})

t.test('positional parameters are validated as sent', async (t) => {
  const params = [
    param('first', { type: 'string' }),
    param('second', { type: ['integer', 'null'] }, false),
    param('third', { type: 'boolean' }, false),
  ]
  const rows: readonly [unknown, readonly string[]][] = [
    [['a'], []],
    [['a', 1], []],
    [['a', null], []],
    [['a', 1, true], []],
    [['a', undefined, true], []],
    [[], ['/0 required']],
    [[undefined, 1], ['/0 required']],
    [[null], ['/0 type']],
    [['a', 1, null], ['/2 type']],
    [['a', 1, true, 4], [' maxItems']],
    [
      [1, 'x', 2],
      ['/0 type', '/1 type', '/2 type'],
    ],
    [{ first: 'a' }, [' type']],
    ['a', [' type']],
    [null, [' type']],
    [undefined, [' type']],
    [7, [' type']],
  ]
  const validators = await loadValidators(contractOf({ methods: [methodOf(params)] }))
  for (const [given, want] of rows)
    t.same(short(validators['m']?.params(given) ?? []), want, JSON.stringify(given))
})

t.test('a required parameter after an optional one is still required', async (t) => {
  const params = [param('first', { type: 'string' }, false), param('second', { type: 'string' })]
  t.same(short(await problemsOf(params, ['a'])), ['/1 required'])
  t.same(short(await problemsOf(params, [])), ['/1 required'])
  t.same(await problemsOf(params, ['a', 'b']), [])
})

t.test('parameters by name, and in either structure', async (t) => {
  const params = [param('a/b', { type: 'string' }), param('__proto__', { type: 'integer' }, false)]
  const byName = { paramStructure: 'by-name' }
  const rows: readonly [JsonObject, unknown, readonly string[]][] = [
    [byName, { 'a/b': 'x' }, []],
    [byName, JSON.parse('{"a/b":"x","__proto__":1}'), []],
    [byName, JSON.parse('{"a/b":"x","__proto__":"1"}'), ['/__proto__ type']],
    [byName, {}, ['/a~1b required']],
    [byName, { 'a/b': 1, c: 2 }, [' additionalProperties', '/a~1b type']],
    [byName, ['x'], [' type']],
    [{ paramStructure: 'either' }, ['x'], []],
    [{ paramStructure: 'either' }, { 'a/b': 'x' }, []],
    [{ paramStructure: 'either' }, 'x', [' type']],
  ]
  for (const [parts, given, want] of rows)
    t.same(short(await problemsOf(params, given, parts)), want, JSON.stringify(given))
})

t.test('methods share the function of a schema', async (t) => {
  const object = { type: 'object', properties: { to: ref('Address'), from: ref('Address') } }
  const uses = [
    ref('Address'),
    object,
    { type: 'array', items: ref('Address') },
    { $ref: '#/components/schemas/Same' },
  ]
  const methods = uses.map((schema, at) => ({
    ...methodOf([param('p', schema)], { oneOf: [schema, { type: 'null' }] }),
    name: `m${at}`,
  }))
  const components = { schemas: { ...shared.schemas, Same: shared.schemas.Address } }
  const code = emitted(emitValidators, contractOf({ methods, components }))
  const functions = code.match(/^function (?:is|every)_\w+/gm)?.sort()
  t.same(
    functions,
    [
      ...[
        'every_m1_p',
        'every_m2_p',
        'is_Address',
        'is_m0_result',
        'is_m1_p',
        'is_m1_result',
        'is_m2_p',
        'is_m2_result',
      ],
    ].map((name) => `function ${name}`),
  )
  t.equal(code.split('[0-9a-f]{40}').length - 1, 1, 'one pattern')
})

t.test('names of functions do not clash with methods and with each other', async (t) => {
  const named = (name: string) => ({ ...methodOf([param('p', ref('Address'))], ref('ad-dress')), name })
  const validators = await loadValidators(
    contractOf({
      methods: ['is_Address', 'is_ad_dress', 'pattern_1'].map(named),
      components: {
        schemas: { ...shared.schemas, 'ad-dress': { type: 'integer' } },
      },
    }),
  )
  for (const name of ['is_Address', 'is_ad_dress', 'pattern_1']) {
    t.same(short(validators[name]?.params([`0x${'a'.repeat(40)}`]) ?? []), [])
    t.same(short(validators[name]?.params([7]) ?? []), ['/0 type'])
    t.same(short(validators[name]?.result('a') ?? []), [' type'])
  }
})

t.test('messages are readable and use the words of the contract', async (t) => {
  const rows: readonly [JsonValue, unknown, string][] = [
    [ref('Address'), '0x1', '/0 pattern: must be an Address: 0x and 40 hexadecimal digits'],
    [ref('Address'), 5, '/0 type: must be an Address: 0x and 40 hexadecimal digits'],
    [ref('Tag'), 5, '/0 type: must be one of "latest", "pending"'],
    [{ type: 'string' }, 5, '/0 type: must be a string'],
    [ref('Tag'), 'x', '/0 enum: must be one of "latest", "pending"'],
    [ref('Selector'), 'x', '/0 anyOf: must be an address or a tag'],
    [
      { title: 'HashInput', description: 'A hash: `0x` and digits.', type: 'string', pattern: '^0x' },
      'x',
      '/0 pattern: must be a hash: 0x and digits',
    ],
    [
      { oneOf: [ref('Address'), { type: 'null' }] },
      '0x1',
      '/0 pattern: must be an Address: 0x and 40 hexadecimal digits',
    ],
    [
      { oneOf: [ref('Address'), { type: 'null' }] },
      5,
      '/0 anyOf: must be an Address: 0x and 40 hexadecimal digits, or null',
    ],
    [
      { anyOf: [{ type: 'array' }, { type: 'boolean' }], description: 'The choice. More.' },
      5,
      '/0 anyOf: must be a list, or true or false: the choice',
    ],
    [
      { anyOf: [{ minimum: 9 }, { maximum: 1 }] },
      5,
      '/0 anyOf: must be of one of the forms that the contract allows',
    ],
    [
      { oneOf: [{ type: 'number' }, { type: 'integer' }] },
      3,
      '/0 oneOf: must be of exactly one of the forms that the contract allows, but matches a number and a whole number',
    ],
    [
      { oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      3,
      '/0 oneOf: must be of exactly one of the forms that the contract allows, but matches form 1 and form 2',
    ],
    [
      { oneOf: [{ type: 'object', required: ['a'] }, { required: ['b'] }, { type: 'array' }] },
      { a: 1, b: 1 },
      '/0 oneOf: must be of exactly one of the forms that the contract allows, but matches form 1 and form 2',
    ],
    [{ type: 'string', pattern: '^a+$' }, 'b', '/0 pattern: must be a string that matches ^a+$'],
    [{ type: 'integer' }, 1.5, '/0 type: must be a whole number'],
    [{ type: ['array', 'null', 'boolean'] }, 1, '/0 type: must be a list or null or true or false'],
    [{ const: { a: 1 } }, 1, '/0 const: must be {"a":1}'],
    [false, 1, '/0 false: is not allowed'],
    [{ type: 'string', minLength: 2 }, '𝒳', '/0 minLength: must have at least 2 characters'],
    [{ type: 'string', maxLength: 1 }, '𝒳𝒳', '/0 maxLength: must have at most 1 character'],
    [{ minimum: 2 }, 1, '/0 minimum: must be at least 2'],
    [{ multipleOf: 2 }, 3, '/0 multipleOf: must be a multiple of 2'],
    [{ type: 'object', required: ['to'] }, {}, '/0 required: the member "to" is missing'],
    [
      { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      {},
      '/0 required: one of the members "a", "b" is needed',
    ],
    [
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      '/0 additionalProperties: the member "b" is not known',
    ],
    [{ not: { type: 'string', title: 'Text' } }, 'x', '/0 not: must not be a Text'],
    [
      { dependencies: { a: ['b'] } },
      { a: 1 },
      '/0 dependencies: the member "b" is missing, but required by "a"',
    ],
    [
      JSON.parse(
        '{"if":{"required":["a"]},"then":{"properties":{"b":{"type":"null"}},"description":"B is not allowed beside a."}}',
      ),
      { a: 1, b: 2 },
      '/0/b type: b is not allowed beside a',
    ],
    [{ if: { required: ['a'] }, else: { required: ['b'] } }, {}, '/0 required: the member "b" is missing'],
    [
      { items: { anyOf: [ref('Address'), { type: 'array', items: ref('Address') }] } },
      [['0x1']],
      '/0/0/0 pattern: must be an Address: 0x and 40 hexadecimal digits',
    ],
    [{ uniqueItems: true }, [1, 1], '/0 uniqueItems: must not have duplicate items'],
    [{ contains: { const: 7 } }, [1], '/0 contains: has no item that matches the contract'],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '/0 maxLength: the member name "ab" must have at most 1 character',
    ],
  ]
  for (const [schema, given, want] of rows) {
    const [first] = await problemsOf([param('p', schema)], [given])
    t.equal(first && `${first.path} ${first.rule}: ${first.message}`, want)
  }
  t.same(await problemsOf([], [1]), [{ path: '', rule: 'maxItems', message: 'takes no parameters' }])
  t.same(await problemsOf([param('blockHash', true)], []), [
    { path: '/0', rule: 'required', message: 'the parameter "blockHash" is missing' },
  ])
})

t.test('all problems of a small value are reported, ten at most, and the first of a large one', async (t) => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' }, list: { items: { type: 'string' } } },
  }
  t.same(short(await problemsOf([param('p', schema)], [{ a: 1, b: 2 }])), ['/0/a type', '/0/b type'])
  t.equal((await problemsOf([param('p', schema)], [{ list: Array(500).fill(1) }])).length, 10)
  t.same(short(await problemsOf([param('p', schema)], [{ a: 1, list: Array(100_000).fill(1) }])), [
    '/0/a type',
  ])
  const closed = { type: 'object', additionalProperties: false }
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, at]))
  t.equal((await problemsOf([param('p', closed)], [many])).length, 1)
  const [long] = await problemsOf([param('p', closed)], [{ ['x'.repeat(1_000_000)]: 1 }])
  t.equal(long?.message.length, 300)
  const [deepPath] = await problemsOf(
    [param('p', { additionalProperties: { type: 'string' } })],
    [{ ['x'.repeat(9999)]: 1 }],
  )
  t.equal(deepPath?.path.length, 500)
})

t.test(
  'a recursive schema applies at every depth, and too deep nesting is a problem, not a crash',
  async (t) => {
    const validators = await loadValidators(await loadFixture('recursive'))
    const walk = validators['walk']?.params ?? (() => [])
    t.same(walk([{ label: 'a', children: [{ label: 'b', parent: null }] }]), [])
    t.same(short(walk([{ label: 'a', children: [{ label: 'b', children: [{}] }] }])), [
      '/0/children/0/children/0 required',
    ])
    let deep: unknown = { label: 'x' }
    for (let depth = 0; depth < 200_000; depth++) deep = { label: 'x', parent: deep }
    t.same(walk([deep]), [{ path: '/0', rule: 'depth', message: 'is nested too deeply' }])
    const inner = validators['inner']
    t.same(inner?.params([{ next: { next: { value: 1 } } }]), [])
    t.same(short(inner?.params([{ next: { next: { other: 1 } } }]) ?? []), [
      '/0/next/next additionalProperties',
    ])
    t.same(inner?.result({ next: { next: null } }), [])
    t.same(short(inner?.result({ next: { next: 1 } }) ?? []), ['/next/next type'])
  },
)

t.test('known formats are checked, only in strings, and without imports', async (t) => {
  const rows: readonly [JsonValue, unknown, readonly string[]][] = [
    [{ format: 'date' }, '2024-02-29', []],
    [{ format: 'date' }, '2023-02-29', ['/0 format']],
    [{ format: 'date' }, 5, []],
    [{ type: ['string', 'null'], format: 'uri-reference' }, null, []],
    [{ type: 'string', format: 'regex' }, '(', ['/0 format']],
    [{ type: 'string', format: 'regex' }, '\\-', []],
    [{ type: 'integer', format: 'int32' }, 2 ** 40, []],
    [{ type: 'string', format: 'toString' }, 'x', []],
    [{ items: { format: 'ipv4' } }, ['1.2.3.4', '1.2.3'], ['/0/1 format']],
  ]
  for (const [schema, given, want] of rows)
    t.same(short(await problemsOf([param('p', schema)], [given])), want, JSON.stringify(schema))
  const [problem] = await problemsOf([param('p', { title: 'Day', type: 'string', format: 'date' })], ['x'])
  t.equal(problem?.message, 'must be a Day')
  const text = (schema: JsonValue) =>
    emitted(emitValidators, contractOf({ methods: [methodOf([param('p', schema)])] }))
  t.notMatch(text({ format: 'int32' }), /formats/)
  t.match(text({ format: 'uuid' }), /^const formats = \{\n {2}uuid: \(text\) => [^\n]*\n\}$/m)
  t.notMatch(text({ description: 'x\nconst formats0 = formats.date;\n' }), /^const formats =/m)
})

t.test('a notification has no result to check', async (t) => {
  const validators = await loadValidators(await loadFixture('pet-store'))
  t.same(validators['petSeen']?.result('anything'), [])
})

t.test('the generated file imports nothing and contains no schema places', async (t) => {
  for (const name of ['pet-store', 'recursive', 'constructs', 'hostile']) {
    const text = emitted(emitValidators, await loadFixture(name))
    t.notMatch(text, /\brequire\(|^import |\bimport\(|\beval\(|new Function/m, name)
    t.notMatch(text, /schemaPath:|components\/schemas/, name)
  }
})

t.test('each method has an export, unless its name gives no identifier of its own', async (t) => {
  const names = [
    'plain',
    'wallet.list',
    'a.b',
    'a b',
    'check',
    'Array',
    'eval',
    'validators',
    'delete',
    'then',
  ]
  const contract = contractOf({ methods: names.map((name) => ({ ...methodOf([], {}), name })) })
  const { validators, ...exported } = await inFolder(async (dir) => {
    await write(dir, { path: 'validators.mjs', content: emitted(emitValidators, contract) })
    return import(pathToFileURL(join(dir, 'validators.mjs')).href)
  })
  t.same(Object.keys(validators), names)
  t.same(Object.keys(exported), ['Array', 'check', 'delete_', 'eval_', 'plain', 'wallet_list'])
  t.equal(exported['wallet_list'], validators['wallet.list'])
})

t.test('a schema change affects only the methods that use it', async (t) => {
  const text = (pattern: string) => {
    const method = (name: string, key: string) => ({ ...methodOf([param('p', ref(key))], ref(key)), name })
    const schemas = {
      A: { type: 'string', pattern },
      B: { type: 'array', items: { type: 'string', pattern: '^b' } },
    }
    const contract = contractOf({
      methods: [method('first', 'A'), method('second', 'B')],
      components: { schemas },
    })
    return emitted(emitValidators, contract).split('\nconst method_second = ')
  }
  const [before, after] = [text('^a'), text('^(a|b)$')]
  t.not(before[0], after[0])
  t.equal(before[1], after[1])
})

t.test('"exactly one" holds also for overlapping alternatives', async (t) => {
  const rows: readonly [JsonValue, unknown, boolean][] = [
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, null, true],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1, false],
    [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, 1.5, true],
    [{ oneOf: [{ const: 'a' }, { enum: ['a', 'b'] }] }, 'a', false],
    [{ oneOf: [{ const: 'a' }, { enum: [1, null, [2]] }] }, 'a', true],
    [
      { oneOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: ['null', 'array'] }] },
      null,
      false,
    ],
    [{ oneOf: [{ type: 'string', nullable: true }, { type: 'null' }] }, null, false],
    [{ oneOf: [ref('Address'), { type: 'boolean' }, {}] }, true, false],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }], anyOf: [{ const: 'a' }, { const: null }] }, 'b', false],
  ]
  for (const [schema, given, want] of rows) {
    t.equal((await problemsOf([param('p', schema)], [given])).length === 0, want, JSON.stringify(schema))
  }
})

t.test('an invalid default, and an invalid schema, are errors with a pointer', async (t) => {
  const files = (schema: JsonValue) => () =>
    emitted(emitValidators, contractOf({ methods: [methodOf([param('p', schema)])] }))
  t.throws(files({ type: 'string', default: 5 }), {
    name: 'ContractError',
    message: '#/methods/0/params/0/schema: the default 5 violates its own schema',
  })
  t.throws(files({ type: 'string', properties: { a: { $ref: '#/nowhere' } } }), ContractError)
})

/** Values that match the fixtures' schemas more often than arbitrary JSON does. */
const near = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      1,
      0.5,
      5,
      7,
      9,
      10,
      '',
      'a',
      'b',
      'ab',
      'bad',
      'é',
      'éé',
      'x:y-z',
      'circle',
      'square',
      '+',
      '*',
    ),
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.constantFrom(
        'a',
        'b',
        'c',
        'in',
        'id',
        'kind',
        'size',
        'name',
        'x-1',
        'extra',
        'radius',
        'side',
        'label',
        'next',
        'B',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
}))

/** The oracle's verdict; undefined when it throws, because it cannot compare a member named `toString`. */
function judged(validate: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return validate(value) === true
  } catch {
    return undefined
  }
}

t.test('a member with a name of Object.prototype is compared like any other', async (t) => {
  const schema = { enum: [{ a: 1 }] }
  const { m } = await loadValidators(contractOf({ methods: [methodOf([param('p', schema)], schema)] }))
  t.same(m?.result({ a: 1 }), [])
  for (const name of ['toString', 'valueOf', 'constructor', 'hasOwnProperty', '__proto__']) {
    t.equal(m?.result(JSON.parse(`{"${name}":1}`)).length, 1, name)
  }
})

t.test('a member called __proto__ is treated like any other by every keyword', async (t) => {
  const rows: readonly [string, string, boolean][] = [
    ['{"dependencies":{"__proto__":["b"]}}', '{"__proto__":1}', false],
    ['{"dependencies":{"__proto__":["b"],"c":["d"]},"allOf":[{}]}', '{"__proto__":1,"b":2}', true],
    ['{"dependencies":{"__proto__":["b"],"c":["d"]}}', '{"c":1}', false],
    ['{"dependencies":{"__proto__":{"required":["b"]}}}', '{"__proto__":1}', false],
    ['{"dependencies":{"__proto__":{"required":["b"]}}}', '{}', true],
    ['{"dependentRequired":{"__proto__":["b"]}}', '{"__proto__":1}', false],
    ['{"dependentSchemas":{"__proto__":{"required":["b"]}}}', '{"__proto__":1}', false],
    ['{"required":["__proto__"]}', '{}', false],
    ['{"propertyNames":{"pattern":"^a"}}', '{"__proto__":1}', false],
    ['{"additionalProperties":false,"properties":{"__proto__":{}}}', '{"__proto__":1}', true],
    ['{"additionalProperties":false}', '{"__proto__":1}', false],
    ['{"patternProperties":{"^_":{"type":"string"}}}', '{"__proto__":1}', false],
    ['{"const":{"__proto__":1}}', '{"__proto__":1}', true],
    ['{"const":{"__proto__":1}}', '{}', false],
    ['{"enum":[{"__proto__":{"a":1}}]}', '{"__proto__":{"a":2}}', false],
    ['{"minProperties":1}', '{"__proto__":1}', true],
    ['{"uniqueItems":true,"items":{"type":"string"}}', '["__proto__","__proto__"]', false],
    ['{"uniqueItems":true,"items":{"type":"string"}}', '["__proto__","toString","constructor"]', true],
    ['{"uniqueItems":true}', '[{"__proto__":1},{"__proto__":1}]', false],
    ['{"uniqueItems":true}', '[{"__proto__":1},{}]', true],
  ]
  const methods = rows.map(([schema], at) => ({ ...methodOf([], JSON.parse(schema)), name: `m${at}` }))
  const validators = await loadValidators(contractOf({ methods }))
  for (const [at, [schema, value, want]] of rows.entries())
    t.equal(validators[`m${at}`]?.result(JSON.parse(value)).length === 0, want, `${schema} ${value}`)
})

t.test('keywords that ajv would read differently follow the specification', async (t) => {
  const tuple = { items: [{ type: 'integer' }, { type: 'string' }], contains: { const: 1 } }
  const rows: readonly [JsonValue, JsonValue, boolean][] = [
    [tuple, [], false],
    [tuple, [1], true],
    [tuple, [2], false],
    [tuple, [2, 'a', 1], true],
    [{ ...tuple, allOf: [{ maxItems: 1 }] }, [1, 'a'], false],
    [{ ...tuple, minContains: 2 }, [1], false],
    [{ ...tuple, minContains: 2 }, [1, 'a', 1], true],
    [{ ...tuple, minContains: 0 }, [2], true],
    [{ contains: { const: 1 }, minContains: 0 }, [], true],
    [{ contains: { const: 1 }, minContains: 0, maxContains: 1 }, [1, 1], false],
    [{ ...tuple, nullable: true }, null, true],
    [{ multipleOf: 0.01 }, 0.07, true],
    [{ multipleOf: 0.01 }, 0.075, false],
    [{ multipleOf: 5e-324 }, 1, true],
    [{ multipleOf: 7e-300 }, 1.5e300, false],
    [{ multipleOf: 3 }, 1e20, false],
    [{ type: 'integer', multipleOf: 10 }, 1e23, true],
    [{ type: 'string', enum: ['a'], nullable: true }, null, true],
  ]
  const methods = rows.map(([schema], at) => ({ ...methodOf([param('p', schema)], schema), name: `m${at}` }))
  const validators = await loadValidators(contractOf({ methods }))
  for (const [at, [schema, value, want]] of rows.entries()) {
    const text = JSON.stringify({ schema, value })
    t.equal(validators[`m${at}`]?.result(value).length === 0, want, text)
    t.equal(validators[`m${at}`]?.params([value]).length === 0, want, text)
  }
})

for (const name of ['constructs', 'recursive']) {
  t.test(`random values: the validators of "${name}" agree with ajv on the original schemas`, async (t) => {
    const fixture = await loadFixture(name)
    const methods = fixture.schemas.map(({ key }) => ({
      ...methodOf([param('p', ref(key))], ref(key)),
      name: key,
    }))
    const components = { schemas: objectMember(objectMember(fixture.document, 'components'), 'schemas') }
    const validators = await loadValidators(contractOf({ methods, components }))
    const oracle = new Ajv2019({
      strict: false,
      validateFormats: false,
      unicodeRegExp: false,
    })
    useExactMultiples(oracle)
    oracle.addSchema({ $id: 'raw', components }, undefined, false, false)
    for (const { key } of fixture.schemas) {
      if (key === 'Unicode') continue
      const raw = oracle.getSchema(`raw#/components/schemas/${encodeURIComponent(key)}`)
      const ours = validators[key]
      if (!raw || !ours) throw new Error(key)
      fc.assert(
        fc.property(near.value, (made) => {
          // A copy as received over the wire: with normal prototypes, and without -0.
          const value: unknown = JSON.parse(JSON.stringify(made))
          const [asParam, asResult] = [ours.params([value]).length === 0, ours.result(value).length === 0]
          const valid = judged(raw, value)
          return valid === undefined || (asParam === valid && asResult === valid)
        }),
        { numRuns: runs(300) },
      )
      t.pass(key)
    }
  })
}

const tagged = (kind: JsonValue, members: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: ['kind', ...Object.keys(members)],
  properties: { kind, ...members },
  ...more,
})
const goods = tagged({ const: 'goods' }, { description: { type: 'string' } })
const letters = tagged({ enum: ['letters', 'cards'] })

t.test('of a union with a tag, only the branch of the tag is reported', async (t) => {
  const first = async (schema: JsonValue, value: JsonValue) => {
    const [problem] = await problemsOf([param('x', schema)], [value])
    return problem && `${problem.path} ${problem.message}`
  }
  const tags = '/0/kind must be one of "goods", "letters", "cards"'
  for (const keyword of ['oneOf', 'anyOf']) {
    const union = { [keyword]: [goods, letters] }
    t.equal(await first(union, { kind: 'goods' }), '/0 the member "description" is missing')
    t.equal(await first(union, { kind: 'cards', more: 1 }), '/0 the member "more" is not known')
    t.equal(await first(union, { kind: 'cards' }), undefined)
    t.equal(await first(union, { kind: 'goods', description: 1 }), '/0/description must be a string')
    t.equal(await first(union, { kind: 'parcels' }), tags)
    t.equal(await first(union, { kind: null, description: '' }), tags)
    t.equal(await first(union, { description: '' }), '/0 the member "kind" is missing')
    for (const other of [null, 5, 'goods', [{ kind: 'goods' }]])
      t.equal(await first(union, other), '/0 must be an object', JSON.stringify(other))
    const nullable = { [keyword]: [{ type: 'null' }, goods, letters] }
    t.equal(await first(nullable, null), undefined)
    t.equal(await first(nullable, { kind: 'goods' }), '/0 the member "description" is missing')
  }
})

t.test('tags are read through references, allOf and nested unions', async (t) => {
  const versions = [1, 2].map((version) =>
    tagged({ const: 'call' }, { version: { const: version }, [`of${version}`]: { type: 'integer' } }),
  )
  const schema = { oneOf: [ref('Goods'), { allOf: [ref('Letters')] }, { oneOf: versions }] }
  const components = { schemas: { Goods: goods, Letters: letters } }
  const validators = await loadValidators(
    contractOf({ methods: [methodOf([param('x', schema)])], components }),
  )
  const first = (value: JsonValue) => {
    const [problem] = validators['m']?.params([value]) ?? []
    return problem && `${problem.path} ${problem.message}`
  }
  t.equal(first({ kind: 'goods' }), '/0 the member "description" is missing')
  t.equal(first({ kind: 'letters' }), undefined)
  t.equal(first({ kind: 'call', version: 2 }), '/0 the member "of2" is missing')
  t.equal(first({ kind: 'call', version: 3 }), '/0/version must be one of 1, 2')
  t.equal(first({ kind: 'call', version: 1, of1: 1 }), undefined)
})

t.test('a union with a tag accepts what ajv accepts', async (t) => {
  const constants = fc.subarray(['a', 'b', 1, null, true, 'A'], { minLength: 1 })
  const branch = fc.oneof(
    constants.map((values) => tagged({ enum: values }, { size: { type: 'integer' } })),
    constants.map(([value = null]) => tagged({ const: value })),
    constants.map((values) => ({ type: 'object', properties: { kind: { enum: values } } })),
    constants.map((values) => ({ allOf: [tagged({ enum: values }, {}, { additionalProperties: true })] })),
    fc.constantFrom<JsonObject>({ type: 'null' }, { type: 'null', not: {} }, { type: 'string' }, {}),
  )
  const value = fc.oneof(
    fc.record(
      { kind: fc.constantFrom('a', 'b', 1, null, true, 'A', 2, {}), size: fc.constantFrom(1, 'x') },
      { requiredKeys: [] },
    ),
    fc.constantFrom<JsonValue>(null, 'a', [], 1),
  )
  const union = fc.record({
    keyword: fc.constantFrom('oneOf', 'anyOf'),
    branches: fc.array(branch, { minLength: 2, maxLength: 4 }),
  })
  await fc.assert(
    fc.asyncProperty(union, fc.array(value, { minLength: 20 }), async ({ keyword, branches }, values) => {
      const schema = { [keyword]: branches }
      const validate = new Ajv2019({ strict: false }).compile(schema)
      const validators = await loadValidators(contractOf({ methods: [methodOf([param('x', schema)])] }))
      for (const each of values as readonly JsonValue[]) {
        const problems = validators['m']?.params([each]) ?? []
        t.equal(problems.length === 0, validate(each), JSON.stringify([schema, each]))
      }
    }),
    { numRuns: runs(80) },
  )
})
