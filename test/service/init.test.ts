import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { shellWord } from '../../src/judge/index.js'
import { loadContract } from '../../src/toolkit/contract/index.js'
import { nodeTestCounts } from '../support/node-test-counts.js'
import { chosen, isLong } from '../support/runs.js'
import { runConcordat } from '../support/service.js'
import { findTool } from '../support/tools.js'
import { projectsHome } from './init-harness.js'

await findTool('curl')

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
const home = await projectsHome(t)
const folderOf = (name: string) => join(home.folder, name)

/** Creates a project with the command, as users do. */
const initByCommand = (...args: readonly string[]) =>
  home.shell().run(['concordat init', ...args.map(shellWord)].join(' '))

/** Runs the command in this process. */
async function init(...args: readonly string[]) {
  const { code, out, err } = await runConcordat(['init', ...args])
  return { code, output: `${out}${err}` }
}

/** Starts the server of a linked project as its README tells supervisors to. Earlier commands may have built it. */
async function start(name: string) {
  if (!existsSync(join(folderOf(name), 'service', 'dist', 'server.js'))) {
    const { code, output } = await home.shell(name).run('npm run build')
    if (code !== 0) throw new TypeError(output)
  }
  return home.shell(name).listen('node service/dist/server.js')
}

interface ProjectRow {
  readonly document: readonly string[]
  /** Tests of the service. */
  readonly tests: number
  /** Least number of cases that pass over HTTP. */
  readonly cases: number
  /** Least number of cases that pass over a WebSocket, for a contract that needs connections. */
  readonly connected?: number
}

const projects: Readonly<Record<string, ProjectRow>> = {
  todo: { document: [], tests: 3, cases: 50 },
  pets: { document: [fixture('contracts/pet-store.json')], tests: 2, cases: 30 },
  connections: { document: [fixture('contracts/connections.json')], tests: 1, cases: 20, connected: 40 },
  hostile: { document: [fixture('contracts/hostile.json')], tests: 5, cases: 30 },
  several: { document: [fixture('contracts/several-files')], tests: 2, cases: 10 },
}

// The short form runs only the first one completely. init-documents.test.ts compiles and tests the others, and
// mock.test.ts judges a hostile document's server. Output of a command never becomes an assertion name, because hostile
// texts would be read as TAP.
for (const [name, { document, tests, cases, connected }] of chosen(projects, { hostile: 'several' })) {
  t.test(`${name}: a new project does what its README says`, async (t) => {
    const made = await initByCommand(...document, folderOf(name))
    t.match(made, { code: 0, output: /npm install\n {2}npm start\n/ })
    const readme = await readFile(join(folderOf(name), 'README.md'), 'utf8')
    for (const command of ['npm test', 'npm start', 'npm run conform -- http://127.0.0.1:8080/']) {
      t.match(readme, `\n${command}`)
    }
    await home.link(name)
    const shell = home.shell(name)
    const isWhole = isLong || name === 'todo'
    if (isWhole) {
      const { code, output } = await shell.run('npm test')
      t.equal(code, 0)
      t.match(nodeTestCounts(output), { pass: tests, fail: 0 })
    }
    const server = await start(name)
    const conform = await shell.run(`npm run conform -- ${server.url}`)
    t.equal(conform.code, 0)
    const [, passed] = /^ {2}(\d+) passed\b.* \d+ requests/m.exec(conform.output) ?? []
    t.ok(Number(passed) >= cases, conform.output.split('\n').slice(-6).join(' '))
    if (connected !== undefined) {
      t.match(readme, '\nnpm run conform -- ws://127.0.0.1:8080/')
      const sockets = await shell.run(`npm run conform -- ${server.url.replace('http', 'ws')}`)
      t.equal(sockets.code, 0)
      const [, overSockets] = /^ {2}(\d+) passed\b.* \d+ requests/m.exec(sockets.output) ?? []
      t.ok(Number(overSockets) >= connected, sockets.output.split('\n').slice(-6).join(' '))
    }
    if (isWhole) {
      const second = await shell.run(`PORT=${new URL(server.url).port} npm start`)
      t.match(second, {
        code: 1,
        output: /Cannot listen on port \d+. Set PORT to use another\. .*EADDRINUSE/,
      })
    }
    t.equal(await server.stop(), 0, 'the server stops on request')
    if (!isWhole) return
    const generated = await shell.run('npm run generate')
    t.match(generated, { code: 0, output: /^contract\/generated: 0 written, 0 removed, \d+ unchanged$/m })
    t.match(await shell.run('npm run lint'), { code: 0, output: name === 'todo' ? 'no problems' : /problem/ })
  })
}

t.test('each part of a new project works, and goes with its file', async (t) => {
  const shell = home.shell('todo')
  const call = async (url: string, authorization = '') => {
    const headers = { 'content-type': 'application/json', authorization }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks.add', params: ['Buy milk'] })
    const response = await fetch(url, { method: 'POST', headers, body })
    return { status: response.status, wait: response.headers.get('retry-after'), text: await response.text() }
  }
  await start('todo').then((server) => server.stop())
  const env = 'env TOKENS=ada=one==,bob=two CALLS_PER_MINUTE=2'
  const guarded = await shell.listen(`${env} node service/dist/server.js`)
  t.match(await call(guarded.url), { status: 401, text: '-32016' })
  const statuses = []
  for (const token of ['one==', 'one==', 'one==', 'two'])
    statuses.push(await call(guarded.url, `Bearer ${token}`))
  t.same(
    statuses.map(({ status }) => status),
    [200, 200, 429, 200],
  )
  t.equal(statuses[2]?.wait, '60')
  const metrics = await (await fetch(new URL('metrics', guarded.url))).text()
  t.match(metrics, /^rpc_seconds_count{method="tasks.add",code="0"} 3$/m)
  t.match(metrics, /^rpc_seconds_count{method="tasks.add",code="-32005"} 1$/m)
  t.equal((await fetch(guarded.url)).status, 405)
  await guarded.stop()

  await rm(join(folderOf('todo'), 'service', 'src', 'parts', 'authentication.ts'))
  await rm(join(folderOf('todo'), 'service', 'src', 'parts', 'metrics.ts'))
  t.match(await shell.run('npm run build'), { code: 0 })
  const open = await shell.listen(`${env} node service/dist/server.js`)
  t.equal((await call(open.url)).status, 200)
  t.equal((await fetch(new URL('metrics', open.url))).status, 404)
  await open.stop()
  await rm(join(folderOf('todo'), 'service', 'src', 'parts'), { recursive: true })
  t.match(await shell.run('npm test'), { code: 0 })
})

t.test(
  'a new project refuses with the errors of its contract, and conform waits for its limit',
  async (t) => {
    const document = JSON.parse(await readFile(fixture('contracts/pet-store.json'), 'utf8'))
    const refusals = {
      'not-known': { code: -31001, message: 'Who are you?', 'x-http-status': 401 },
      tooFast: { code: -31002, message: 'Too fast', 'x-http-status': 429, 'x-retry-after-seconds': 1 },
    }
    document.components.errors = { ...document.components.errors, ...refusals }
    document.info['x-method-defaults'] = {
      errors: Object.keys(refusals).map((name) => ({ $ref: `#/components/errors/${name}` })),
    }
    const file = join(home.folder, 'refusing.json')
    await writeFile(file, JSON.stringify(document))
    t.match(await init(file, folderOf('refusing')), { code: 0 })
    await home.link('refusing')
    const handlers = join(folderOf('refusing'), 'service', 'src', 'handlers.ts')
    const text = await readFile(handlers, 'utf8')
    const imported = "import type { Caller } from './parts.js'\n"
    await writeFile(handlers, imported + text.replace('handlers: Handlers ', 'handlers: Handlers<Caller> '))
    const shell = home.shell('refusing')
    t.match(await shell.run('npm test'), { code: 0 }, 'handlers of a caller compile with the test')
    const server = await shell.listen('env TOKENS=ada=one CALLS_PER_MINUTE=1800 node service/dist/server.js')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'list_pets', params: [] })
    const unknown = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    t.equal(unknown.status, 401)
    t.match(await unknown.json(), { error: { code: -31001, message: 'Who are you?' } })
    const run = await shell.run(`npm run conform -- --header 'Authorization: Bearer one' ${server.url}`)
    t.equal(run.code, 0)
    t.match(run.output, /passed/)
    t.notMatch(run.output, /limit is spent/)
    await server.stop()
  },
)

t.test('a compile error fails the test of a new project', async (t) => {
  await init(folderOf('mistaken'))
  await home.link('mistaken')
  const file = join(folderOf('mistaken'), 'service', 'src', 'handlers.ts')
  const handlers = await readFile(file, 'utf8')
  await writeFile(file, handlers.replace('return task\n', 'return 1\n'))
  const tested = await home.shell('mistaken').run('npm test')
  t.not(tested.code, 0)
  t.match(tested.output, /src\/handlers\.ts.*error TS2322/)
})

t.test('after a breaking change the compiler reports only the affected handler', async (t) => {
  await init(fixture('contracts/pet-store.json'), folderOf('broken'))
  await home.link('broken')
  const file = join(folderOf('broken'), 'contract', 'openrpc.json')
  const document = JSON.parse(await readFile(file, 'utf8'))
  document.methods[0].name = 'listAnimals'
  await writeFile(file, JSON.stringify(document))
  const shell = home.shell('broken')
  t.match(await shell.run('npm run generate'), { code: 0 })
  const { output } = await shell.run('npm test')
  t.same(output.match(/^\S+ error TS\d+/gm), ['src/handlers.ts(13,3): error TS2353'])
})

t.test('the calls in the README of the sample work, and its contract marks reads', async (t) => {
  const readme = await readFile(join(folderOf('todo'), 'README.md'), 'utf8')
  const block = (language: string) => {
    const [, text = ''] =
      new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readme.split('## Call it')[1] ?? '') ?? []
    return text
  }
  const server = await start('todo')
  t.teardown(server.stop)
  const at = (text: string) => text.replaceAll('http://127.0.0.1:8080/', server.url)
  const curled = await home.shell('todo').run(at(block('sh')))
  t.match(curled.output, '"result":{"id":1,"title":"Buy milk","priority":"normal","doneAt":null}')
  await writeFile(join(folderOf('todo'), 'call.mjs'), at(block('ts')))
  const called = await home.shell('todo').run('node call.mjs')
  t.match(called, { code: 0, output: "title: 'Buy milk'" })
  const conform = await home
    .shell('todo')
    .run(`concordat conform --contract contract/openrpc.json ${server.url}`)
  t.match(conform, { code: 0, output: /not run/ })
  t.match(conform.output, 'tasks.add')
})

t.test('a YAML document stays YAML, and standard input is accepted', async (t) => {
  t.match(await init(fixture('init/shopping.yaml'), folderOf('shopping')), { code: 0 })
  await home.link('shopping')
  const server = await start('shopping')
  t.teardown(server.stop)
  const { result } = await call(server.url, 'rpc.discover', {})
  t.same(result, (await loadContract(fixture('init/shopping.yaml'))).document)
  const conform = await home.shell('shopping').run(`npm run conform -- ${server.url}`)
  t.match(conform, { code: 0, output: /^ {2}\d+ passed/m })
  const piped = `concordat init - piped < ${fixture('init/shopping.yaml')}`
  t.match(await home.shell().run(piped), { code: 0, output: '1 method returns' })
  t.ok((await readdir(join(folderOf('piped'), 'contract'))).includes('openrpc.yaml'))
  const tried = `concordat conform --contract - --allow write ${server.url} < contract/openrpc.yaml`
  t.match(await home.shell('piped').run(tried), { code: 0, output: /^ {2}\d+ passed/m })
})

t.test('files next to or above the document are copied with their references', async (t) => {
  const spec = join(folderOf('spec'), 'service')
  await mkdir(join(folderOf('spec'), 'com mon'), { recursive: true })
  await mkdir(spec)
  await writeFile(
    join(spec, 'my api.json'),
    JSON.stringify({
      openrpc: '1.3.2',
      info: { title: 'Apart', version: '1.0.0' },
      methods: [
        {
          name: 'double',
          params: [{ name: 'n', required: true, schema: { $ref: '../com%20mon/units.yaml#/Small' } }],
          result: { name: 'r', schema: { $ref: '#/components/schemas/Result' } },
          examples: [{ name: 'two', params: [{ name: 'n', value: 2 }], result: { name: 'r', value: 4 } }],
        },
      ],
      components: { schemas: { Result: { type: 'integer' } } },
    }),
  )
  await writeFile(
    join(folderOf('spec'), 'com mon', 'units.yaml'),
    "Small: { allOf: [{ $ref: '../service/my%20api.json#/components/schemas/Result' }], maximum: 9 }\n",
  )
  t.match(await init(join(spec, 'my api.json'), folderOf('apart')), { code: 0 })
  await home.link('apart')
  const copied = await readdir(join(folderOf('apart'), 'contract'), { recursive: true })
  t.same(copied.filter((path) => !path.startsWith('generated')).sort(), [
    'com mon',
    join('com mon', 'units.yaml'),
    'service',
    join('service', 'my api.json'),
  ])
  const shell = home.shell('apart')
  const tested = await shell.run('npm test')
  t.equal(tested.code, 0)
  t.match(nodeTestCounts(tested.output), { pass: 1, fail: 0 })
  t.match(await shell.run('npm run generate'), { code: 0, output: ' 0 written' })
  const server = await start('apart')
  t.teardown(server.stop)
  const discovered = await call(server.url, 'rpc.discover', [])
  t.equal(discovered.result.info.title, 'Apart')
  t.match(await shell.run(`concordat lint ${server.url}`), { code: 0 }, 'the parts of all files are included')
  t.match(await shell.run(`npm run conform -- ${server.url}`), { code: 0, output: /^ {2}\d+ passed/m })
})

async function call(url: string, method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  return JSON.parse(await (await fetch(url, { method: 'POST', headers, body })).text())
}

t.test('commands of the project also fetch remote parts', async (t) => {
  const parts = createServer((_, response) => response.end('{"Amount":{"type":"integer","maximum":9}}'))
  parts.listen(0, '127.0.0.1')
  await once(parts, 'listening')
  t.teardown(() => parts.close())
  const reference = `http://127.0.0.1:${(parts.address() as AddressInfo).port}/units.json#/Amount`
  const document = {
    openrpc: '1.3.2',
    info: { title: 'Fetched', version: '1.0.0' },
    methods: [
      {
        name: 'spend',
        params: [{ name: 'amount', required: true, schema: { $ref: reference } }],
        result: { name: 'left', schema: { $ref: reference } },
      },
    ],
  }
  await writeFile(folderOf('fetching.json'), JSON.stringify(document))
  t.match(await init(folderOf('fetching.json'), folderOf('fetched')), { code: 2, output: '--allow-remote' })
  t.match(await init('--allow-remote', folderOf('fetching.json'), folderOf('fetched')), { code: 0 })
  t.same((await readdir(join(folderOf('fetched'), 'contract'))).sort(), ['generated', 'openrpc.json'])
  await home.link('fetched')
  const shell = home.shell('fetched')
  t.match(await shell.run('npm run generate'), { code: 0, output: ' 0 written, 0 removed' })
  const tested = await shell.run('npm test')
  t.equal(tested.code, 0)
  t.match(nodeTestCounts(tested.output), { pass: 1, fail: 0 })
  const server = await start('fetched')
  t.teardown(server.stop)
  t.match(await shell.run(`npm run conform -- ${server.url}`), { code: 0, output: /^ {2}\d+ passed/m })
})

t.test('a server answers from examples, and marks unimplemented methods', async (t) => {
  const server = await start('pets')
  t.teardown(server.stop)
  t.equal((await call(server.url, 'rpc.discover', [])).result.info.title, 'Pet store')
  t.match(await call(server.url, 'listPets', [1]), { result: [{ name: 'Rex' }] })
  t.match(await call(server.url, 'listPets', []), { error: { code: 100, message: 'Pets are busy' } })
  t.match(
    await call(server.url, 'listPets', [2]),
    { result: [{ name: 'Rex' }] },
    'the first one with a result',
  )
  t.match(await call(server.url, 'addPet', [{ id: 1, name: 'Rex', kind: 'dog' }]), {
    error: { code: -32603, message: 'addPet is not implemented yet' },
  })
})

t.test('remaining work is printed, and listed in the README', async (t) => {
  const told = await init(fixture('contracts/pet-store.json'), folderOf('told'))
  const readme = await readFile(join(folderOf('told'), 'README.md'), 'utf8')
  for (const remark of [
    "2 methods return the contract's examples.",
    '1 method has no example and returns an error until implemented.',
    '1 notification is ignored until implemented.',
  ]) {
    t.match(told.output, remark)
    t.match(readme, `- ${remark}\n`)
  }
  const empty = await init(fixture('contracts/empty.json'), folderOf('empty'))
  t.match(empty.output, 'The contract yields no conformance cases yet')
})

t.test('a folder may be empty, a new repository, a symbolic link or oddly named', async (t) => {
  await mkdir(folderOf('vacant'))
  await mkdir(join(folderOf('begun'), '.git'), { recursive: true })
  await symlink(folderOf('vacant'), folderOf('linked'))
  for (const [folder, name] of [
    ['begun', 'begun'],
    ['linked', 'linked'],
    ["It's Ünïque & new", 'it-s-unique-new'],
    ['.hidden', 'hidden'],
    ['concordat', 'json-rpc-service'],
    ['日本', 'json-rpc-service'],
  ] as const) {
    t.equal((await init(folderOf(folder))).code, 0)
    const nameIn = async (path: string) =>
      JSON.parse(await readFile(join(folderOf(folder), path, 'package.json'), 'utf8')).name
    t.equal(await nameIn('service'), name)
    t.equal(await nameIn('contract/generated'), `${name}-contract`)
    t.ok((await readdir(join(folderOf(folder), 'service', 'src'))).includes('server.ts'))
  }
  t.ok((await readdir(folderOf('vacant'))).includes('package.json'), 'the link was followed')
  t.match((await init('--help')).output, /^Usage: concordat init \[options\] \[DOC\] DIR/)
})

t.test('a project that was moved with its contract is regenerated without changes', async (t) => {
  await cp(folderOf('several'), folderOf('moved'), { recursive: true })
  const again = await home.shell('moved').run('npm run generate')
  t.match(again, { code: 0, output: ' 0 written, 0 removed' })
})

t.test('a file name that references must encode is kept', async (t) => {
  const folder = folderOf('encoded-source')
  await mkdir(join(folder, 'sub folder'), { recursive: true })
  await writeFile(join(folder, 'sub folder', 'ty%pes#1?.json'), '{"Rec":{"type":"integer"}}')
  const schema = { $ref: 'sub%20folder/ty%25pes%231%3F.json#/Rec' }
  const document = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1' },
    methods: [{ name: 'm', params: [], result: { name: 'r', schema } }],
  }
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(document))
  t.match(await init(folder, folderOf('encoded')), { code: 0 })
  t.same(await readdir(join(folderOf('encoded'), 'contract', 'sub folder')), ['ty%pes#1?.json'])
  const again = await home.shell('encoded').run('npm run generate')
  t.match(again, { code: 0, output: ' 0 written, 0 removed' })
})
