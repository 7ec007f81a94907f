import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { lintCommand } from '../../../../src/cli/lint/lint.js'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { documentOf, inFolder, methodOf, write } from '../../toolkit/codegen/fixtures.js'
import { strictCompile } from '../../toolkit/codegen/strict-compile.js'
import { runGenerate } from './run-generate.js'

const event = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const full = { code: -32000, message: 'Queue full: try again' }
const method = (name: string, parts: JsonObject = {}) => ({
  ...methodOf([{ name: 'after', required: true, schema: event }], { type: 'array', items: event }),
  name,
  errors: [full, { $ref: '#/components/errors/lost' }],
  ...parts,
})
const document = documentOf({
  info: {
    title: 'T',
    version: '1',
    'x-failures': { gone: { error: 'lost', httpStatus: 503 } },
  },
  'x-extensions': [
    {
      openrpcExtension: '0.0.0-development',
      name: 'x-failures',
      version: '1.0.0',
      restricted: ['infoObject'],
      schema: { type: 'object' },
      summary: 'Failures',
      description: 'Failures',
    },
  ],
  methods: [method('get_events'), method('watch_events')],
  components: {
    errors: { lost: { code: 5, message: 'Lost' } },
    schemas: { 'a-b': event, 'a b': { type: 'string' } },
  },
})

/** Writes a project, and runs the work in its folder. */
function inProject(names: string, work: (dir: string) => Promise<void>): Promise<void> {
  return inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    await write(dir, { path: 'concordat.config.yaml', content: `generate:\n  names:\n${names}` })
    await work(dir)
  })
}

/** The entry that gives the two colliding components different names. */
const apart = `      '#/components/schemas/a b': Text\n`

t.test('types and errors get the names of the configuration, and code that compiles', async (t) => {
  const names = `    types:
${apart}      GetEventsParams: After
      '#/methods/0/result/schema': Events
      a_b: Event
    errors:
      queueFull: busy
      lost: lostEvent
`
  await inProject(names, async (dir) => {
    const { code, err } = await runGenerate(join(dir, 'openrpc.json'))
    t.equal(`${code} ${err}`, '0 ')
    const text = async (path: string) => readFile(join(dir, 'generated', path), 'utf8')
    const types = await text('types.ts')
    t.match(types, /export interface Event \{/)
    t.match(types, /export type Text = string/)
    t.match(types, /export type After =/)
    t.notMatch(types, /a_b|GetEventsParams\b/)
    const errors = await text('errors.ts')
    t.match(errors, /busy: \(details/)
    t.match(errors, /gone: \{ error: 'lostEvent', httpStatus: 503 \}/)
    t.notMatch(errors, /queueFull|lost:/)
    t.match(await text('client.ts'), /busy/)
    t.equal(await strictCompile(dir), '')
    t.match(await runGenerate(join(dir, 'openrpc.json'), '--check'), { code: 0 })
    const lines: string[] = []
    const io = { out: (line: string) => void lines.push(line), err: () => {}, env: {} }
    await lintCommand([join(dir, 'openrpc.json')], io)
    t.notMatch(lines.join('\n'), 'not-generated', 'lint uses the names, too')
  })
})

t.test('an entry that cannot be applied is refused with its line', async (t) => {
  const types = `    types:\n${apart}`
  const rows: readonly [string, RegExp][] = [
    [
      `${types}      Gone: X\n`,
      /yaml:5:\d+: there is no type "Gone": give its generated name or its JSON pointer$/,
    ],
    [`${types}      a_b: Text\n`, /yaml:4:\d+: the name "Text" is taken: choose another one$/],
    [
      `${types}      a_b: class\n`,
      /yaml:5:\d+: "class" is no name, or is one of TypeScript or generated code$/,
    ],
    [`${types}      a_b: 'a b'\n`, /"a b" is no name/],
    [`${types}      a_b: One\n      '#/components/schemas/a-b': Two\n`, /there is no type "a_b"/],
    [
      `${types}    errors:\n      queueFull: lost\n`,
      /yaml:6:\d+: the name "lost" is taken: choose another one$/,
    ],
    [
      `${types}    errors:\n      queueFull: one\n      '#/methods/1/errors/0': two\n`,
      /yaml:7:\d+: "queueFull" has another name already: one$/,
    ],
    [`    type: {}\n`, /unknown member "type": use types, errors/],
  ]
  for (const [names, want] of rows) {
    await inProject(names, async (dir) => {
      const { code, err } = await runGenerate(join(dir, 'openrpc.json'))
      t.equal(code, 2)
      t.match(err, want)
    })
  }
})
