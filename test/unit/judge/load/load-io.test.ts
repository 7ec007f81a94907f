import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { loadIo, ScenarioError } from '../../../../src/judge/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

async function load(t: Test, files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const effectOf = (method: string) => (method === 'lend' ? 'write' : 'read')
  return { folder, loading: loadIo(folder, effectOf) }
}

const get = '{"jsonrpc":"2.0","id":1,"method":"book","params":[7]}'

t.test('a file becomes a case of its exchanges, byte for byte', async (t) => {
  const { folder, loading } = await load(t, {
    'book/missing.io': `// asks for a book\n// that is not there\n>> ${get}\n<< {"jsonrpc":"2.0","id":1,"result":null}\n`,
    'book/two.io': `>>${get}\r\n\r\n// why\n<<{"jsonrpc":"2.0","id":1,"result":[{"$min":1}]}\n>> {"id":2,"method":"lend","params":["\${a}"]}\n  << {"id":2,"result":"\${a}"}`,
    'book/notes.txt': 'nothing',
  })
  const scenarios = await loading
  t.match(scenarios, [
    {
      id: 'io/book/missing',
      group: 'io',
      scenario: 'asks for a book that is not there',
      effect: 'read',
      builtIn: false,
      source: { file: join(folder, 'book/missing.io'), line: 1 },
      steps: [
        {
          kind: 'raw',
          body: [{ text: get }],
          expect: { body: { jsonrpc: '2.0', id: 1, result: null } },
        },
      ],
    },
    {
      id: 'io/book/two',
      scenario: 'book/two returns the recorded answer.',
      effect: 'write',
      steps: [
        { expect: { body: { $is: { jsonrpc: '2.0', id: 1, result: [{ $min: 1 }] } } } },
        {
          body: [{ text: '{"id":2,"method":"lend","params":["$${a}"]}' }],
          expect: { body: { id: 2, result: '$${a}' } },
        },
      ],
    },
  ])
  t.equal(scenarios.length, 2)
})

t.test('the message of an error may differ, but must exist', async (t) => {
  const { loading } = await load(t, {
    'a.io': `>> ${get}\n<< {"id":1,"error":{"code":-32000,"message":"no","data":"0x"}}\n>> ${get}\n<< {"id":1,"error":{"code":3}}\n>> ${get}\n<< {"id":1,"result":[{"error":{"code":1,"message":"no"}}]}\n`,
  })
  const [scenario] = await loading
  t.match(scenario?.steps, [
    { expect: { body: { id: 1, error: { code: -32000, message: { $type: 'string' }, data: '0x' } } } },
    { expect: { body: { id: 1, error: { code: 3 } } } },
    { expect: { body: { id: 1, result: [{ error: { code: 1, message: { $type: 'string' } } }] } } },
  ])
})

t.test('of a speconly file only members and types are compared', async (t) => {
  const { loading } = await load(t, {
    'a.io': `// speconly: any book will do\n>> ${get}\n<< {"jsonrpc":"2.0","id":1,"result":{"title":"Emma","shelf":2,"lent":true,"tags":["a"],"by":[],"to":null,"more":{}}}\n>> ${get}\n<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}\n`,
  })
  const [scenario] = await loading
  t.equal(scenario?.scenario, 'any book will do')
  t.match(scenario?.steps, [
    {
      expect: {
        body: {
          $has: {
            jsonrpc: '2.0',
            id: 1,
            result: {
              $has: {
                title: { $type: 'string' },
                shelf: { $type: 'number' },
                lent: { $type: 'boolean' },
                tags: { $type: 'array', $each: { $type: 'string' } },
                by: { $type: 'array' },
                to: { $not: { $absent: true } },
                more: { $type: 'object' },
              },
            },
          },
        },
      },
    },
    { expect: { body: { error: { code: -32000 } } } },
  ])
})

/** Texts of files with their problems. */
const faulty: readonly [text: string, problems: readonly string[]][] = [
  ['', ['1:1: this file has no request']],
  ['// only a comment\n', ['1:1: this file has no request']],
  [`>> ${get}\n`, ['1:1: this request has no answer']],
  ['<< {}\n', ['1:1: an answer comes before its request']],
  [`>> ${get}\n\n>> ${get}\n<< 1\n`, ['3:1: the request of line 1 has no answer before this one']],
  [
    '>> {"id":\n  << x\nhello\n',
    [
      '1:1: the text after >> is not JSON',
      '2:3: the text after << is not JSON',
      '3:1: a line begins with //, >> or <<',
    ],
  ],
]

t.test('an invalid file is reported with line and column', async (t) => {
  for (const [text, problems] of faulty) {
    const { folder, loading } = await load(t, { 'a.io': text })
    const error = await loading.catch((error: unknown) => error)
    t.ok(error instanceof ScenarioError, text)
    if (!(error instanceof ScenarioError)) continue
    t.same(
      error.message.split('\n'),
      problems.map((problem) => `${folder}/a.io:${problem}`),
      text,
    )
  }
})

t.test('a folder without such files, or a missing one, is an error', async (t) => {
  const { folder, loading } = await load(t, {})
  await t.rejects(loading, { message: `${folder}:1:1: this folder has no file whose name ends in .io` })
  const none = join(folder, 'none')
  await t.rejects(
    loadIo(none, () => 'read'),
    { message: /none:1:1: this folder cannot be read \(ENOENT\)/ },
  )
})
