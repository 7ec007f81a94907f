import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { main } from '../../../../src/cli/main.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { documentOf, inFolder, methodOf } from '../../toolkit/codegen/fixtures.js'

/** Runs the command line in this process and captures its output. */
async function run(...args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    env: {},
  }
  return { code: await main(['diff', ...args], io), out: out.join('\n'), err: err.join('\n') }
}

type Parts = { readonly [name: string]: JsonValue }

/** Runs the command on two documents. */
async function diff(old: Parts, next: Parts, ...args: readonly string[]) {
  return inFolder(async (dir) => {
    const [before, after] = [join(dir, 'old.json'), join(dir, 'new.json')]
    await writeFile(before, JSON.stringify(documentOf(old)))
    await writeFile(after, JSON.stringify(documentOf(next)))
    return run(before, after, ...args)
  })
}

const info = (version: string) => ({ info: { title: 'Pets', version } })
const item = (name: string, required: readonly string[]): Parts => ({
  components: {
    schemas: {
      Pet: {
        type: 'object',
        properties: Object.fromEntries(required.map((member) => [member, { type: 'string' }])),
        required,
      },
    },
  },
  methods: [
    { ...methodOf([{ name: 'id', schema: { type: 'string' } }], { $ref: '#/components/schemas/Pet' }), name },
  ],
})
const old: Parts = { ...info('1.0.0'), ...item('getPet', ['name']) }
const next: Parts = (() => {
  const changed = item('getPet', ['name', 'born'])
  const [getPet] = changed['methods'] as readonly [JsonObject]
  const [id] = getPet['params'] as readonly [JsonObject]
  const methods = [
    { ...getPet, params: [{ ...id, required: true }] },
    { ...methodOf([]), name: 'listPets' },
  ]
  return { ...info('1.1.0'), ...changed, methods }
})()

t.test('text: aligned lines, most severe first, and exit code 1', async (t) => {
  const { code, out, err } = await diff(old, next)
  t.equal(code, 1)
  t.equal(err, '')
  t.same(out.split('\n'), [
    'breaking for clients   #/methods/getPet/params/0   became required',
    'breaking for servers   #/components/schemas/Pet    gained required member "born": {"name":""} is no longer valid (results of getPet)',
    'breaking for servers   #/methods/listPets          added',
    'compatible             #/info/version              version "1.0.0" became "1.1.0"',
    '',
    '4 changes: 1 breaking for clients, 2 breaking for servers, 1 compatible',
    'version: a major bump, 2.0.0 or later; 1.1.0 is too low',
  ])
})

t.test('json: the format that --help describes', async (t) => {
  const { code, out } = await diff(old, next, '--format', 'json')
  t.equal(code, 1)
  t.same(JSON.parse(out), {
    schema: 'concordat-diff/1',
    old: { title: 'Pets', version: '1.0.0' },
    new: { title: 'Pets', version: '1.1.0' },
    changes: [
      {
        class: ['breaking-for-clients'],
        kind: 'param-required',
        pointer: '#/methods/getPet/params/0',
        old: { pointer: '#/methods/0/params/0' },
        new: { pointer: '#/methods/0/params/0' },
        reason: 'became required',
      },
      {
        class: ['breaking-for-servers'],
        kind: 'member-added',
        pointer: '#/components/schemas/Pet',
        new: { pointer: '#/components/schemas/Pet/properties/born' },
        reason: 'gained required member "born": {"name":""} is no longer valid',
        proof: [{ value: { name: '' }, acceptedBy: 'old', breaks: ['servers'] }],
        methods: ['getPet'],
        usedIn: ['results'],
      },
      {
        class: ['breaking-for-servers'],
        kind: 'method-added',
        pointer: '#/methods/listPets',
        new: { pointer: '#/methods/1' },
        reason: 'added',
      },
      {
        class: ['compatible'],
        kind: 'documentation-changed',
        pointer: '#/info/version',
        old: { pointer: '#/info/version', value: '1.0.0' },
        new: { pointer: '#/info/version', value: '1.1.0' },
        reason: 'version "1.0.0" became "1.1.0"',
      },
    ],
    summary: {
      changes: 4,
      breakingForClients: 1,
      breakingForServers: 2,
      undecided: 0,
      compatible: 1,
      accepted: 0,
      bump: 'major',
      version: '2.0.0',
    },
  })
})

t.test('markdown: a section of a changelog', async (t) => {
  const { code, out } = await diff(old, next, '--format', 'markdown')
  t.equal(code, 1)
  t.same(out.split('\n'), [
    '## Pets 1.0.0 → 1.1.0',
    '',
    '### Breaking for clients',
    '',
    '- `#/methods/getPet/params/0`: became required',
    '',
    '### Breaking for servers',
    '',
    '- `#/components/schemas/Pet`: gained required member "born": {"name":""} is no longer valid (results of `getPet`)',
    '- `#/methods/listPets`: added',
    '',
    '### Compatible',
    '',
    '- `#/info/version`: version "1.0.0" became "1.1.0"',
    '',
    '4 changes: 1 breaking for clients, 2 breaking for servers, 1 compatible. Version: a major bump, 2.0.0 or later; 1.1.0 is too low.',
  ])
})

t.test('a change that breaks both sides is counted for both', async (t) => {
  const parts = (type: string): Parts => ({ methods: [methodOf([{ name: 'p', schema: { type } }])] })
  const text = await diff(parts('string'), parts('integer'))
  t.match(
    text.out,
    /^breaking for both {3}#\/methods\/m\/params\/0\/schema {3}type string became integer: "" is no longer valid and 0 is valid now$/m,
  )
  t.match(text.out, /^1 change: 1 breaking for both$/m)
  const json = JSON.parse((await diff(parts('string'), parts('integer'), '--format', 'json')).out)
  t.same(json.changes[0].class, ['breaking-for-clients', 'breaking-for-servers'])
  t.match(json.summary, { changes: 1, breakingForClients: 1, breakingForServers: 1, compatible: 0 })
  const markdown = await diff(parts('string'), parts('integer'), '--format', 'markdown')
  t.match(markdown.out, /^### Breaking for clients and servers$/m)
})

t.test('a rule without a value that shows it fails, unless the caller allows it', async (t) => {
  const parts = (properties: JsonObject): Parts => ({
    methods: [methodOf([{ name: 'p', schema: { type: 'object', properties } }])],
  })
  const [before, after] = [parts({ a: { type: 'string' } }), parts({})]
  const refused = await diff(before, after)
  t.equal(refused.code, 1)
  t.match(refused.out, /lost optional member "a" \(by rule, no value found\)$/m)
  t.equal((await diff(before, after, '--allow-unwitnessed')).code, 0)
  t.equal((await diff(parts({}), parts({ a: { type: 'string' } }), '--allow-unwitnessed')).code, 0)
  const shown = await diff({ methods: [methodOf([{ name: 'p', schema: {} }])] }, after, '--allow-unwitnessed')
  t.equal(shown.code, 1, 'a change that a value shows fails')
})

t.test('no changes, and only compatible changes, are exit code 0', async (t) => {
  t.same(await diff(old, old), { code: 0, out: 'no changes: the documents are equivalent', err: '' })
  t.match(await diff(old, old, '--format', 'markdown'), { code: 0, out: /^## Pets 1\.0\.0\n\nNo changes\.$/ })
  t.match(JSON.parse((await diff(old, old, '--format', 'json')).out), {
    changes: [],
    summary: { changes: 0, breakingForClients: 0, breakingForServers: 0, compatible: 0 },
  })
  t.match(await diff(old, { ...old, ...info('2.0.0') }), { code: 0, out: /^1 change: 1 compatible$/m })
})

t.test('methods that share a component are listed, up to a limit', async (t) => {
  const many = (type: JsonValue): Parts => ({
    methods: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
      ...methodOf([{ name: 'p', schema: { $ref: '#/components/schemas/S' } }]),
      name,
    })),
    components: { schemas: { S: { type } } },
  })
  const { out } = await diff(many('string'), many(['string', 'null']))
  t.match(out, 'may be null: null is valid now (params of a, b, c and 3 more)')
})

t.test('documents that cannot be compared are explained, with exit code 2', async (t) => {
  await inFolder(async (dir) => {
    const file = join(dir, 'openrpc.json')
    await writeFile(file, JSON.stringify(documentOf(old)))
    await writeFile(join(dir, 'broken.json'), '{')
    const dangling = { components: { schemas: { A: { $ref: '#/a' }, B: { $ref: '#/b' } } } }
    await writeFile(join(dir, 'dangling.json'), JSON.stringify(documentOf(dangling)))
    await mkdir(join(dir, 'empty'))
    const rows: readonly (readonly [args: readonly string[], err: RegExp])[] = [
      [[], /^concordat diff: two documents are needed: concordat diff OLD NEW. See --help.$/],
      [[file], /two documents are needed/],
      [[file, file, file], /too many arguments. Expected 2 arguments but got 3. See --help.$/],
      [[file, ''], /^concordat diff: NEW needs a value$/],
      [['-', '-'], /^concordat diff: only one document can come from standard input$/],
      [
        [file, file, '--format', 'xml'],
        /^concordat diff: --format takes text, json, markdown, sarif or github$/,
      ],
      [[file, file, '--format', 'constructor'], /--format takes text, json/],
      [[file, file, '--colour'], /^concordat diff: unknown option '--colour'. See --help.$/],
      [[file, file, '--format'], /^concordat diff: option '--format <NAME>' needs a value. See --help.$/],
      [[file, join(dir, 'none.json')], /none\.json: the file does not exist$/],
      [[join(dir, 'broken.json'), file], /broken\.json: /],
      [[file, join(dir, 'empty')], /empty: has no openrpc\.json/],
      [
        [file, join(dir, 'dangling.json')],
        /dangling\.json: 2 problems\n {2}.*dangling\.json:1:\d+ {2}#\/components\/schemas\/A: .*\n {2}.*json:1:/,
      ],
    ]
    for (const [args, wanted] of rows) {
      const { code, out, err } = await run(...args)
      t.equal(code, 2, args.join(' '))
      t.equal(out, '')
      t.match(err, wanted)
    }
    t.match(await run(dir, file), { code: 0, out: 'no changes: the documents are equivalent' }, 'a folder')
  })
})

t.test('--help describes the command, its output and its exit codes', async (t) => {
  const { code, out } = await run('--help')
  t.equal(code, 0)
  for (const word of ['--format', 'concordat-diff/1', 'breaking-for-clients', 'undecided', 'Exit codes']) {
    t.match(out, word)
  }
})

t.test('names in a document are escaped in the terminal and in Markdown', async (t) => {
  const names = [
    '\u001b[31mred\u001b[0m',
    'two\nlines',
    'right\u202eleft',
    '`code` ``more``',
    '**bold** <img src=x> [a](http://a) @someone #1 |',
    '__proto__',
    'a/b~c%41',
    ' ',
  ]
  const methods = (type: string) =>
    names.map((name) => ({ ...methodOf([{ name, schema: { enum: [name, type] } }]), name }))
  const parts = (type: string): Parts => ({
    info: { title: names.join(' '), version: '1' },
    methods: methods(type),
  })
  const text = await diff(parts('a'), parts('b'))
  t.equal(text.code, 1)
  t.notMatch(text.out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  t.match(text.out, '#/methods/\\u001b[31mred\\u001b[0m/params/0/schema')
  t.match(text.out, '#/methods/__proto__/params/0/schema')
  t.match(text.out, '#/methods/a~1b~0c%2541/params/0/schema')
  t.equal(text.out.split('\n').length, 2 * names.length + 3, 'one line per change')

  const { out } = await diff(parts('a'), parts('b'), '--format', 'markdown')
  t.notMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
  t.match(out, '- ```#/methods/`code` ``more``/params/0/schema```: gained the value "b"')
  const [heading] = out.split('\n')
  t.match(heading, '\\*\\*bold\\*\\* \\<img src=x\\> \\[a\\](http&#58;//a) &#64;someone \\#1 \\|')
  t.match(heading, '\\\\u001b\\[31mred\\\\u001b\\[0m two\\\\u000alines right\\\\u202eleft')
  t.match(heading, '\\`code\\` \\`\\`more\\`\\`')
  const json = JSON.parse((await diff(parts('a'), parts('b'), '--format', 'json')).out)
  t.same(new Set(json.changes.map(({ pointer }: { pointer: string }) => pointer)).size, names.length)
})

t.test('a reference of an extension that leads nowhere is reported without a proof', async (t) => {
  const about = (response: JsonObject): Parts => ({
    info: { title: 'Pets', version: '1.0.0', 'x-envelope': { response } },
  })
  const { code, out, err } = await diff(about({ type: 'object' }), about({ $ref: '#/nowhere' }))
  t.same({ code, err }, { code: 1, err: '' })
  t.match(out, /#\/info\/x-envelope\/response/)
})
