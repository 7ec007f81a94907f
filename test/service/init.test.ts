import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { main } from '../../src/cli/main.js'
import { cleanEnvironment, runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const fixture = (name: string) => join(root, 'test', 'fixtures', name)

/** A folder for projects, in which they find what is installed here, and this package as its source. */
const home = await temporaryFolder(t)
const modules = join(home, 'node_modules')
await mkdir(join(modules, '.bin'), { recursive: true })
await mkdir(join(modules, 'concordat'))
for (const name of await readdir(join(root, 'node_modules'))) {
  if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name))
}
for (const name of ['tsc', 'tsx']) {
  await symlink(join(root, 'node_modules', '.bin', name), join(modules, '.bin', name))
}
await symlink(join(root, 'bin', 'concordat.js'), join(modules, '.bin', 'concordat'))
await symlink(join(root, 'src'), join(modules, 'concordat', 'src'))
await writeFile(
  join(modules, 'concordat', 'package.json'),
  JSON.stringify({
    name: 'concordat',
    type: 'module',
    exports: Object.fromEntries(
      ['client', 'rpc', 'server'].map((name) => [`./${name}`, `./src/${name}/index.ts`]),
    ),
  }),
)

/** What is generated here is no part of the project's coverage. */
const env = cleanEnvironment({
  NODE_V8_COVERAGE: '',
  PORT: '0',
  PATH: `${join(modules, '.bin')}:${process.env['PATH']}`,
})

/** Runs a command in a project as a person would. */
async function run(project: string, command: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-c', command], { cwd: join(home, project), env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** Starts a project's server by its own script; gives its URL, and what ends it with its exit code. */
async function start(project: string) {
  const { scripts } = JSON.parse(await readFile(join(home, project, 'package.json'), 'utf8'))
  const child = spawn('bash', ['-c', `exec ${scripts.start}`], { cwd: join(home, project), env })
  const closed = once(child, 'close') as Promise<[number | null]>
  const said = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>
  const [line] = await Promise.race([said, closed])
  if (typeof line !== 'string') throw new TypeError(`the server of ${project} ended with ${line}`)
  return {
    url: line.replace('Listening on ', ''),
    stop: async () => {
      child.kill('SIGTERM')
      return (await closed)[0]
    },
  }
}

const projects = [
  { name: 'todo', document: [], cases: 50 },
  { name: 'pets', document: [fixture('contracts/pet-store.json')], cases: 30 },
  { name: 'hostile', document: [fixture('contracts/hostile.json')], cases: 30 },
]

// What was written is never an assertion's name: a hostile document's words would be read as TAP.
for (const { name, document, cases } of projects) {
  t.test(`${name}: a new project does what its README says`, async (t) => {
    const made = await runConcordat(['init', ...document, join(home, name)])
    t.match(made, { code: 0, out: /npm install\n {2}npm start\n/ })
    const readme = await readFile(join(home, name, 'README.md'), 'utf8')
    for (const command of ['npm test', 'npm start', 'npm run conform -- http://127.0.0.1:8080/']) {
      t.match(readme, `\n${command}`)
    }
    t.match(await run(name, 'npm test'), { code: 0, output: /^. pass [1-9]/m })
    const server = await start(name)
    const conform = await run(name, `npm run conform -- ${server.url}`)
    t.match(conform, { code: 0, output: /^ {2}\d+ passed +\d+ requests/m })
    t.ok(Number(/^ {2}(\d+) passed/m.exec(conform.output)?.[1]) >= cases)
    t.equal(await server.stop(), 0, 'it stops when it is told to')
    t.match(await run(name, 'concordat generate --check'), { code: 0 }, 'what is generated is current')
    t.match(await run(name, 'concordat lint'), { code: 0 })
  })
}

t.test('the sample has nothing that lint could tell, and says itself what only reads', async (t) => {
  t.match((await run('todo', 'concordat lint')).output, 'no problems')
  const server = await start('todo')
  t.teardown(server.stop)
  const conform = await run('todo', `concordat conform --contract openrpc.json ${server.url}`)
  t.match(conform, { code: 0, output: 'tasks.add' })
})

t.test('a document in YAML stays one, and standard input is a document', async (t) => {
  t.match(await runConcordat(['init', fixture('init/shopping.yaml'), join(home, 'shopping')]), { code: 0 })
  const server = await start('shopping')
  t.teardown(server.stop)
  const conform = await run(
    'shopping',
    `concordat conform --contract openrpc.yaml --allow write ${server.url}`,
  )
  t.match(conform, { code: 0 })
  const piped = `concordat init - piped < ${fixture('init/shopping.yaml')}`
  t.match(await run('.', piped), { code: 0, output: '1 method answers from' })
  t.ok((await readdir(join(home, 'piped'))).includes('openrpc.yaml'))
})

t.test(
  'a server answers its contract, examples by their parameters, and what is not written yet',
  async (t) => {
    const server = await start('pets')
    t.teardown(server.stop)
    const call = async (method: string, params: unknown) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      return JSON.parse(await (await fetch(server.url, { method: 'POST', headers, body })).text())
    }
    t.equal((await call('rpc.discover', [])).result.info.title, 'Pet store')
    t.match(await call('listPets', [1]), { result: [{ name: 'Rex' }] })
    t.match(await call('listPets', []), { error: { code: 100, message: 'Pets are busy' } })
    t.match(await call('listPets', [2]), { result: [{ name: 'Rex' }] }, 'the first with a result')
    t.match(await call('addPet', [{ id: 1, name: 'Rex', kind: 'dog' }]), {
      error: { code: -32603, message: 'addPet is not implemented yet' },
    })
  },
)

t.test('what is left to do is told, and stands in the README', async (t) => {
  const { out } = await runConcordat(['init', fixture('contracts/pet-store.json'), join(home, 'told')])
  const readme = await readFile(join(home, 'told', 'README.md'), 'utf8')
  for (const remark of [
    "2 methods answer from the contract's examples.",
    '1 method has no example to answer from: not implemented yet.',
    '1 notification does nothing yet.',
  ]) {
    t.match(out, remark)
    t.match(readme, `- ${remark}\n`)
  }
  const empty = await runConcordat(['init', fixture('contracts/empty.json'), join(home, 'empty')])
  t.match(empty.out, 'No case for a conformance run follows from the contract yet')
  t.match(await run('empty', 'npm test'), { code: 0 })
})

t.test('what cannot be used is refused in words, with exit 2, and nothing is written', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(join(folder, 'full'))
  await writeFile(join(folder, 'full', 'mine.txt'), 'mine')
  await writeFile(join(folder, 'no.json'), '{"openrpc":')
  await writeFile(join(folder, 'broken.json'), '{"openrpc":"1.3.2","info":{},"methods":[{}]}')
  await writeFile(
    join(folder, 'parts.json'),
    JSON.stringify({
      openrpc: '1.3.2',
      info: { title: 'Parts', version: '1' },
      methods: [{ name: 'a', params: [], result: { name: 'r', schema: { $ref: 'other.json#/a' } } }],
    }),
  )
  const before = await readdir(folder)
  const pets = fixture('contracts/pet-store.json')
  const table: readonly (readonly [args: readonly string[], said: string])[] = [
    [[], 'where to?'],
    [['a', 'b', 'c'], 'more than DOC and DIR'],
    [['--colour', 'x'], '--help explains'],
    [[''], 'is empty'],
    [[join(folder, 'full')], 'is not empty: choose a new folder'],
    [[pets, join(folder, 'full')], 'is not empty: choose a new folder'],
    [[join(folder, 'no.json')], 'is a file, or lies in one'],
    [[join(folder, 'My Project')], 'a package cannot be called "My Project"'],
    [[join(folder, '.hidden')], 'a package cannot be called ".hidden"'],
    [[join(folder, 'node_modules')], '"node_modules" is taken'],
    [[join(folder, 'concordat')], '"concordat" is taken'],
    [[join(folder, 'absent.json'), join(folder, 'new')], 'there is no such file'],
    [[join(folder, 'no.json'), join(folder, 'new')], 'is no JSON'],
    [[join(folder, 'broken.json'), join(folder, 'new')], '#/methods/0'],
    [[join(folder, 'parts.json'), join(folder, 'new')], 'one document that stands alone'],
  ]
  for (const [args, said] of table) {
    const out: string[] = []
    const err: string[] = []
    const code = await main(['init', ...args], {
      out: (line) => out.push(line),
      err: (line) => err.push(line),
      env: {},
    })
    t.same({ code, out }, { code: 2, out: [] }, args.join(' '))
    t.match(err.join('\n'), said)
    t.notMatch(err.join('\n'), /\n +at /, 'no stack')
  }
  t.same(await readdir(folder), before)
  t.same(await readdir(join(folder, 'full')), ['mine.txt'])
})

t.test('an empty folder is taken, and --help explains', async (t) => {
  await mkdir(join(home, 'vacant'))
  t.equal((await runConcordat(['init', join(home, 'vacant')])).code, 0)
  t.match(await readdir(join(home, 'vacant')), ['.gitignore'])
  t.match((await runConcordat(['init', '--help'])).out, /^Usage: concordat init \[DOC\] DIR/)
})
