import t from 'tap'
import { scenariosOf } from '../../../../src/judge/index.js'
import { derivedScenarios } from '../../../../src/toolkit/cases/index.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'
import { type DerivedScenario, derivedOf } from './derived-scenarios.js'

const param = (name: string, schema: JsonValue, required = true): JsonObject => ({ name, required, schema })
const example = (name: string, params: readonly JsonValue[], rest: JsonObject): JsonObject => ({
  name,
  params: params.map((value, at) => ({ name: `p${at}`, value })),
  ...rest,
})
const named = (values: JsonObject, rest: JsonObject): JsonObject => ({
  name: 'named',
  params: Object.entries(values).map(([name, value]) => ({ name, value: value ?? null })),
  ...rest,
})
const result = (value: JsonValue): JsonObject => ({ result: { name: 'r', value } })
const error = (value: JsonObject): JsonObject => ({ error: { name: 'e', value } })

const cases = (method: JsonObject, parts: { readonly [name: string]: JsonValue } = {}) =>
  derivedOf(contractOf({ methods: [method], ...parts }))

/** Short name of the case, and what it sends. */
const sent = (scenarios: readonly DerivedScenario[]) =>
  scenarios.map(({ id, steps }) => [id.replace('derived/m/', ''), steps[0].params] as const)

const refused = { error: { code: -32602 } }

t.test('a case omits a parameter, one adds a parameter, and one sends each wrong type', async (t) => {
  const method = methodOf(
    [param('a', { type: 'string' }), param('b', { type: 'boolean' }, false)],
    {},
    {
      examples: [example('m', ['x', true], result(1))],
    },
  )
  t.same(sent(cases(method)), [
    ['example', ['x', true]],
    ['without-a', []],
    ['one-more', ['x', true, true]],
    ['a-null', [null, true]],
    ['a-boolean', [true, true]],
    ['a-number', [7, true]],
    ['a-list', [[], true]],
    ['a-object', [{}, true]],
    ['b-null', ['x', null]],
    ['b-number', ['x', 7]],
    ['b-text', ['x', 'a value that is not allowed']],
    ['b-list', ['x', []]],
    ['b-object', ['x', {}]],
  ])
})

t.test('an optional parameter without an example is tested with a value from its schema', async (t) => {
  const rows: readonly [JsonValue, readonly string[]][] = [
    [{ type: 'string', minLength: 5 }, ['q-short']],
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['q-short', 'q-long']],
    [{ type: ['string', 'null'], minLength: 5 }, ['q-short']],
    [{ type: 'string', format: 'date-time', minLength: 5 }, ['q-text']],
    [{ type: 'integer', minimum: 50, maximum: 60 }, ['q-low', 'q-high', 'q-fraction']],
    [{ type: 'number', exclusiveMinimum: 99 }, ['q-low']],
    [{ type: 'array', minItems: 2, items: { type: 'integer', minimum: 9 } }, ['q-short', 'q[0]-low']],
    [{ type: 'object', required: ['n'], properties: { n: { type: 'string', minLength: 4 } } }, ['q.n-short']],
    [{ allOf: [{ type: 'string' }, { minLength: 3 }] }, ['q-short']],
  ]
  for (const [schema, want] of rows) {
    const method = methodOf(
      [param('p', { type: 'boolean' }), param('q', schema, false)],
      {},
      { examples: [example('e', [true], result(1))] },
    )
    const found = sent(cases(method)).map(([name]) => name)
    t.strictSame(
      want.filter((name) => !found.includes(name)),
      [],
      `${JSON.stringify(schema)}: ${found.join(', ')}`,
    )
  }
})

t.test('valid values are never expected to be refused', async (t) => {
  const method = methodOf([param('a', {})], {}, { examples: [example('m', [1], result(1))] })
  t.same(sent(cases(method)), [
    ['example', [1]],
    ['without-a', []],
    ['one-more', [1, true]],
  ])
})

/** Mistakes of every parameter, and of every method. */
const everywhere = /^(example|without-a|one-more|a-(null|boolean|number|text|list|object))$/

t.test('values just beyond the limits of a schema', async (t) => {
  const integer = { type: 'integer', minimum: 1, maximum: 9 }
  const open = { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 9 }
  const bytes = (count: string) => ({ type: 'string', pattern: `^0x([0-9a-f]{2})${count}$` })
  const quantity = { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' }
  const rows: readonly [string, JsonObject, JsonValue, JsonObject][] = [
    ['a number', integer, 5, { 'a-low': 0, 'a-high': 10, 'a-fraction': 0.5 }],
    ['open bounds', open, 5, { 'a-low': 1, 'a-high': 9, 'a-fraction': 0.5 }],
    ['a text', { type: 'string', minLength: 2, maxLength: 3 }, 'ab', { 'a-short': 'a', 'a-long': 'abbb' }],
    ['a choice', { enum: ['one', 'two'] }, 'two', {}],
    ['a decimal number', { type: 'string', pattern: '^[0-9]+$' }, '12', { 'a-negative': '-12' }],
    ['a signed number', { type: 'string', pattern: '^-?[0-9]+$' }, '12', {}],
    ['bytes', bytes('{2}'), '0xabcd', { 'a-byte-short': '0xab', 'a-byte-long': '0xabcd00' }],
    ['any bytes', bytes('*'), '0xabcd', { 'a-half-byte': '0xabcd0' }],
    ['a hexadecimal number', quantity, '0x5', { 'a-leading-zero': '0x01', 'a-no-digits': '0x' }],
    [
      'a list',
      { items: {}, type: 'array', minItems: 2, maxItems: 2 },
      [1, 2],
      { 'a-short': [1], 'a-long': [1, 2, 1] },
    ],
    ['any number', { type: 'number' }, 5, {}],
  ]
  for (const [what, schema, value, wanted] of rows) {
    const method = methodOf([param('a', schema)], {}, { examples: [example('m', [value], result(1))] })
    const found = sent(cases(method)).filter(([name]) => !everywhere.test(name))
    t.same(
      Object.fromEntries(found.map(([name, params]) => [name, Object.values(params ?? {})[0]])),
      wanted,
      what,
    )
  }
})

t.test('objects and lists: each member and the first item', async (t) => {
  const schema = {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
  }
  const method = methodOf(
    [param('pet', schema)],
    {},
    { examples: [example('m', [{ id: 1, tags: ['x'] }], result(1))] },
  )
  const inside = sent(cases(method)).filter(([name]) => /^pet[.]|without-id|more$/.test(name))
  t.same(inside, [
    ['one-more', [{ id: 1, tags: ['x'] }, true]],
    ['pet-without-id', [{ tags: ['x'] }]],
    ['pet-more', [{ id: 1, tags: ['x'], noSuchName: true }]],
    ['pet.id-text', [{ id: 'a value that is not allowed', tags: ['x'] }]],
    ['pet.id-fraction', [{ id: 0.5, tags: ['x'] }]],
    ['pet.tags-number', [{ id: 1, tags: 7 }]],
    ['pet.tags-text', [{ id: 1, tags: 'a value that is not allowed' }]],
    ['pet.tags[0]-number', [{ id: 1, tags: [7] }]],
  ])
})

t.test(
  'members with one component share its mistakes: every member and every mistake is tested',
  async (t) => {
    const names = ['a', 'b', 'c', 'd']
    const rows: readonly [string, JsonObject, readonly string[], readonly string[]][] = [
      ['one member gets all mistakes', {}, ['a'], ['a-number', 'a-text', 'a-leading-zero']],
      ['two members', {}, ['a', 'b'], ['a-number', 'a-leading-zero', 'b-text']],
      ['more members than mistakes', {}, names, ['a-number', 'b-text', 'c-leading-zero', 'd-number']],
      [
        'null next to the component changes nothing',
        { type: 'null' },
        ['a', 'b'],
        ['a-number', 'a-leading-zero', 'b-text'],
      ],
    ]
    const components = { schemas: { Count: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' } } }
    const reference = { $ref: '#/components/schemas/Count' }
    const inside = (properties: JsonObject) => {
      const value = Object.fromEntries(Object.keys(properties).map((name) => [name, '0x5']))
      const method = methodOf(
        [param('p', { type: 'object', properties })],
        {},
        { examples: [example('m', [value], result(1))] },
      )
      const all = sent(cases(method, { components })).map(([name]) => name)
      return all.filter((name) => name.startsWith('p.')).map((name) => name.replace('p.', ''))
    }
    for (const [what, also, members, wanted] of rows) {
      const schema = 'type' in also ? { anyOf: [reference, also] } : reference
      t.same(inside(Object.fromEntries(members.map((name) => [name, schema]))), wanted, what)
    }
    t.same(
      inside({ a: components.schemas.Count, b: components.schemas.Count }),
      ['a-number', 'a-text', 'a-leading-zero', 'b-number', 'b-text', 'b-leading-zero'],
      'members without a component get all mistakes each',
    )
  },
)

t.test('an exact example whose members look like matchers is compared literally', async (t) => {
  const variable = `$\{x}`
  const rows: readonly [value: JsonValue, expected: JsonValue][] = [
    [{ $min: 1 }, { $is: { $min: 1 } }],
    [
      { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
      { $is: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } },
    ],
    [
      { list: [{ $each: variable }], plain: { a: `$${variable}` } },
      { list: [{ $is: { $each: `$${variable}` } }], plain: { a: `$$${variable}` } },
    ],
  ]
  for (const [value, expected] of rows) {
    const shown = { ...example('m', [], result(value)), 'x-replay': 'exact' }
    const contract = contractOf({ methods: [methodOf([], {}, { examples: [shown] })] })
    t.same(derivedOf(contract)[0]?.steps[0].expect, { result: expected })
    t.doesNotThrow(() => scenariosOf({ scenarios: derivedScenarios(contract) }, 'cases.json'))
  }
})

t.test('methods whose parameters have one component share booleans, lists and objects', async (t) => {
  const components = { schemas: { Count: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' } } }
  const derived = (schema: JsonObject, methods: readonly string[], writes: readonly string[] = []) =>
    derivedOf(
      contractOf({
        components,
        methods: methods.map((name) => ({
          ...methodOf([param('p', schema)], {}, { examples: [example(name, ['0x5'], result(1))] }),
          name,
          'x-effect': writes.includes(name) ? 'write' : 'read',
        })),
      }),
    ).flatMap(({ id }) => /^derived\/(.*\/p-(?:null|boolean|number|list|object))$/.exec(id)?.[1] ?? [])
  const shared = { $ref: '#/components/schemas/Count' }
  t.same(derived(shared, ['a', 'b']), [
    ...['a/p-null', 'a/p-boolean', 'a/p-number', 'a/p-object'],
    ...['b/p-null', 'b/p-number', 'b/p-list'],
  ])
  t.same(
    derived(shared, ['a', 'b', 'c', 'd']).filter((id) => !/null|number/.test(id)),
    ['a/p-boolean', 'b/p-list', 'c/p-object', 'd/p-boolean'],
    'each method has one of them',
  )
  t.same(
    derived(shared, ['a', 'b', 'c'], ['b']).filter((id) => !/null|number/.test(id)),
    ['a/p-boolean', 'a/p-object', ...['b/p-boolean', 'b/p-list', 'b/p-object'], 'c/p-list'],
    'writes, which default runs do not send, share nothing with reads',
  )
  t.equal(derived(components.schemas.Count, ['a', 'b']).length, 10, 'parameters without a component keep all')
})

t.test('methods whose parameters have one component share JSON types in its members', async (t) => {
  const count = { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' }
  const call = { type: 'object', properties: { gas: count, value: count } }
  const derived = (schema: JsonObject) =>
    derivedOf(
      contractOf({
        components: { schemas: { Call: call } },
        methods: ['a', 'b'].map((name) => ({
          ...methodOf(
            [param('p', schema)],
            {},
            { examples: [example(name, [{ gas: '0x5', value: '0x6' }], result(1))] },
          ),
          name,
        })),
      }),
    ).flatMap(({ id }) => /^derived\/(.*\/p\..*)$/.exec(id)?.[1] ?? [])
  const shared = derived({ $ref: '#/components/schemas/Call' })
  const membersOf = (ids: readonly string[], name: string) =>
    ids.flatMap((id) => (id.startsWith(name) ? [id.slice(name.length)] : []))
  const own = membersOf(derived(call), 'a')
  const isType = (name: string) => /-(boolean|list|object)$/.test(name)
  const isOther = (name: string) => !isType(name)
  const of = (name: string) => membersOf(shared, name)
  t.same([...of('a'), ...of('b')].filter(isType).sort(), own.filter(isType).sort(), 'each once')
  t.ok(own.some(isOther), 'there are others')
  for (const name of ['a', 'b']) t.same(of(name).filter(isOther), own.filter(isOther), 'all others')
  t.same(membersOf(derived(call), 'b'), own, 'parameters without a component keep all')
})

t.test('methods with the same list of parameters share a missing and a surplus one', async (t) => {
  const components = { schemas: { Count: { type: 'string', pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' } } }
  const schema = { $ref: '#/components/schemas/Count' }
  const derived = (isRequired: boolean) =>
    derivedOf(
      contractOf({
        components,
        methods: ['a', 'b'].map((name) => ({
          ...methodOf(
            [param('p', schema, name === 'a' || isRequired)],
            {},
            { examples: [example(name, ['0x5'], result(1))] },
          ),
          name,
        })),
      }),
    ).flatMap(({ id }) => /^derived\/(.*\/(?:one-more|without-p))$/.exec(id)?.[1] ?? [])
  t.same(derived(true), ['a/without-p', 'b/one-more'])
  t.same(derived(false), ['a/without-p', 'a/one-more', 'b/one-more'], 'optional ones are another list')
})

t.test('a member without an example is added with a valid value', async (t) => {
  const schema = { type: 'object', properties: { size: { type: 'integer' } } }
  const method = methodOf([param('pet', schema)], {}, { examples: [example('m', [{}], result(1))] })
  const other = { ...methodOf([param('n', {})]), name: 'n', examples: [example('n', [4], result(1))] }
  const found = derivedOf(contractOf({ methods: [method, other] }))
  t.match(found.find(({ id }) => id === 'derived/m/pet.size-text')?.steps[0].params, [
    { size: 'a value that is not allowed' },
  ])
})

t.test('parameters by name: a missing one is omitted, and a surplus one has a new name', async (t) => {
  const method = methodOf(
    [param('a', { type: 'string' }), param('b', { type: 'string' }, false)],
    {},
    {
      paramStructure: 'by-name',
      examples: [named({ b: 'y', a: 'x' }, result(1))],
    },
  )
  const found = new Map(sent(cases(method)))
  t.same(found.get('example-named'), { a: 'x', b: 'y' })
  t.same(found.get('without-a'), { b: 'y' })
  t.same(found.get('one-more'), { a: 'x', b: 'y', noSuchName: true })
  t.same(found.get('b-number'), { a: 'x', b: 7 })
})

t.test('without an example, valid values replace it', async (t) => {
  const params = [
    param('a', { const: 'only' }),
    param('b', { enum: [3, 4] }),
    param('c', { default: 'd', type: 'string' }, false),
  ]
  const found = new Map(sent(cases(methodOf(params))))
  t.same(found.get('without-a'), [])
  t.same(found.get('without-b'), ['only'])
  t.same(found.get('c-number'), ['only', 3, 7])
  t.same(found.get('one-more'), ['only', 3, 'd', true])
})

t.test('exact examples are compared exactly, others by their schema', async (t) => {
  const own = [
    { code: 1, message: 'No pet' },
    { code: -32602, message: 'Invalid params' },
  ]
  const replay = { 'x-replay': 'exact' }
  const method = methodOf(
    [param('n', {}, false)],
    { type: 'integer' },
    {
      errors: own,
      examples: [
        example('exact', [], { ...result(1), ...replay }),
        example('null', [1], { ...result(null), ...replay, 'x-network': 'test', 'x-rules': ['a.b'] }),
        example('error', [2], { ...error({ code: 1, message: 'No pet', data: { a: 1 } }), ...replay }),
        example('bare', [3], { ...error({ code: 1, message: 'No pet' }), ...replay }),
        example('shape', [4], result(5)),
      ],
    },
  )
  const found = new Map(cases(method).map((scenario) => [scenario.id.replace('derived/m/', ''), scenario]))
  t.same(found.get('example-exact')?.steps[0].expect, { result: 1 })
  t.match(found.get('example-null'), { network: 'test', rule: 'a.b', steps: [{ expect: { result: null } }] })
  t.same(found.get('example-error')?.steps[0].expect, {
    error: { code: 1, message: 'No pet', data: { a: 1 } },
  })
  t.match(found.get('example-error')?.steps[0]['tolerate'], [{ expect: { error: { code: 1 } } }])
  t.match(found.get('example-bare')?.steps[0].expect, { error: { data: { $absent: true } } })
  t.same(found.get('example-shape')?.steps[0].expect, {
    body: {
      '$one-of': [
        { $has: { result: { $schema: '#/methods/0/result/schema' } } },
        { $has: { error: { $has: { code: { '$one-of': [1] } } } } },
      ],
    },
  })
})

t.test('examples of a service that starts alike are exact, unless the answer may vary', async (t) => {
  const shape = { 'x-replay': 'shape' }
  const method = methodOf(
    [param('n', {}, false)],
    { type: 'object' },
    {
      'x-volatile': ['/at', '/items/*/age'],
      examples: [
        example('plain', [], result({ count: 3, at: 17, items: [{ age: 1, name: 'a' }] })),
        example('shape', [1], { ...result({ count: 3 }), ...shape }),
        example('first', [2], result({ count: 1 })),
        example('second', [2], result({ count: 2 })),
        example('error', [3], error({ code: 1, message: 'None' })),
      ],
    },
  )
  const found = new Map(
    derivedScenarios(contractOf({ methods: [method] }), true).map((scenario) => [
      scenario['id'],
      JSON.stringify(scenario),
    ]),
  )
  const expects = (name: string, expected: JsonValue) =>
    t.match(found.get(`derived/m/example-${name}`), `"expect":${JSON.stringify(expected)}`, name)
  const any = { '$one-of': [{ $absent: true }, { $not: { $absent: true } }] }
  expects('plain', {
    result: { $has: { count: 3, at: any, items: [{ $has: { age: any, name: 'a' } }] } },
  })
  t.match(
    found.get('derived/m/example-plain'),
    /If the answer may vary, .* states \\"x-replay\\": \\"shape\\"/,
  )
  for (const name of ['shape', 'first', 'second'])
    expects(name, { result: { $schema: '#/methods/0/result/schema' } })
  t.match(found.get('derived/m/example-error'), '"expect":{"error":{"code":1')
})

t.test('errors of whole requests are no valid answer to an example', async (t) => {
  const errors = { gone: { code: 5, message: 'Gone' }, busy: { code: 6, message: 'Busy' } }
  const failures = { busy: { httpStatus: 503, error: 'busy' }, gone: { httpStatus: 200, error: 'gone' } }
  const method = methodOf(
    [],
    {},
    {
      errors: [{ $ref: '#/components/errors/gone' }, { $ref: '#/components/errors/busy' }],
      examples: [example('m', [], result(1))],
    },
  )
  const [first] = cases(method, {
    components: { errors },
    info: { title: 'T', version: '1', 'x-failures': failures },
  })
  t.match(first?.steps[0].expect, {
    body: { '$one-of': [{}, { $has: { error: { $has: { code: { '$one-of': [5] } } } } }] },
  })
  t.notMatch(JSON.stringify(first), '6')
})

t.test('a method without errors must answer its example with a result', async (t) => {
  const [first] = cases(methodOf([], {}, { examples: [example('m', [], result(1))] }))
  t.same(first?.steps[0].expect, { result: { $schema: '#/methods/0/result/schema' } })
})

t.test('a surplus parameter is tolerated unless a rule of the contract refuses it', async (t) => {
  const method = methodOf([])
  const plain = cases(method).find(({ id }) => id === 'derived/m/one-more')
  t.match(plain?.steps[0], {
    expect: refused,
    tolerate: [{ expect: { result: { $not: { $absent: true } } } }],
  })
  const info = { title: 'T', version: '1', 'x-derived-rules': [{ rule: 'a.surplus', mistakes: ['surplus'] }] }
  const ruled = cases(method, { info }).find(({ id }) => id === 'derived/m/one-more')
  t.match(ruled, { rule: 'a.surplus', steps: [{ expect: refused }] })
  t.notOk('tolerate' in (ruled?.steps[0] ?? {}))
})

t.test('rules of this contract are assigned to cases by mistake and by schema', async (t) => {
  const entries = [
    { rule: 'a.null', mistakes: ['null'] },
    { rule: 'a.number', mistakes: ['number'], schemas: ['Count'] },
    { rule: 'a.any', mistakes: ['null', 'number', 'type', 'missing'] },
  ]
  const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
  const method = methodOf(
    [param('a', ref('Count')), param('b', ref('Name'), false)],
    {},
    {
      examples: [example('m', ['x', 'y'], result(1))],
    },
  )
  const found = cases(method, {
    components: { schemas: { Count: { type: 'string' }, Name: { type: 'string' } } },
    info: { title: 'T', version: '1', 'x-derived-rules': entries },
  })
  const rules = Object.fromEntries(found.map(({ id, rule }) => [id.replace('derived/m/', ''), rule]))
  t.match(rules, {
    'without-a': 'a.any',
    'a-number': ['a.number', 'a.any'],
    'b-number': 'a.any',
    'a-null': 'a.any',
    'b-null': ['a.null', 'a.any'],
    'b-list': 'a.any',
  })
  t.equal(rules['one-more'], undefined)
})

t.test('an example that equals a derived case replaces it', async (t) => {
  const info = { title: 'T', version: '1', 'x-derived-rules': [{ rule: 'a.missing', mistakes: ['missing'] }] }
  const method = methodOf(
    [param('a', { type: 'string' })],
    {},
    {
      examples: [
        example('none', [], {
          ...error({ code: -32602, message: 'No' }),
          'x-replay': 'exact',
          'x-rules': ['a.shown'],
        }),
      ],
    },
  )
  const found = cases(method, { info })
  t.match(
    found.find(({ id }) => id.endsWith('example-none')),
    { rule: ['a.shown', 'a.missing'] },
  )
  t.notOk(found.some(({ id }) => id.endsWith('without-a')))
})

t.test('a writing method has writing cases, and a method without valid calls has none', async (t) => {
  const writes = { ...methodOf([]), 'x-effect': 'write' }
  t.ok(cases(writes).every(({ effect }) => effect === 'write'))
  t.ok(cases(methodOf([])).every(({ effect }) => effect === 'read'))
  const { result: _, ...notification } = methodOf([])
  t.same(cases(notification), [])
})

t.test('an example with invalid parameters becomes a case only when it shows the error', async (t) => {
  const method = methodOf(
    [param('a', { type: 'string' })],
    {},
    {
      examples: [
        example('wrong', [1], result(1)),
        example('missing', [], result(1)),
        example('surplus', ['x', 'y'], result(1)),
        example('told', [2], error({ code: -32602, message: 'a is text' })),
        example('right', ['x'], result(1)),
      ],
    },
  )
  t.same(
    cases(method)
      .map(({ id }) => id)
      .filter((id) => id.includes('example-')),
    ['derived/m/example-told', 'derived/m/example-right'],
  )
})

t.test('invalid parameters are refused with the code that the contract states', async (t) => {
  const failure = { error: 'bad', httpStatus: 200, message: 'x', charge: 0, section: '1', description: 'x' }
  const scenarios = cases(methodOf([param('a', { type: 'string' })], {}), {
    info: { title: 'T', version: '1.0.0', 'x-failures': { invalidParams: failure } },
    components: { errors: { bad: { code: -32050, message: 'x' } } },
  })
  const codes = scenarios.map(({ steps: [{ expect }] }) => JSON.stringify(expect))
  t.ok(codes.length > 2)
  t.same([...new Set(codes)], ['{"error":{"code":-32050}}'])
})
