import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import {
  type ContractError,
  type JsonObject,
  loadContract,
  parseContract,
} from '../../../../../src/toolkit/contract/index.js'
import { diffContracts } from '../../../../../src/toolkit/diff/index.js'
import { lintContract } from '../../../../../src/toolkit/lint/index.js'
import { inFolder } from '../../codegen/fixtures.js'

const denied = { $ref: '#/components/errors/denied' }
const result = { name: 'result', schema: { type: 'string' } }
const example = { name: 'one', params: [], result: { name: 'result', value: 'a' } }

/** A document whose methods share errors and the cost of a call. */
function documentOf(defaults: unknown, methods: readonly JsonObject[], parts: JsonObject = {}): JsonObject {
  return {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1.0.0', ...(defaults !== undefined && { 'x-method-defaults': defaults }) },
    methods: methods.map((method) => ({ params: [], ...method })),
    components: { errors: { denied: { code: 1, message: 'Denied' }, late: { code: 2, message: 'Late' } } },
    ...parts,
  } as JsonObject
}

const defaults = { errors: [denied], paramStructure: 'by-position', 'x-cost': 1 }
const short = documentOf(defaults, [
  { name: 'plain', result },
  {
    name: 'own',
    result,
    errors: [{ $ref: '#/components/errors/late' }],
    'x-cost': 5,
    paramStructure: 'either',
  },
  { name: 'both', result, errors: [denied] },
  { name: 'notify' },
])
const long = documentOf(undefined, [
  { name: 'plain', result, errors: [denied], paramStructure: 'by-position', 'x-cost': 1 },
  {
    ...{ name: 'own', result, paramStructure: 'either', 'x-cost': 5 },
    errors: [{ $ref: '#/components/errors/late' }, denied],
  },
  { name: 'both', result, errors: [denied], paramStructure: 'by-position', 'x-cost': 1 },
  { name: 'notify', paramStructure: 'by-position', 'x-cost': 1 },
])
const parsed = (document: JsonObject) => parseContract(JSON.stringify(document))

t.test('defaults mean the same as the members written out in each method', async (t) => {
  const [one, other] = [parsed(short), parsed(long)]
  t.same(one.methods, other.methods)
  t.same(one.errors, other.errors)
  t.same(one.document, other.document)
  t.same(one.bundled(), other.bundled())
  t.same(diffContracts(one, other), [])
  t.same(diffContracts(other, one), [])
  const changed = parsed(documentOf({ ...defaults, 'x-cost': 2 }, [{ name: 'plain', result }]))
  const before = parsed(documentOf(defaults, [{ name: 'plain', result }]))
  t.same(
    diffContracts(before, changed).map(({ pointer }) => pointer),
    ['#/methods/plain/x-cost'],
  )
})

t.test('a document without defaults is not copied', async (t) => {
  const { document, bundled } = parsed(long)
  t.equal(bundled(), document)
})

t.test('methods of other files state their members themselves', async (t) => {
  await inFolder(async (folder) => {
    await writeFile(
      join(folder, 'one.json'),
      JSON.stringify({ name: 'far', params: [], result, 'x-cost': 3 }),
    )
    const document = { ...documentOf(defaults, [{ name: 'near', result }]) }
    const methods = [{ $ref: 'one.json' }, { name: 'near', params: [], result }]
    await writeFile(join(folder, 'openrpc.json'), JSON.stringify({ ...document, methods }))
    const contract = await loadContract(folder)
    t.same(
      contract.methods.map(({ name, extensions, errors }) => [name, extensions['x-cost'], errors.length]),
      [
        ['far', 3, 0],
        ['near', 1, 1],
      ],
    )
  })
})

t.test('each wrong default is reported once, at its place', async (t) => {
  const rows: readonly [unknown, string, RegExp][] = [
    [[], '#/info/x-method-defaults', /must be an object/],
    [{ name: 'a' }, '#/info/x-method-defaults/name', /cannot have a default: use errors, paramStructure/],
    [{ paramStructure: 'sideways' }, '#/info/x-method-defaults/paramStructure', /by-name/],
    [{ errors: [{ code: 'x' }] }, '#/info/x-method-defaults/errors/0', /./],
    [
      { errors: [{ $ref: '#/components/errors/none' }] },
      '#/info/x-method-defaults/errors/0',
      /does not exist/,
    ],
  ]
  for (const [wrong, place, message] of rows) {
    const document = documentOf(wrong, [
      { name: 'a', result },
      { name: 'b', result },
    ])
    const { problems } = t.throws(() => parsed(document)) as ContractError
    t.same([...new Set(problems.map(({ pointer }) => pointer.slice(0, place.length)))], [place])
    t.ok(
      problems.some((problem) => message.test(problem.message)),
      JSON.stringify(problems),
    )
  }
})

t.test(
  'a declared extension checks its default, and asks for a statement where a schema has none',
  async (t) => {
    const declaration = {
      ...{ openrpcExtension: '0.0.0-development', name: 'x-cost', version: '1.0.0', required: true },
      ...{
        restricted: ['methodObject'],
        summary: 'The cost.',
        schema: { type: 'integer' },
        'x-stated-for': ['Id'],
      },
    }
    const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
    const taking = (key: string) => [{ name: 'value', schema: ref(key) }]
    const methods = [
      { name: 'id', params: taking('Id'), result, examples: [example], errors: [] },
      { name: 'deep', params: taking('Deep'), result, examples: [example], errors: [] },
      { name: 'name', params: taking('Name'), result, examples: [example], errors: [] },
    ]
    const schemas = {
      Id: { type: 'string' },
      Name: { type: 'string' },
      Deep: { type: 'object', properties: { id: ref('Id'), deep: ref('Deep') } },
    }
    const parts = { components: { schemas }, 'x-extensions': [declaration] }
    const pointers = async (value: unknown, more: JsonObject = parts) =>
      inFolder(async (folder) => {
        const file = join(folder, 'openrpc.json')
        await writeFile(file, JSON.stringify(documentOf({ 'x-cost': value }, methods, more), null, 2))
        const text = await readFile(file, 'utf8')
        const findings = (await lintContract(file)).filter(({ severity }) => severity === 'error')
        return findings.map(({ pointer, line }) => `${pointer} ${text.split('\n')[line - 1]?.trim()}`)
      })
    t.same(await pointers(1), ['#/methods/0 {', '#/methods/1 {'])
    t.match(await pointers('much'), ['#/info/x-method-defaults/x-cost "x-cost": "much"'])
    const unknown = { ...parts, 'x-extensions': [{ ...declaration, 'x-stated-for': ['Other'] }] }
    t.match((await pointers(1, unknown)).join(), '#/x-extensions/0/x-stated-for/0')
  },
)
