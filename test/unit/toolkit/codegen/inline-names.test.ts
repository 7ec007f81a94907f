import t from 'tap'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, emitted, filesOf, inFolder, methodOf, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

const string = { type: 'string' }
const number = { type: 'number' }
const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more })
const list = (items: JsonValue) => ({ type: 'array', items })
const method = (name: string, result: JsonValue, params: readonly JsonObject[] = []) =>
  methodOf(params, result, { name })

/** The types of a contract with these methods and components. */
const typesOf = (methods: readonly JsonObject[], schemas: JsonObject = {}) =>
  emitted(emitTypes, contractOf({ methods, components: { schemas } }))

/** The declarations of exported types by name, without doc comments, each in one line. */
function declarations(types: string): ReadonlyMap<string, string> {
  const bare = types.replaceAll(/\/\*\*.*?\*\/|\/\/[^\n]*/gs, '').replaceAll(/\s+/g, ' ')
  const found = bare.matchAll(/export (?:type|interface) (\S+?)(?:<\S+>)? =? ?(.*?)(?= export |\s*$)/g)
  return new Map(Array.from(found, ([, name = '', text = '']) => [name, text]))
}

const event = object({ at: number, topics: list(string) })
const filter = object({ from: number, order: { enum: ['asc', 'desc'] } })

t.test('inline schemas are named after their place', (t) => {
  const types = declarations(
    typesOf(
      [
        method('get_events', object({ events: list(event), page: object({ next: number }) }), [
          { name: 'filter', schema: filter },
          { name: 'kinds', schema: list({ enum: ['a', 'b'] }) },
        ]),
        method(
          'status',
          list(object({ peers: { ...object({}), additionalProperties: object({ id: string }) } })),
        ),
      ],
      { pet: object({ owner: object({ name: string }), tags: list([object({ tag: string })]) }) },
    ),
  )
  const wanted: readonly (readonly [string, string])[] = [
    [
      'GetEventsResult',
      '{ readonly events?: readonly GetEventsResultEventsItem[] readonly page?: GetEventsResultPage }',
    ],
    ['GetEventsResultEventsItem', '{ readonly at?: number readonly topics?: readonly string[] }'],
    ['GetEventsResultPage', '{ readonly next?: number }'],
    ['GetEventsParamsFilter', "{ readonly from?: number readonly order?: 'asc' | 'desc' }"],
    ['GetEventsParamsKindsItem', "'a' | 'b'"],
    [
      'GetEventsParams',
      'readonly [filter?: GetEventsParamsFilter, kinds?: readonly GetEventsParamsKindsItem[]]',
    ],
    ['StatusResult', 'readonly StatusResultItem[]'],
    ['StatusResultItem', '{ readonly peers?: StatusResultItemPeers }'],
    ['StatusResultItemPeers', '{ readonly [member: string]: StatusResultItemPeersValue }'],
    ['pet', '{ readonly owner?: petOwner readonly tags?: petTags }'],
    ['petTags', 'readonly [petTagsItem?, ...JsonValue[]]'],
  ]
  for (const [name, text] of wanted) t.equal(types.get(name), text, name)
  t.match(types.get('Params'), 'readonly get_events: GetEventsParams')
  t.match(types.get('Results'), 'readonly status: StatusResult')
  t.end()
})

t.test('a title that no different schema has is the name', (t) => {
  const titled = object({ a: string, inner: object({ b: number }) }, { title: 'block header' })
  const types = declarations(
    typesOf([
      method('one', list(titled)),
      method('two', object({ options: object({ a: string }, { title: 'Options' }) })),
      method('three', object({ options: object({ b: string }, { title: 'Options' }) })),
      method('four', object({ id: { title: 'Identifier', description: 'Names a thing.', ...string } })),
      method('five', object({ size: { title: 'Size', ...number } })),
      method(
        'six',
        object({ a: object({ a: number }, { title: 'A whole sentence about one object of six' }) }),
      ),
    ]),
  )
  t.equal(types.get('OneResult'), 'readonly BlockHeader[]')
  t.equal(types.get('BlockHeader'), '{ readonly a?: string readonly inner?: BlockHeaderInner }')
  t.equal(types.get('TwoResult'), '{ readonly options?: TwoResultOptions }')
  t.equal(types.get('ThreeResult'), '{ readonly options?: ThreeResultOptions }')
  t.equal(types.get('FourResult'), '{ readonly id?: Identifier }')
  t.equal(types.get('Identifier'), 'string')
  t.equal(types.get('FiveResult'), '{ readonly size?: number }', 'a type and a title need no name')
  t.equal(types.get('SixResult'), '{ readonly a?: SixResultA }')
  t.notOk(types.has('Options'))
  t.end()
})

t.test('equal schemas share one declaration', (t) => {
  const pet = object({ name: string, age: number }, { required: ['name'] })
  const again = { required: ['name'], properties: { age: number, name: string }, type: ['object'] }
  const types = typesOf(
    [
      method('getPet', pet),
      method('listPets', list({ ...again, examples: [{ name: 'Rex' }] })),
      method('addPet', { ...pet, description: 'The pet as stored.' }),
      method('getDog', object({ dog: object({ bark: string }) })),
      method('other', object({ name: string, age: string }, { required: ['name'] })),
    ],
    { Dog: object({ bark: string }, { description: 'A dog.' }) },
  )
  t.equal(types.split('readonly name: string').length - 1, 2, 'the schema that differs has its own type')
  const found = declarations(types)
  t.equal(found.get('AddPetResult'), '{ readonly name: string readonly age?: number }')
  t.equal(found.get('GetPetResult'), 'AddPetResult')
  t.equal(found.get('ListPetsResultItem'), 'AddPetResult')
  t.equal(found.get('ListPetsResult'), 'readonly AddPetResult[]')
  t.match(found.get('Results'), 'readonly getPet: AddPetResult')
  t.equal(found.get('GetDogResult'), '{ readonly dog?: Dog }', 'a component gives its name to equal schemas')
  t.match(types, '/** The pet as stored. */\n  readonly addPet')
  t.notMatch(types, /stored\. \*\/\nexport interface AddPetResult/)
  t.end()
})

const methods = [
  method('getBlock', object({ header: object({ id: number }, { title: 'Header' }), log: list(event) })),
  method('listBlocks', list(object({ log: list(event), size: number })), [
    { name: 'filter', schema: filter },
  ]),
  method('getEvents', list(event), [{ name: 'filter', schema: filter }]),
]

t.test('names do not depend on the order of methods', (t) => {
  const sorted = (types: string) =>
    [...declarations(types)].filter(([name]) => !/^(?:Params|Results)$/.test(name)).sort()
  t.same(sorted(typesOf(methods.toReversed())), sorted(typesOf(methods)))
  t.end()
})

t.test('an added method or member removes no name', (t) => {
  const before = declarations(typesOf(methods))
  const added = [
    method('aaa', list(event), [{ name: 'filter', schema: filter }]),
    method('bbb', object({ header: object({ id: number }, { title: 'Header' }), size: number })),
    ...methods.map((one) => ({
      ...one,
      params: [...(one.params as JsonObject[]), { name: 'more', schema: object({ x: number }) }],
    })),
  ]
  const after = declarations(typesOf(added as readonly JsonObject[]))
  t.same(
    [...before.keys()].filter((name) => !after.has(name)),
    [],
  )
  t.equal(after.get('GetEventsResultItem'), 'AaaResultItem')
  t.equal(after.get('AaaResultItem'), before.get('GetEventsResultItem'))
  t.end()
})

t.test('names of components and of the language are not taken', async (t) => {
  const titled = (title: string, name: string) => object({ [name]: string }, { title })
  const names = [
    'Error',
    'Array',
    'Promise',
    'Pet',

    'string',
    'ListPetsParams',
  ]
  const contract = contractOf({
    methods: [
      ...names.map((title, at) => method(`m${at}`, object({ [`x${at}`]: titled(title, `y${at}`) }))),
      method('listPets', object({ b: string }), [{ name: 'at', schema: string }]),
      method('list_pets', object({ a: string }), [{ name: 'at', schema: number }]),
      method('error', object({ e: string })),
      method('await', object({ f: string })),
      method('sent', object({ g: object({ h: string }, { title: 'Client' }) })),
      method('seen', object({ i: object({ j: string }, { title: 'Results' }) })),
    ],
    components: { schemas: { Pet: object({ name: string }), ErrorResult: number } },
  })
  const types = declarations(emitted(emitTypes, contract))
  for (const [at, name] of names.entries()) {
    t.equal(types.get(`M${at}Result`), `{ readonly x${at}?: M${at}ResultX${at} }`, name)
  }
  t.equal(types.get('ListPetsResult'), '{ readonly b?: string }')
  t.equal(types.get('ListPetsResult_'), '{ readonly a?: string }')
  t.equal(types.get('ListPetsParams'), 'readonly [at?: string]')
  t.equal(types.get('ListPetsParams_'), 'readonly [at?: number]')
  t.equal(types.get('ErrorResult_'), '{ readonly e?: string }')
  t.equal(types.get('SeenResult'), '{ readonly i?: Results_ }')
  await inFolder(async (dir) => {
    for (const { path, content } of filesOf(contract)) await write(dir, { path: `all/${path}`, content })
    t.equal(await strictCompile(dir), '')
  })
})

t.test('parts of compositions keep their types', (t) => {
  const part = object({ a: string }, { title: 'Part' })
  const types = declarations(
    typesOf(
      [
        method('either', { oneOf: [part, object({ b: string }), { type: 'null' }] }),
        method('both', { allOf: [part, { required: ['c'] }], type: 'object', properties: { c: number } }),
        method('maybe', { anyOf: [{ $ref: '#/components/schemas/Pet' }, { type: 'null' }] }),
        method('perhaps', { anyOf: [object({ i: string }), { type: 'null' }] }),
        method('nullable', { ...object({ d: object({ e: number }) }), nullable: true }),
        method('open', { anyOf: [object({ f: number }), {}] }),
      ],
      { Pet: object({ name: string }) },
    ),
  )
  t.equal(types.get('EitherResult'), 'Part | EitherResultOption2 | null')
  t.equal(types.get('BothResult'), '{ readonly c?: number } & Part & { readonly c: number }')
  t.equal(types.get('NullableResult'), '{ readonly d?: NullableResultD } | null')
  t.match(types.get('Results'), 'readonly maybe: Pet | null')
  t.match(types.get('Results'), 'readonly perhaps: PerhapsResult | null')
  t.equal(types.get('PerhapsResult'), '{ readonly i?: string }')
  t.match(types.get('Results'), 'readonly open: JsonValue')
  t.end()
})

t.test('the description of a named schema appears once', (t) => {
  const said = object(
    { a: { ...string, description: 'The first.' } },
    { description: 'Only once.', title: 'Thing' },
  )
  const contract = contractOf({
    methods: [
      method('get', said),
      method('list', list(said), [{ name: 'thing', required: true, schema: said }]),
      method('hold', object({ thing: said })),
    ],
  })
  const types = emitted(emitTypes, contract)
  for (const text of ['Only once.', 'The first.']) t.equal(types.split(text).length - 1, 1, text)
  const service = filesOf(contract).find(({ path }) => path === 'service.ts')?.content
  t.notMatch(service, 'Only once.')
  t.end()
})
