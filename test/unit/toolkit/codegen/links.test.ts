import t from 'tap'
import { generate, generateFiles } from '../../../../src/toolkit/codegen/index.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, fileOf, loadFixture, loadModules, methodOf, tool } from './fixtures.js'

const text = { type: 'string' }
const user = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: text,
    tags: { type: 'array', items: text },
    boss: { $ref: '#/components/schemas/User' },
  },
}
const param = (name: string, schema: JsonValue = text, required = true) => ({ name, schema, required })

/** A contract of a method with links, and their target method \`get\`. */
const contractWith = (links: readonly JsonObject[], parts: JsonObject = {}) =>
  contractOf({
    methods: [
      methodOf(
        [param('who'), param('n', { type: 'integer' })],
        { $ref: '#/components/schemas/User' },
        { name: 'find', links, ...parts },
      ),
      { ...methodOf([param('name'), param('full', { type: 'boolean' }, false)]), name: 'get' },
      {
        ...methodOf([param('id', { type: ['integer', 'null'] }), param('note')]),
        name: 'note',
        paramStructure: 'by-name',
      },
    ],
    components: {
      schemas: { User: user },
      links: { Shared: { method: 'get', params: { name: '${result.name}' } } },
    },
  })
const link = (params: JsonObject, parts: JsonObject = {}) => ({ name: 'l', method: 'get', params, ...parts })

/** The text of links.ts after the declaration, in one line. */
const textOf = (...links: readonly JsonObject[]) => {
  const content = fileOf(generateFiles(contractWith(links), tool), 'links.ts')
  return content.slice(content.indexOf('export const links')).replaceAll(/\s+/g, ' ')
}

t.test('a link is a function from an answer to the next parameters', async (t) => {
  const rows: readonly [string, string, readonly string[]][] = [
    [
      'from the result, by position',
      textOf(link({ name: '${result.boss.name}' })),
      [
        "from: { readonly result: Results['find'] }, more?: { readonly full?: boolean | undefined }, ) => readonly [name: string, full?: boolean | undefined] | undefined",
        "params: [ { name: 'name', required: true, value: { result: ['boss', 'name'] } }, { name: 'full', required: false }, ]",
        "paramStructure: 'by-position'",
        'Leads to `get`.',
      ],
    ],
    [
      'from the parameters',
      textOf(link({ name: '${params.who}', full: true })),
      [
        "(from: { readonly params: Params['find'] }",
        "value: { param: 'who', position: 0, path: [] }",
        'value: { constant: true }',
      ],
    ],
    [
      'by name, with parameters that the caller adds',
      textOf(link({ id: '${result.id}' }, { method: 'note' })),
      [
        'more: { readonly note: string }, ) => { readonly id: number | null; readonly note: string } | undefined',
        "{ name: 'id', required: true, value: { result: ['id'] }, takesNull: true }",
      ],
    ],
    ['constants alone', textOf(link({ name: 'x', full: false })), ['(from: object) =>']],
    [
      'a text with expressions',
      textOf(link({ name: 'u/${result.id}' })),
      ["value: { text: ['u/', { result: ['id'] }] }"],
    ],
    [
      'a shared link is named by its key',
      textOf({ $ref: '#/components/links/Shared' }),
      [' Shared: createLink('],
    ],
    [
      'an unnamed link is named after its method',
      textOf({ method: 'get', params: { name: 'x' } }),
      [' get: createLink('],
    ],
    [
      'a link without a method leads to its own method',
      textOf({ name: 'again', params: { who: '${result.name}' } }),
      ['Leads to `find`.'],
    ],
    ['a hostile name', textOf(link({ name: 'x' }, { name: '__proto__' })), ["['__proto__']: createLink("]],
  ]
  for (const [title, given, wanted] of rows)
    for (const want of wanted) t.ok(given.replaceAll('( from', '(from').includes(want), `${title}: ${given}`)
})

t.test('an invalid link is omitted and reported with its place', async (t) => {
  const rows: readonly [string, JsonObject, string][] = [
    [
      'an unknown method',
      link({}, { method: 'gone' }),
      '/method: the link is omitted: there is no method "gone" in this contract',
    ],
    [
      'an unknown parameter',
      link({ other: 1 }),
      '/params/other: the link is omitted: "get" has no parameter "other"',
    ],
    [
      'no expression',
      link({ name: '${x}' }),
      '/params/name: the link is omitted: ${x} is not a runtime expression: write ${result.member} or ${params.name}',
    ],
    [
      'a missing parameter',
      link({ name: '${params.x}' }),
      '/params/name: the link is omitted: ${params.x}: "find" has no parameter "x"',
    ],
    [
      'another type',
      link({ name: '${result.id}' }),
      '/params/name: the link is omitted: ${result.id} is a number, and "name" requires a string',
    ],
    [
      'a list instead of its item',
      link({ name: '${result.tags}' }),
      '/params/name: the link is omitted: ${result.tags} is an array, and "name" requires a string',
    ],
    [
      'a member of a scalar',
      link({ name: '${result.name.first}' }),
      '/params/name: the link is omitted: ${result.name.first} refers to a member of a value without members',
    ],
    [
      'a wrong type in the parameters',
      link({ name: '${params.n}' }),
      '/params/name: the link is omitted: ${params.n} is a number, and "name" requires a string',
    ],
  ]
  for (const [title, given, want] of rows) {
    const { files, leftOut } = generate(contractWith([given]), tool)
    t.same(
      leftOut.map(({ pointer, message }) => `${pointer}: ${message}`),
      [`#/methods/0/links/0${want}`],
      title,
    )
    t.match(fileOf(files, 'links.ts'), '// Omitted: #/methods/0/links/0', title)
  }
  for (const given of ['${result.tags[0]}', '${result.boss.boss.name}', '${result.unknown}', '$result.name'])
    t.same(generate(contractWith([link({ name: given })]), tool).leftOut, [], given)
  const twice = generate(contractWith([link({ name: 'x' }), link({ name: 'y' })]), tool).leftOut
  t.match(twice, [
    {
      pointer: '#/methods/0/links/1',
      message: /has the name "l", which #\/methods\/0\/links\/0 already has$/,
    },
  ])
  const notified = contractWith([link({ name: '${result.name}' })]).document
  const { result: _, ...method } = (notified['methods'] as JsonObject[])[0] as JsonObject
  const silent = generate(
    contractOf({
      methods: [method, ...(notified['methods'] as JsonObject[]).slice(1)],
      components: notified['components'] ?? {},
    }),
    tool,
  )
  t.match(silent.leftOut, [{ message: /\$\{result\.name\}: "find" has no result$/ }])
})

t.test('generated links can be followed', async (t) => {
  const [module] = await loadModules(await loadFixture('links'), ['links.ts'])
  const links = module?.['links'] as Record<string, Record<string, (from: object, more?: object) => unknown>>
  const result = { id: 7, name: 'ann', boss: { name: 'bob' } }
  t.same(links['users.find']?.['boss']?.({ result }), ['bob'])
  t.equal(links['users.find']?.['boss']?.({ result: { ...result, boss: null } }), undefined)
  t.same(links['users.find']?.['note']?.({ result, params: ['who'] }, { text: 'x' }), {
    id: 7,
    text: 'x',
    path: '/who/7',
  })
})
