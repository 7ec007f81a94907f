import { join } from 'node:path'
import t from 'tap'
import {
  bundleDocuments,
  type JsonObject,
  type JsonValue,
  loadDocuments,
  parseContract,
  readContract,
} from '../../../../../src/toolkit/contract/index.js'
import { diffContracts } from '../../../../../src/toolkit/diff/index.js'
import { documentOf, fixtureNames, fixturePath, inFolder, methodOf, write } from '../../codegen/fixtures.js'

/** Bundles files, of which the first is the main document. */
async function bundled(files: Readonly<Record<string, JsonValue>>): Promise<JsonObject> {
  return inFolder(async (dir) => {
    for (const [path, value] of Object.entries(files)) {
      await write(dir, { path, content: JSON.stringify(value) })
    }
    return bundleDocuments(await loadDocuments(join(dir, Object.keys(files)[0] ?? '')))
  })
}

const ref = ($ref: string) => ({ $ref })
const schemas = (methods: readonly JsonValue[], own: JsonObject = {}) =>
  documentOf({ methods, components: { schemas: own } })

t.test('the data of an error may refer to a schema that contains itself', async (t) => {
  const document = await bundled({
    'openrpc.json': documentOf({
      methods: [{ ...methodOf([], {}), errors: [{ code: 1, message: 'No', data: ref('a.json#/Cause') }] }],
    }),
    'a.json': { Cause: { type: 'object', properties: { cause: ref('#/Cause') } } },
  })
  t.match(document['methods'], [{ errors: [{ data: ref('#/components/schemas/Cause') }] }])
  t.same(document['components'], {
    schemas: { Cause: { type: 'object', properties: { cause: ref('#/components/schemas/Cause') } } },
  })
})

t.test('targets in other files become components of their kind', async (t) => {
  const document = await bundled({
    'openrpc.json': documentOf({
      methods: [
        {
          ...methodOf([ref('parts.json#/Id')], ref('parts.json#/Pet')),
          errors: [ref('parts.json#/errors/0')],
          examples: [ref('parts.json#/example')],
          tags: [ref('parts.json#/tag')],
          links: [],
        },
        ref('parts.json#/method'),
      ],
    }),
    'parts.json': {
      Id: { name: 'id', schema: ref('#/Text') },
      Text: { type: 'string' },
      Pet: { type: 'object', properties: { id: ref('#/Text'), parent: ref('#/Pet') } },
      errors: [{ code: 1, message: 'No', 'x-data-schema': ref('#/Pet') }],
      example: { name: 'e', params: [ref('#/value')], result: ref('#/value') },
      value: { name: 'v', value: { $ref: 'data, no reference' } },
      tag: { name: 'tag' },
      method: { name: 'inline', params: [], result: { name: 'r', schema: ref('#/Text') } },
    },
  })
  t.match(document['methods'], [
    {
      params: [ref('#/components/contentDescriptors/Id')],
      result: { schema: ref('#/components/schemas/Pet') },
      errors: [ref('#/components/errors/Parts')],
      examples: [ref('#/components/examplePairings/example')],
      tags: [ref('#/components/tags/tag')],
    },
    { name: 'inline', result: { schema: ref('#/components/schemas/Text') } },
  ])
  t.same(document['components'], {
    contentDescriptors: { Id: { name: 'id', schema: ref('#/components/schemas/Text') } },
    schemas: {
      Text: { type: 'string' },
      Pet: {
        type: 'object',
        properties: { id: ref('#/components/schemas/Text'), parent: ref('#/components/schemas/Pet') },
      },
    },
    errors: { Parts: { code: 1, message: 'No', 'x-data-schema': ref('#/components/schemas/Pet') } },
    examplePairings: {
      example: {
        name: 'e',
        params: [ref('#/components/examples/value')],
        result: ref('#/components/examples/value'),
      },
    },
    examples: { value: { name: 'v', value: { $ref: 'data, no reference' } } },
    tags: { tag: { name: 'tag' } },
  })
})

t.test('names are unique, and depend on nothing but places and collisions', async (t) => {
  const files = {
    'one.json': { A: { const: 1 }, B: { const: 'b' } },
    'sub/two-parts.json': { A: { const: 2 } },
    'whole.json': { const: 'whole' },
  }
  const references = ['one.json#/A', 'one.json#/B', 'sub/two-parts.json#/A', 'whole.json']
  const make = (order: readonly string[]) =>
    bundled({
      'openrpc.json': schemas([methodOf([], { anyOf: order.map(ref) })], { B: { const: 'own' } }),
      ...files,
    })
  const [document, reversed] = [await make(references), await make([...references].reverse())]
  const own = { B: { const: 'own' } }
  const want = {
    ...own,
    oneA: { const: 1 },
    oneB: { const: 'b' },
    twoPartsA: { const: 2 },
    Whole: { const: 'whole' },
  }
  t.same(document['components'], { schemas: want })
  t.same(reversed['components'], { schemas: want })
})

t.test(
  'a component that is only a reference gets its target, and references back are shortened',
  async (t) => {
    const document = await bundled({
      'openrpc.json': schemas([methodOf([], ref('shared.json#/Hash'))], {
        Digest: ref('shared.json#/Hash'),
        Own: { type: 'null' },
      }),
      'shared.json': { Hash: { anyOf: [{ type: 'string' }, ref('openrpc.json#/components/schemas/Own')] } },
    })
    t.same(document['components'], {
      schemas: {
        Digest: { anyOf: [{ type: 'string' }, ref('#/components/schemas/Own')] },
        Own: { type: 'null' },
      },
    })
  },
)

t.test('names of members are no keywords, and data holds no references', async (t) => {
  const properties = { default: ref('a.json#/A'), enum: ref('a.json#/A'), $ref: ref('a.json#/A') }
  const document = await bundled({
    'openrpc.json': schemas([methodOf([], { properties, default: { $ref: 'a.json#/A' } })]),
    'a.json': { A: { type: 'string' } },
  })
  const there = ref('#/components/schemas/A')
  t.same(document['methods'], [
    methodOf([], {
      properties: { default: there, enum: there, $ref: there },
      default: { $ref: 'a.json#/A' },
    }),
  ])
})

t.test('a bundle means the same as its files, and is bundled to itself', async (t) => {
  for (const name of fixtureNames) {
    const documents = await loadDocuments(fixturePath(name))
    const document = bundleDocuments(documents)
    if (documents.all().length === 1) {
      t.same(document, documents.root, `${name} has one file`)
      continue
    }
    const changes = diffContracts(readContract(documents), parseContract(JSON.stringify(document)))
    t.same(
      changes.filter(({ breaks }) => breaks.length > 0),
      [],
      name,
    )
    await inFolder(async (dir) => {
      await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
      const again = await loadDocuments(dir)
      t.equal(again.all().length, 1)
      t.same(bundleDocuments(again), document)
    })
  }
})

t.test('a schema of a file in another dialect states it', async (t) => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  const pair = { prefixItems: [{ type: 'string' }], items: false }
  await inFolder(async (dir) => {
    const main = documentOf({ methods: [methodOf([], ref('parts.json#/Pair'))] })
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(main) })
    await write(dir, { path: 'parts.json', content: JSON.stringify({ $schema, Pair: pair }) })
    const bundled = readContract(await loadDocuments(join(dir, 'openrpc.json'))).bundled()
    t.same(bundled['components'], { schemas: { Pair: { $schema, ...pair } } })
  })
})
