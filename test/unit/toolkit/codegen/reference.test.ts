import MarkdownIt from 'markdown-it'
import t from 'tap'
import { codeBlock, generateFiles } from '../../../../src/toolkit/codegen/index.js'
import { emitReference } from '../../../../src/toolkit/codegen/reference/emit-reference.js'
import { anchor, dataText, prose, table } from '../../../../src/toolkit/codegen/reference/markdown.js'
import type { JsonValue } from '../../../../src/toolkit/contract/index.js'
import { contractOf, emitted, fileOf, loadFixture, methodOf, tool } from './fixtures.js'

const page = fileOf(generateFiles(await loadFixture('pet-store'), tool), 'REFERENCE.md')

t.test('the page contains the whole contract', async (t) => {
  const parts = [
    '# Pet store 1.2.3',
    'A store of pets.',
    '+ [Methods](#methods)',
    '| local | `http://localhost:8080/$' + '{path}` | `path`: Where it listens. default `rpc` |',
    '| [`getPet`](#getpet) | One pet by its number, or null. |',
    '**Parameters**\n\n| Parameter | Position | Type | Required | Description |',
    '| `limit` | 0 | `number` | no, default `10` | How many at most. A whole number. Value: 1 to 100. |',
    '| `status` | 1 | [`Status`](#status) | no |',
    '**Result**\n\n[`Pet`](#pet) or `null`',
    '**Errors**\n\n| Error | Code | Message | Data |',
    '| `busy` | 100 | Pets are busy | [`Wait`](#wait) |',
    '**Rules**\n\n',
    '- `pets.newest-first` (section 1): The newest pet comes first.',
    `-d '{"jsonrpc":"2.0","id":1,"method":"listPets","params":[1]}'`,
    `"method":"getPet","params":{"id":1}}'`,
    '{"jsonrpc":"2.0","id":1,"error":{"code":100,"message":"Pets are busy"}}',
    'A notification: it has no result.',
    '**Deprecated.**',
    '| `id` | [`PetId`](#petid) | yes | Its number. |',
    '| `born` | `string` | no | Format: `date`. |',
    '| `busy` | 100 | Pets are busy | [`Wait`](#wait) | `listPets`, `getPet` |',
    '| `petsPerAnswer`',
    'Every limit. More of it.',
    '| `storeClosed` | 503 | `closed` | Closed until {hour} | 5 |',
    '| `colour` | `green` |',
    '| `light` | #cfc |',
  ]
  for (const part of parts) t.ok(page.includes(part), part)
})

t.test('a method lists its result conditions, its deprecation and its links', async (t) => {
  const whole = { type: 'integer', minimum: 3 }
  const contract = contractOf({
    methods: [
      methodOf([{ name: 'old', schema: whole, deprecated: true, required: true }], whole, {
        paramStructure: 'by-name',
        links: [{ name: 'again', summary: 'Once more.', params: { old: '$' + '{result}' } }],
      }),
    ],
  })
  const page = fileOf(generateFiles(contract, tool), 'REFERENCE.md')
  t.ok(page.includes('| Parameter | Type | Required | Description |'), 'by name there is no position')
  t.ok(page.includes('| `old` | `number` | yes | Deprecated. A whole number. Value: at least 3. |'), page)
  t.ok(page.includes('**Result**\n\n`number`. A whole number. Value: at least 3.\n'))
  t.ok(page.includes('**Links**\n\n- `again`: Once more. Calls [`m`](#m) with `{"old":"$' + '{result}"}`.\n'))
})

t.test('a type too long for a table is shown below it, and alternatives one by one', async (t) => {
  const text = { type: 'string', description: 'A word' }
  const members = Object.fromEntries(['first', 'second', 'third'].map((name) => [name, text]))
  const form = { type: 'object', properties: members, additionalProperties: false }
  const names = ['FirstOfTheForms', 'SecondOfTheForms', 'ThirdOfTheForms', 'FourthOfTheForms']
  const contract = contractOf({
    methods: [
      methodOf([{ name: 'form', required: true, schema: form }], { anyOf: [form, { type: 'null' }] }),
    ],
    components: {
      schemas: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'string', pattern: name }])),
        Choice: { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
        Wide: { allOf: [form], type: 'object', properties: { fourth: { ...text, maxLength: 3 } } },
      },
    },
  })
  const page = fileOf(generateFiles(contract, tool), 'REFERENCE.md')
  t.ok(page.includes('| `form` | 0 | [`MParamsForm`](#mparamsform) | yes | No further members. |'), page)
  t.ok(page.includes('**Result**\n\n[`MParamsForm`](#mparamsform) or `null`.'))
  t.match(page, /### MParamsForm\n\nNo further members\.\n\n\| Member/)
  t.ok(
    page.includes(
      `Type: ${names.map((name) => `[\`${name}\`](#${name.toLowerCase()})`).join(' or ')}. Must match exactly one`,
    ),
  )
  t.match(page, /### Wide\n\nType: an object\..*\n\n```ts\n[^`]*third\?: string[^`]*```\n\n\| Member/)
  t.ok(page.includes('| `fourth` | `string` | no | A word. Length: at most 3. |'))
  t.notMatch(page, '…')
})

t.test("a schema's description replaces a missing descriptor description", async (t) => {
  const said = { type: 'string', description: 'A street, and\na number', minLength: 3 }
  const both = { name: 'both', description: 'Where to', schema: said }
  const contract = contractOf({
    methods: [
      methodOf([{ name: 'street', schema: said }, both], said),
      methodOf([], { type: 'array', items: {}, maxItems: 2 }, { name: 'n', summary: 'Lists.' }),
    ],
  })
  const files = generateFiles(contract, tool)
  const page = fileOf(files, 'REFERENCE.md')
  t.ok(page.includes('| `street` | 0 | `string` | no | A street, and a number. Length: at least 3. |'), page)
  t.ok(page.includes('| Where to. A street, and a number. Length: at least 3. |'))
  t.ok(page.includes('**Result**\n\n`string`. A street, and a number. Length: at least 3.\n'))
  const types = fileOf(files, 'types.ts')
  t.ok(types.includes('- street: A street, and\n * a number. Length: at least 3.\n'), types)
  t.ok(types.includes('- both: Where to. A street, and\n * a number. Length: at least 3.\n'))
  t.ok(
    types.includes(
      '  /**\n   * A street, and\n   * a number. Length: at least 3.\n   */\n  readonly m: string',
    ),
  )
  t.ok(types.includes('/** Items: at most 2. */\n  readonly n:'))
  t.ok(fileOf(files, 'service.ts').includes('@returns A street, and\n'))
})

t.test('errors of all methods are listed once, and others with their method', async (t) => {
  const common = { code: 1, message: 'Closed' }
  const contract = contractOf({
    methods: [
      methodOf([], {}, { errors: [{ $ref: '#/components/errors/closed' }, { code: 2, message: 'Lost' }] }),
      methodOf([], {}, { name: 'other', errors: [{ $ref: '#/components/errors/closed' }] }),
    ],
    components: { errors: { closed: common } },
  })
  const page = fileOf(generateFiles(contract, tool), 'REFERENCE.md')
  t.ok(page.includes('| `lost` | 2 | Lost |\n\nAnd [those of every method](#errors).\n'), page)
  t.ok(page.includes('**Errors**\n\n[Those of every method](#errors).\n'))
})

t.test('curl lines use the first server with its variables filled in', async (t) => {
  const page = (servers: JsonValue) =>
    fileOf(generateFiles(contractOf({ servers, methods: [shown] }), tool), 'REFERENCE.md')
  const shown = methodOf([], {}, { examples: [{ name: 'e', params: [], result: { name: 'r', value: 1 } }] })
  const url = 'http://$' + '{host}/it' + "'s"
  t.match(
    page([{ name: 's', url, variables: { host: { default: 'a.example' } } }]),
    "In the curl lines `$RPC_URL` is the URL of the service:\n\n```sh\nRPC_URL='http://a.example/it'\\''s'\n```\n",
  )
  t.match(page([]), 'In the curl lines `$RPC_URL` is the URL of the service.\n')
})

t.test('limits in prose are numbers with their unit, which link to the list of limits', async (t) => {
  const limit = (value: number, unit: string) => ({ value, unit, description: 'Of `petsPerCall`.' })
  const contract = contractOf({
    info: {
      title: 'T',
      version: '1.0.0',
      'x-limits': {
        petsPerCall: limit(2000, 'pets'),
        visits: limit(25_000, 'visits a day'),
        bodyBytes: limit(5_242_880, 'bytes'),
        oddBytes: limit(1500, 'bytes'),
        waitSeconds: limit(1, 'seconds'),
        page: limit(7, 'items'),
      },
      'x-rules': [
        { id: 'pets', text: 'At most `petsPerCall` pets, or `visits` visits, in `bodyBytes` bytes.' },
        {
          id: 'more',
          text: 'Over `petsPerCall`, wait `waitSeconds`; `oddBytes` and `page` and `other` stay.',
        },
        { id: 'code', text: 'Not in ``a `petsPerCall` b``.' },
      ],
    },
    methods: [methodOf([{ name: 'page', schema: {} }], {}, { 'x-rules': ['pets', 'more', 'code'] })],
  })
  const files = generateFiles(contract, tool)
  const page = fileOf(files, 'REFERENCE.md')
  const link = (text: string, name: string) => `[${text}](#limits "${name}")`
  for (const line of [
    `: At most ${link('2,000 pets', 'petsPerCall')}, or ${link('25,000', 'visits')} visits, in ${link('5 MiB', 'bodyBytes')}.\n`,
    `: Over ${link('2,000 pets', 'petsPerCall')}, wait ${link('1 second', 'waitSeconds')}; ${link('1,500 bytes', 'oddBytes')} and \`page\` and \`other\` stay.\n`,
    ': Not in ``a `petsPerCall` b``.\n',
    `| \`petsPerCall\` | 2,000 pets | Of ${link('2,000 pets', 'petsPerCall')}. |`,
  ])
    t.ok(page.includes(line), `${line}\n${page}`)
  const html = fileOf(files, 'reference.html')
  t.match(html, 'At most <a href="#limits-petsPerCall">2,000 pets</a>, or')
})

t.test('a method under another name in the client has a note', async (t) => {
  const files = generateFiles(await loadFixture('namespaces'), tool)
  const page = fileOf(files, 'REFERENCE.md')
  t.ok(page.includes('Parameters by position; in clients `client.wallet.listKeys`.'))
  t.ok(page.includes("In clients `client['admin.users'].list`."))
  t.notMatch(page, 'client.version')
})

t.test('an empty contract has a page without empty chapters', async (t) => {
  const empty = fileOf(generateFiles(contractOf(), tool), 'REFERENCE.md')
  t.equal(empty.split('\n').slice(3).join('\n').trim(), '# T 1.0.0')
})

t.test('a method begins with one request and its answer; its limits stand before its rules', (t) => {
  const example = (name: string) => ({
    name,
    description: `Case ${name}.`,
    params: [],
    result: { name: 'r', value: 1 },
  })
  const contract = contractOf({
    info: {
      title: 'T',
      version: '1.0.0',
      'x-limits': {
        calls: { value: 9, unit: 'calls', description: 'Calls a day.' },
        unnamed: { value: 1, unit: 'calls', description: 'Not of this method.' },
      },
      'x-rules': [{ id: 'often', text: 'At most `calls`.' }],
    },
    methods: [
      methodOf(
        [{ name: 'p', schema: {} }],
        {},
        {
          summary: 'Says one.',
          'x-rules': ['often'],
          examples: [example('a'), example('b')],
        },
      ),
    ],
  })
  const page = fileOf(generateFiles(contract, tool), 'REFERENCE.md')
  const section = page.slice(page.indexOf('### m\n'), page.indexOf('\n## ', page.indexOf('### m\n')))
  t.same(
    [...section.matchAll(/^\*\*(.*)\*\*$|^Case .*$|^Says one\.$/gm)].map(
      ([line, heading]) => heading ?? line,
    ),
    [
      'Says one.',
      'Example',
      'Case a.',
      'Parameters',
      'Result',
      'Limits',
      'Rules',
      'Properties',
      'More examples',
      'Case b.',
    ],
  )
  t.match(section, /\*\*Limits\*\*\n\n\| Limit .*\n.*\n\| `calls` \| 9 calls \| Calls a day\. \|\n\n/)
  const html = fileOf(generateFiles(contract, tool), 'reference.html')
  const at = ['Case a.', '<h4>Parameters', '<h4>Rules', 'Case b.'].map((text) => html.indexOf(text))
  t.same(
    at,
    [...at].sort((one, other) => one - other),
  )
  t.end()
})

t.test("a quote in an example does not end the shell's argument", async (t) => {
  const examples = [{ name: 'e', params: [{ name: 'p', value: "it's" }], result: { name: 'r', value: 1 } }]
  const contract = contractOf({ methods: [methodOf([{ name: 'p', schema: {} }], {}, { examples })] })
  t.match(fileOf(generateFiles(contract, tool), 'REFERENCE.md'), `["it'\\''s"]}'`)
})

t.test('Markdown escapes HTML, pipes in cells and fences in code', async (t) => {
  t.equal(prose('a <b> `<c>` & ``d ` e`` ` f'), 'a &lt;b> `<c>` &amp; ``d ` e`` \\` f')
  t.equal(
    table(
      ['A', 'B'],
      [
        ['x|y', ''],
        ['z\nw', ''],
      ],
    ),
    '| A |\n| --- |\n| x\\|y |\n| z w |\n',
  )
  t.equal(table(['A'], []), '')
  t.equal(codeBlock('sh', '```'), '````sh\n```\n````\n')
  t.equal(anchor('Foo bar: baz_1'), 'foo-bar-baz_1')
  t.equal(anchor('Shop/items '), 'shopitems', 'a heading ends with its last letter')
  t.match(dataText([{ id: 'a', list: ['x'], deep: { y: 1 } }]), '| `a` | `x` | `{"y":1}` |')
  t.match(dataText({ a: 1 }), /^```json/)
})

t.test('no text of a contract becomes HTML, in any reader of Markdown', async (t) => {
  const evil = '<img src=x onerror=alert(1)>'
  // A tick stands for a backtick.
  const texts = [
    evil,
    `\\'${evil}'`,
    `\\\\'${evil} ' b`,
    `a \\' b`,
    `a '\n\n${evil}\n\n' b`,
    `- a '\n- ${evil}' b`,
    `| ' | ${evil}' |\n|---|---|`,
    `1. ~~~\n${evil}\n~~~`,
    `~~~\n~~~\n${evil}\n~~~`,
    `a '''\n\n${evil}\n\n'''`,
  ].map((text) => text.replaceAll("'", '`'))
  const documents = texts.map((description) =>
    contractOf({
      info: {
        title: 'T',
        version: '1',
        description,
        [`x-${evil}`]: { a: 1 },
        'x-limits': { most: { value: 2, unit: `${evil}(`, description }, [evil]: { value: 2, unit: 'x' } },
      },
      methods: [
        {
          ...methodOf([{ name: 'p', schema: { type: 'string', description, default: evil } }]),
          description: `At most \`most\` of \`${evil}\`. ${description}`,
          [`x-${evil}`]: true,
        },
      ],
    }),
  )
  const reader = new MarkdownIt({ html: true })
  for (const contract of [...documents, await loadFixture('hostile')]) {
    const [header, ...tokens] = reader.parse(emitted(emitReference, contract), {})
    t.equal(header?.type, 'html_block', 'the header is a comment')
    const found = tokens.flatMap((token) => [token, ...(token.children ?? [])])
    t.same(
      found.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content),
      [],
    )
  }
})
