import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { validateOpenRPCDocument } from '@open-rpc/schema-utils-js'
import t from 'tap'
import {
  isObject,
  type JsonObject,
  type JsonValue,
  loadContract,
  objectMember,
  parseContract,
  withoutPrivateTerms,
} from '../../../../../src/toolkit/contract/index.js'
import { diffContracts } from '../../../../../src/toolkit/diff/index.js'
import { lintContract } from '../../../../../src/toolkit/lint/index.js'
import { inFolder } from '../../codegen/fixtures.js'

const declaration = (name: string, restricted: readonly string[], isPrivate: boolean) => ({
  ...{ openrpcExtension: '0.0.0-development', name, version: '1.0.0', restricted, schema: {} },
  ...(isPrivate && { 'x-private': true }),
})
const limit = (value: number, isPrivate = false) => ({ value, ...(isPrivate && { private: true }) })
const value = { type: 'object', properties: { 'x-inner': { type: 'string', 'x-inner': 1 } }, 'x-inner': 2 }
const document = {
  openrpc: '1.3.2',
  info: {
    title: 'T',
    version: '1.0.0',
    'x-inner': { a: 1 },
    'x-shown': { b: 2 },
    'x-limits': { rows: limit(5), spare: limit(6, true) },
  },
  methods: [
    {
      name: 'm',
      params: [{ name: 'value', schema: value }],
      result: { name: 'r', schema: { $ref: '#/components/schemas/Part' } },
      'x-inner': 'node',
      'x-shown': 1,
      examples: [
        {
          name: 'e',
          params: [{ name: 'value', value: { 'x-inner': 'a' } }],
          result: { name: 'r', value: 'b' },
        },
      ],
    },
  ],
  components: { schemas: { Part: { type: 'string', 'x-inner': 3 } } },
  'x-extensions': [
    { ...declaration('x-inner', ['infoObject', 'methodObject'], true), 'x-restricted': ['schemaObject'] },
    declaration('x-shown', ['infoObject', 'methodObject'], false),
  ],
}
const parsed = (parts: JsonObject = {}) => parseContract(JSON.stringify({ ...document, ...parts }))

t.test(
  'private extensions and limits are left out, names and data that look like them are kept',
  async (t) => {
    const published = parsed().published()
    const [method] = document.methods
    t.same(published, {
      ...document,
      info: { title: 'T', version: '1.0.0', 'x-shown': { b: 2 }, 'x-limits': { rows: limit(5) } },
      methods: [
        {
          ...{ name: 'm', 'x-shown': 1, examples: method?.examples, result: method?.result },
          params: [
            { name: 'value', schema: { type: 'object', properties: { 'x-inner': { type: 'string' } } } },
          ],
        },
      ],
      components: { schemas: { Part: { type: 'string' } } },
      'x-extensions': [document['x-extensions'][1]],
    })
    const { info, methods } = withoutPrivateTerms(parsed())
    t.same(info, published['info'])
    t.same(methods[0]?.extensions, { 'x-shown': 1 })
  },
)

t.test('a document without private terms is published as it is', async (t) => {
  const { 'x-inner': _, ...info } = document.info
  const contract = parsed({
    info: { ...info, 'x-limits': { rows: limit(5) } },
    'x-extensions': [declaration('x-shown', ['infoObject', 'methodObject'], false)],
  })
  t.equal(contract.published(), contract.document)
})

t.test('extensions of errors need no declaration, and the published document has one', async (t) => {
  const errors = {
    late: { code: 1, message: 'Late', 'x-http-status': 504, 'x-data-schema': { type: 'string' } },
  }
  const inline = { code: 2, message: 'Busy', 'x-retry-after-seconds': 1 }
  const method = { ...document.methods[0], errors: [{ $ref: '#/components/errors/late' }, inline] }
  const contract = parsed({ components: { ...document.components, errors }, methods: [method] })
  t.match(contract.methods[0]?.errors, [{ httpStatus: 504 }, { retryAfterSeconds: 1 }])
  const published = contract.published()
  t.equal(validateOpenRPCDocument(published as never), true)
  const declared = published['x-extensions'] as readonly { readonly name: string }[]
  const names = ['x-shown', 'x-data-schema', 'x-http-status', 'x-retry-after-seconds']
  t.same(declared.map(({ name }) => name).sort(), names.toSorted())
  t.throws(() => parsed({ methods: [{ ...method, errors: [{ ...inline, 'x-other': 1 }] }] }), {
    message: /unknown member "x-other": declare the extension/,
  })
})

t.test('the files of a contract are published as one document', async (t) => {
  await inFolder(async (dir) => {
    const result = { name: 'r', schema: { $ref: 'part.json#/Part' } }
    const methods = [{ ...document.methods[0], result, examples: [] }]
    await writeFile(join(dir, 'openrpc.json'), JSON.stringify({ ...document, methods }))
    await writeFile(join(dir, 'part.json'), JSON.stringify({ Part: { type: 'integer', 'x-inner': 3 } }))
    const published = (await loadContract(dir)).published()
    t.match(published, { methods: [{ result: { schema: { $ref: /^#\/components\/schemas\// } } }] })
    t.notMatch(JSON.stringify(published), '"x-inner":3')
  })
})

t.test('changes of a private limit break nobody', async (t) => {
  const withSpare = (spare: JsonObject) =>
    parsed({ info: { ...document.info, 'x-limits': { rows: limit(5), ...spare } } })
  const [many, few, none] = [
    withSpare({ spare: limit(6, true) }),
    withSpare({ spare: limit(4, true) }),
    withSpare({}),
  ]
  for (const [old, next] of [
    [many, few],
    [few, many],
    [many, none],
    [none, many],
  ] as const) {
    t.same(
      diffContracts(old, next).map(({ pointer, breaks }) => [pointer, breaks]),
      [['#/info/x-limits/spare', []]],
    )
  }
  const shown = withSpare({ spare: limit(6) })
  t.match(diffContracts(shown, withSpare({ spare: limit(5) })), [{ breaks: ['clients'] }])
})

t.test('the published form of our own contract is complete for every OpenRPC tool', async (t) => {
  const contract = await loadContract('openrpc.json')
  const published = contract.published()
  t.equal(validateOpenRPCDocument(published as never), true)
  const names = new Set<string>()
  const collect = (value: JsonValue | undefined): void => {
    if (typeof value !== 'object' || value === null) return
    if (isObject(value)) for (const name of Object.keys(value)) names.add(name)
    Object.values(value).forEach(collect)
  }
  collect(published)
  for (const name of ['x-method-defaults', 'x-node-calls', 'x-cache', 'x-form', 'passwordMinimumLength']) {
    t.notOk(names.has(name), name)
  }
  t.ok(Object.keys(objectMember(objectMember(published, 'info'), 'x-limits')).includes('bodyBytes'))
  await inFolder(async (dir) => {
    const file = join(dir, 'openrpc.json')
    await writeFile(file, JSON.stringify(published, null, 2))
    const findings = (await lintContract(file)).map(({ rule, pointer }) => `${rule} ${pointer}`)
    t.same(findings, [])
    const read = await loadContract(file)
    t.same(read.published(), published, 'it is published as it is')
    t.same(
      read.methods.map(({ errors, paramStructure }) => [errors.map(({ key }) => key), paramStructure]),
      contract.methods.map(({ errors, paramStructure }) => [errors.map(({ key }) => key), paramStructure]),
    )
  })
})
