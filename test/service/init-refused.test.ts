import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const pets = fileURLToPath(new URL('../fixtures/contracts/pet-store.json', import.meta.url))

const init = (...args: readonly string[]) => runConcordat(['init', ...args])

/** A document with one method, whose result is this reference. */
function referring(reference: string): string {
  return JSON.stringify({
    openrpc: '1.3.2',
    info: { title: 'Parts', version: '1' },
    methods: [{ name: 'a', params: [], result: { name: 'r', schema: { $ref: reference } } }],
  })
}

t.test('invalid input is refused with an explanation and exit code 2, and nothing is written', async (t) => {
  const folder = await temporaryFolder(t)
  const at = (name: string) => join(folder, name)
  await mkdir(at('full'))
  await writeFile(at('full/mine.txt'), 'mine')
  await writeFile(at('no.json'), '{"openrpc":')
  await writeFile(at('broken.json'), '{"openrpc":"1.3.2","info":{},"methods":[{}]}')
  await writeFile(at('parts.json'), referring('other.json#/a'))
  await writeFile(at('web.json'), referring('http://127.0.0.1:9/other.json#/a'))
  await writeFile(at('unit.json'), '{"type":"integer"}')
  await writeFile(at('absolute.json'), referring(at('unit.json')))
  await writeFile(at('url.json'), referring(`file://${at('unit.json')}`))
  await writeFile(at('climbing.json'), referring(`${'../'.repeat(50)}${at('unit.json').slice(1)}`))
  await writeFile(at('\u001b[31mred.json'), '{')
  await symlink(at('nowhere/at/all'), at('dangling'))
  const before = await readdir(folder)
  const table: readonly (readonly [args: readonly string[], said: string])[] = [
    [[], 'the folder is missing'],
    [['a', 'b', 'c'], 'too many arguments'],
    [['--colour', 'x'], 'See --help'],
    [[''], 'DOC needs a value'],
    [[at('full')], 'is not empty: choose a new folder'],
    [[pets, at('full')], 'is not empty: choose a new folder'],
    [[at('no.json')], 'is a file, or inside one'],
    [[at('no.json/new')], 'is a file, or inside one'],
    [[at('dangling')], 'the folder cannot be created'],
    [['/proc/new'], 'cannot write /proc/new'],
    [[at('absent.json'), at('new')], 'absent.json: the file does not exist'],
    [[at('full'), at('new')], 'has no openrpc.json'],
    [[at('no.json'), at('new')], 'is not valid JSON'],
    [[at('broken.json'), at('new')], '#/methods/0'],
    [[at('parts.json'), at('new')], '#/methods/0/result/schema: "other.json"'],
    [[at('web.json'), at('new')], 'allow it with --allow-remote'],
    [[at('absolute.json'), at('new')], 'would have another target in the copied project: make it relative'],
    [[at('url.json'), at('new')], 'would have another target in the copied project: make it relative'],
    [[at('climbing.json'), at('new')], 'would have another target in the copied project: make it relative'],
    [[at('\u001b[31mred.json'), at('new')], '\\u001b[31mred.json: is not valid JSON'],
  ]
  for (const [args, said] of table) {
    const { code, out, err } = await init(...args)
    t.same({ code, out }, { code: 2, out: '' }, said)
    t.match(err, said)
    t.notMatch(err, /\n +at /, 'no stack')
    t.ok([...err].every((character) => character === '\n' || character >= ' '))
  }
  t.same(await readdir(folder), before)
  t.same(await readdir(at('full')), ['mine.txt'])
})

t.test('a folder without write permission stays unchanged', async (t) => {
  const folder = await temporaryFolder(t)
  const locked = join(folder, 'locked')
  await mkdir(locked)
  await chmod(locked, 0o500)
  // Root ignores file permissions, but not a read-only file system.
  const target = process.getuid?.() === 0 ? '/proc/self/new' : join(locked, 'new')
  t.match(await init(target), { code: 2, err: `cannot write ${target}` })
  t.same(await readdir(locked), [])
})

t.test('no text of a document becomes a file name', async (t) => {
  const folder = await temporaryFolder(t)
  const title = '../../evil/`rm -rf ~`\n# "quoted" </title><script>\u202e'
  const document = join(folder, 'hostile.json')
  await writeFile(
    document,
    JSON.stringify({
      openrpc: '1.3.2',
      info: { title, version: '../1' },
      methods: [
        {
          name: '../../a/b',
          params: [],
          result: { name: '../r', schema: { $ref: '#/components/schemas/x' } },
        },
      ],
      components: { schemas: { x: { title: '../../y', type: 'string' } } },
    }),
  )
  t.equal((await init(document, join(folder, 'deep', 'inside'))).code, 0)
  t.same((await readdir(folder)).sort(), ['deep', 'hostile.json'])
  t.same(await readdir(join(folder, 'deep')), ['inside'])
  t.same((await readdir(join(folder, 'deep', 'inside'))).sort(), [
    '.dockerignore',
    '.github',
    '.gitignore',
    'Dockerfile',
    'README.md',
    'concordat.config.yaml',
    'contract',
    'package.json',
    'service',
  ])
  t.same((await readdir(join(folder, 'deep', 'inside', 'contract'))).sort(), ['generated', 'openrpc.json'])
  const readme = await readFile(join(folder, 'deep', 'inside', 'README.md'), 'utf8')
  t.notMatch(readme, '<script>')
  t.equal(readme.match(/^# /gm)?.length, 1, 'the title starts no heading')
  const nameAndVersion = async (path: string) => {
    const text = await readFile(join(folder, 'deep', 'inside', path, 'package.json'), 'utf8')
    const { name, version } = JSON.parse(text)
    return `${name} ${version}`
  }
  t.equal(await nameAndVersion('service'), 'inside 0.1.0')
  t.equal(await nameAndVersion('contract/generated'), 'inside-contract 0.1.0')
})
