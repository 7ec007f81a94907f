import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  ContractError,
  type JsonValue,
  loadContract,
  parseContract,
} from '../../../../../src/toolkit/contract/index.js'
import {
  contractOf,
  documentOf,
  fixturePath,
  inFolder,
  loadFixture,
  methodOf,
} from '../../codegen/fixtures.js'

function problems(parts: { readonly [name: string]: JsonValue }): readonly string[] {
  try {
    contractOf(parts)
    return []
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  }
}

const schemas = (all: { readonly [name: string]: JsonValue }) => ({ components: { schemas: all } })

t.test(
  'the model keeps the order of the document and follows references where OpenRPC has objects',
  async (t) => {
    const contract = await loadContract(fixturePath('pet-store'))
    t.equal(contract.title, 'Pet store')
    t.equal(contract.version, '1.2.3')
    t.equal(contract.openrpc, '1.3.2')
    t.same(
      contract.methods.map(({ name, paramStructure }) => [name, paramStructure]),
      [
        ['listPets', 'by-position'],
        ['getPet', 'by-name'],
        ['addPet', 'either'],
        ['petSeen', 'by-position'],
      ],
    )
    const [listPets, getPet, addPet, petSeen] = contract.methods
    t.same(listPets?.tags, ['read'])
    t.match(listPets?.params[0], { name: 'limit', required: false, default: 10 })
    t.match(addPet?.params[0], {
      name: 'pet',
      required: true,
      pointer: '#/components/contentDescriptors/newPet',
    })
    t.equal(addPet?.deprecated, true)
    t.equal(petSeen?.result, undefined)
    t.same(listPets?.extensions, { 'x-rules': ['pets.newest-first'] })
    t.same(
      getPet?.errors.map(({ key, code }) => [key, code]),
      [
        ['gone', -32050],
        ['busy', 100],
      ],
    )
    t.same(listPets?.examples[1]?.error, { code: 100, message: 'Pets are busy' })
    t.same(listPets?.examples[0]?.params, [
      { pointer: '#/methods/0/examples/0/params/0/value', name: 'limit', value: 1 },
    ])
    t.equal(contract.servers[0]?.url, ['http://localhost:8080/$', '{path}'].join(''))
  },
)

t.test('equal inline errors share one name, whatever the order of methods', async (t) => {
  const full = { code: 1, message: 'Queue full: try again' }
  const methods = (lists: Readonly<Record<string, readonly JsonValue[]>>) =>
    Object.entries(lists).map(([name, errors]) => ({ ...methodOf([], {}, { errors }), name }))
  const rows: readonly [Readonly<Record<string, readonly JsonValue[]>>, Readonly<Record<string, string>>][] =
    [
      [
        { b: [full], a: [full] },
        { a: 'queueFull', b: 'queueFull' },
      ],
      [{ a: [full] }, { a: 'queueFull' }],
      [
        { b: [full], a: [full], c: [{ ...full, code: -2 }] },
        { a: 'a_1', b: 'a_1', c: 'c_minus_2' },
      ],
      [{ a: [{ code: 2, message: 'busy' }] }, { a: 'a_2' }],
      [
        { a: [{ code: 1, message: '404' }], b: [{ code: 1, message: '404' }] },
        { a: 'a_1', b: 'a_1' },
      ],
      [
        { a: [{ code: 1, message: 'HTTP request failed for an unknown reason' }] },
        { a: 'httpRequestFailedForAn' },
      ],
    ]
  for (const [lists, want] of rows) {
    const contract = contractOf({
      methods: methods(lists),
      components: { errors: { busy: { code: 100, message: 'Busy' } } },
    })
    t.same(Object.fromEntries(contract.methods.map(({ name, errors }) => [name, errors[0]?.key])), want)
    const names = contract.errors.map(({ key }) => key)
    t.same(names, ['busy', ...new Set(Object.keys(lists).map((name) => want[name]))])
  }
})

t.test('schemas keep their references, and a recursive document is valid', async (t) => {
  const { schemas: all, resolve } = await loadFixture('recursive')
  const tree = all[0]
  t.equal(tree?.key, 'Tree')
  t.match(tree?.schema, { properties: { children: { items: { $ref: '#/components/schemas/Tree' } } } })
  t.equal(resolve('#/components/schemas/Tree', '#').pointer, '#/components/schemas/Tree')
  t.throws(() => resolve('#/info/title', '#/methods/0'), ContractError)
  t.throws(() => resolve('#/nowhere', '#/methods/0'), { message: '#/methods/0: "#/nowhere" does not exist' })
})

t.test('the default of a parameter is its own, or that of its reference', async (t) => {
  const given = (schema: JsonValue) =>
    contractOf({
      methods: [methodOf([{ name: 'p', schema }])],
      ...schemas({ Tag: { type: 'string', default: 'far' }, Again: { $ref: '#/components/schemas/Tag' } }),
    }).methods[0]?.params[0]?.default
  t.equal(given({ type: 'string' }), undefined)
  t.equal(given({ type: 'string', default: 'near' }), 'near')
  t.equal(given({ $ref: '#/components/schemas/Tag' }), 'far')
  t.equal(given({ $ref: '#/components/schemas/Again' }), 'far')
  t.equal(given({ $ref: '#/components/schemas/Tag', default: 'near' }), 'near')
  t.equal(given({ type: 'null', default: null }), null)
})

t.test('errors of one method that share a code are one error', async (t) => {
  const errors = [
    { code: 5, message: 'first' },
    { code: 5, message: 'second' },
    { code: 6, message: 'third' },
  ]
  const contract = contractOf({ methods: [methodOf([], {}, { errors })] })
  t.same(
    contract.errors.map(({ key, message }) => [key, message]),
    [
      ['first', 'first'],
      ['third', 'third'],
    ],
  )
  t.equal(contract.methods[0]?.errors.length, 2)
})

t.test('each mistake is a problem with its pointer', async (t) => {
  const ref = (to: string) => ({ $ref: to })
  const at = '#/components/schemas'
  const rows: readonly [string, { readonly [name: string]: JsonValue }, string][] = [
    [
      'a dangling reference',
      schemas({ A: ref('#/components/schemas/B') }),
      `${at}/A: "#/components/schemas/B" does not exist`,
    ],
    [
      'another document',
      schemas({ A: ref('b.json#/B') }),
      `${at}/A: "b.json" is another document, but only this document was loaded: use references that begin with "#/"`,
    ],
    [
      'no pointer',
      schemas({ A: ref('#B') }),
      `${at}/A: "#B" is not a JSON pointer: references begin with "#/"`,
    ],
    ['no schema', schemas({ A: ref('#/info/title') }), `${at}/A: "#/info/title" is not a schema`],
    [
      'itself',
      schemas({ A: ref('#/components/schemas/A') }),
      `${at}/A: refers to itself without a member or an item in between`,
    ],
    ['a pattern', schemas({ A: { pattern: '(' } }), `${at}/A/pattern: is not a valid regular expression`],
    [
      'an id',
      schemas({ A: { $id: 'x', items: ref('#/components/schemas/B') }, B: {} }),
      `${at}/A: "$id" changes the base of the references inside this schema: remove it`,
    ],
    [
      'two methods',
      { methods: [methodOf([]), methodOf([])] },
      '#/methods/1: the method "m" is already declared at #/methods/0',
    ],
    [
      'two parameters',
      {
        methods: [
          methodOf([
            { name: 'p', schema: {} },
            { name: 'p', schema: {} },
          ]),
        ],
      },
      '#/methods/0/params/1: the parameter "p" is already declared at #/methods/0/params/0',
    ],
    [
      'a dangling parameter',
      { methods: [methodOf([ref('#/components/contentDescriptors/p')])] },
      '#/methods/0/params/0: "#/components/contentDescriptors/p" does not exist',
    ],
    [
      'a circle',
      { methods: [methodOf([ref('#/methods/0/params/0')])] },
      '#/methods/0/params/0: "#/methods/0/params/0" refers to itself',
    ],
    [
      'one key for two errors',
      {
        methods: [methodOf([], {}, { errors: [{ code: 1, message: '404' }] })],
        components: { errors: { m_1: { code: 1, message: 'y' } } },
      },
      '#/methods/0/errors/0: the name "m_1" is already used at #/components/errors/m_1',
    ],
  ]
  for (const [name, parts, want] of rows) t.same(problems(parts), [want], name)
})

t.test('a circular reference is refused through every composition, and valid through members', async (t) => {
  const self = { $ref: '#/components/schemas/A' }
  const endless = [
    { allOf: [self] },
    { anyOf: [{ type: 'null' }, { allOf: [self] }] },
    { oneOf: [self] },
    { not: self },
    { if: self, else: {} },
    { dependencies: { a: self } },
  ]
  for (const schema of endless)
    t.equal(
      problems(schemas({ A: schema }))[0],
      '#/components/schemas/A: refers to itself without a member or an item in between',
    )
  t.same(problems(schemas({ A: { anyOf: [{ type: 'null' }, self] } })), [
    '#/components/schemas/A/anyOf/1: leads back to the union that it is an alternative of, and adds no value: remove this alternative',
  ])
  const guarded = [
    { properties: { a: self } },
    { items: self },
    { items: [self] },
    { additionalProperties: { anyOf: [self, { type: 'null' }] } },
  ]
  for (const schema of guarded) t.same(problems(schemas({ A: schema })), [])
})

t.test('all problems are reported together', async (t) => {
  const found = problems({
    methods: [methodOf([]), methodOf([])],
    ...schemas({ A: { $ref: '#/x' }, B: { $ref: '#/y' } }),
  })
  t.equal(found.length, 3)
})

t.test(
  'violations of the meta-schema are described in words, with pointers and without echoes',
  async (t) => {
    const rows: readonly [JsonValue, readonly string[]][] = [
      [[], ['#: an OpenRPC document is an object with "openrpc", "info" and "methods", not a list']],
      [5, ['#: an OpenRPC document is an object with "openrpc", "info" and "methods", not a number']],
      [{}, ['#: not an OpenRPC document: the member "openrpc" with the version is missing']],
      [
        { openrpc: '9.9.9', info: { title: 'x' }, methods: [] },
        [
          '#/openrpc: unknown OpenRPC version "9.9.9": use 1.0.0 to 1.3.2, or 1.4',
          '#/info: the member "version" is missing',
        ],
      ],
      [documentOf({ openrpc: 1.3 }), ['#/openrpc: the version must be a string such as "1.3.2", not 1.3']],
      [
        { openapi: '3.0.0' },
        [
          '#: not an OpenRPC document: the member "openrpc" with the version is missing. This looks like an "openapi" document',
        ],
      ],
      [{ openrpc: '1.3.2' }, ['#: the member "info" is missing', '#: the member "methods" is missing']],
      [
        {
          openrpc: '1.3.2',
          info: { title: 1 },
          methods: [
            { name: 'x', params: [{ name: 'p' }, { schema: { type: 'strin' } }, 5] },
            { params: 'q', result: { name: 'r', schema: { properties: { a: { minLength: -1 }, b: 7 } } } },
          ],
          components: { schemas: { A: { pattern: '(' }, B: { enum: 5, required: [1] } } },
          extra: 1,
        },
        [
          '#/extra: unknown member "extra": correct its name or remove it',
          '#/info: the member "version" is missing',
          '#/info/title: must be a string, not 1',
          '#/methods/0/params/0: the member "schema" is missing',
          '#/methods/0/params/1: the member "name" is missing',
          '#/methods/0/params/1/schema/type: must be one of array, boolean, integer, null, number, object, string',
          '#/methods/0/params/2: must be an object, not 5',
          '#/methods/1: the member "name" is missing',
          '#/methods/1/params: must be a list, not "q"',
          '#/methods/1/result/schema/properties/a/minLength: must be >= 0',
          '#/methods/1/result/schema/properties/b: must be an object, not 7',
          '#/components/schemas/A/pattern: is not a valid regular expression',
          '#/components/schemas/B/required/0: must be a string, not 1',
          '#/components/schemas/B/enum: must be a list, not 5',
        ],
      ],
      [documentOf({ info: { title: 'x' } }), ['#/info: the member "version" is missing']],
      [documentOf({ methods: [{ name: 'x' }] }), ['#/methods/0: the member "params" is missing']],
      [
        documentOf({ methods: [{ name: 'x', params: [{ name: 'p' }] }] }),
        ['#/methods/0/params/0: the member "schema" is missing'],
      ],
      [documentOf({ extra: 1 }), ['#/extra: unknown member "extra": correct its name or remove it']],
      [
        documentOf(schemas({ "it's": { type: 'strin' } })),
        [
          "#/components/schemas/it's/type: must be one of array, boolean, integer, null, number, object, string",
        ],
      ],
    ]
    for (const [document, want] of rows) {
      try {
        parseContract(JSON.stringify(document))
        t.fail(want.join())
      } catch (error) {
        if (!(error instanceof ContractError)) throw error
        t.same(
          error.problems.map(({ pointer, message }) => `${pointer}: ${message}`),
          want,
        )
      }
    }
  },
)

t.test('a missing, unreadable or invalid file is a contract error', async (t) => {
  await inFolder(async (dir) => {
    const path = join(dir, 'openrpc.json')
    await t.rejects(loadContract(path), { name: 'ContractError', message: 'the file does not exist' })
    await t.rejects(loadContract(dir), {
      name: 'ContractError',
      message: 'has no openrpc.json, openrpc.yaml, openrpc.yml: give the path of the document',
    })
    await writeFile(path, '{')
    await t.rejects(loadContract(path), { name: 'ContractError', message: /^is not valid JSON: / })
    await writeFile(path, `\uFEFF${JSON.stringify(documentOf())}`)
    t.equal((await loadContract(path)).title, 'T')
  })
})
