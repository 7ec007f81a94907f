/** The tutorials, followed as they are printed. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { freePort } from '../support/free-port.js'
import { type Guide, openGuide } from '../support/guide.js'
import { reader } from '../support/reader.js'
import { startService } from '../support/service.js'
import { shows } from '../support/shown-output.js'
import { projectsHome } from './init-harness.js'

const service = await startService()
t.teardown(() => service.stop())
const RPC_URL = service.networks.test.url

t.test('the landing page: its call is answered', async (t) => {
  const guide = await openGuide('docs/index.md')
  const [call] = guide.commands()
  const called = await call?.run({ cwd: await reader.newFolder(t), env: { RPC_URL } })
  t.match(called, { code: 0, output: /^\{"jsonrpc":"2\.0","id":1,"result":"0x[0-9a-f]+"\}$/ })
})

/** The only block of a language in a section. */
function written(guide: Guide, section: string, language: string): string {
  const [text = '', ...others] = guide.code(section, language)
  if (text === '' || others.length > 0)
    throw new TypeError(`${section} has no block of ${language}, or several`)
  return text
}

t.test('backend: a project, a method more, and its judgement', async (t) => {
  const guide = await openGuide('docs/tutorials/backend.md')
  const home = await projectsHome(t)
  const project = join(home.folder, 'my-service')
  const clone = join(home.folder, 'clone')
  await mkdir(clone)
  const path = [join(home.folder, 'node_modules/.bin')]
  // The packages are linked instead of installed, which takes minutes.
  const linked = `${reader.functions}
    link() { mkdir -p node_modules; ln -s ../contract/generated node_modules/my-service-contract; }
    npm() { if test "$1" = install; then link; else command npm "$@"; fi; }`
  const [make] = guide.commands('1. Make a project')
  const made = await make?.run({ cwd: clone, path, functions: linked })
  t.match(made, { code: 0, output: /^# pass 3$/m })
  const { devDependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'))
  for (const specifier of Object.values<string>(devDependencies))
    if (specifier.startsWith('file:'))
      t.ok((await stat(join(project, specifier.slice('file:'.length), 'package.json'))).isFile(), specifier)

  const machine = { cwd: project, path, functions: reader.functions }
  const [serve, call] = guide.commands('2. Serve it')
  const started = serve?.start({ ...machine, env: { PORT: '0' } })
  const [, port = ''] = (await started?.said(/^Listening on http:\/\/127\.0\.0\.1:(\d+)\/$/m)) ?? []
  const functions = 'curl() { command curl "$@"; echo; }'
  const called = await call?.run({ ...machine, functions, places: { 8080: port } })
  shows(t, called?.output ?? '', call?.shown ?? '')
  await started?.stop()

  const contract = join(project, 'contract/openrpc.json')
  const document = JSON.parse(await readFile(contract, 'utf8'))
  document.methods.push(JSON.parse(written(guide, '3. Add a method', 'json')))
  await writeFile(contract, JSON.stringify(document, null, 2))
  const [generate] = guide.commands('3. Add a method')
  t.match(await generate?.run(machine), { output: /error TS\d+: Property 'count' is missing/ })
  const handlers = join(project, 'service/src/handlers.ts')
  const code = await readFile(handlers, 'utf8')
  await writeFile(handlers, code.replace('  tasks: {\n', `$&    ${written(guide, '3. Add a method', 'ts')}`))

  const again = guide.commands('2. Serve it')[0]?.start({ ...machine, env: { PORT: '0' } })
  const [, next = ''] = (await again?.said(/^Listening on http:\/\/127\.0\.0\.1:(\d+)\/$/m)) ?? []
  const [conform] = guide.commands('4. Judge it')
  const judged = await conform?.run({ ...machine, places: { 8080: next } })
  t.match(judged, { code: 0, output: /methods 5 of 5/ })
  t.notMatch(judged?.output, 'failed')
  await again?.stop()
})

t.test('integrator: calls with curl, the client and viem', async (t) => {
  const guide = await openGuide('docs/tutorials/integrator.md')
  const cwd = await reader.newFolder(t)
  for (const [section, name] of [
    ['2. Use the typed client', 'first-calls'],
    ['3. Read many logs', 'logs'],
    ['4. Or use your library', 'with-viem'],
  ] as const)
    await writeFile(join(cwd, `${name}.mjs`), written(guide, section, 'js'))
  for (const block of guide.commands()) {
    const { code, output } = await block.run({ cwd, env: { RPC_URL } })
    t.equal(code, 0, block.text)
    if (block.shown === '') t.match(output, /^\d+ logs$/m)
    else shows(t, output, block.shown)
  }
})

t.test('QA: a plan, a run, and a case that fails and is corrected', async (t) => {
  const guide = await openGuide('docs/tutorials/qa.md')
  const cwd = await reader.newFolder(t)
  const wrong = written(guide, '3. Write a case', 'yaml')
  await mkdir(join(cwd, 'my-cases/balance'), { recursive: true })
  const codes: (number | null)[] = []
  for (const [at, block] of guide.commands().entries()) {
    const text = at < 3 ? wrong : wrong.replace("'0x00'", "'0x0'")
    await writeFile(join(cwd, 'my-cases/balance/zero-address.yaml'), text)
    const { code, output } = await block.run({ cwd, env: { RPC_URL }, functions: reader.functions })
    shows(t, output, block.shown)
    codes.push(code)
  }
  t.same(codes, [0, 0, 1, 0], 'as the tutorial says')
  t.match(await readFile(join(cwd, 'report.html'), 'utf8'), /^<!doctype html>/i)
  t.match(await readFile(join(cwd, 'report.xml'), 'utf8'), '<testcase ')
})

t.test('operator: a gateway before a node, a key, a call, and its count', async (t) => {
  const guide = await openGuide('docs/tutorials/operator.md')
  const cwd = await reader.newFolder(t)
  const settings = written(guide, '1. Write the settings', 'yaml')
  const [port, metrics] = [await freePort(), await freePort()]
  await writeFile(
    join(cwd, 'concordat.yaml'),
    settings.replace('8090', `${port}`).replace('9464', `${metrics}`),
  )
  const machine = { cwd, functions: reader.functions }
  const [serve, ready] = guide.commands('2. Serve it')
  const started = serve?.start({ ...machine, env: { NODE_URL: RPC_URL } })
  await started?.said(/"urls":/)
  t.match(await ready?.run({ ...machine, places: { 8090: port } }), { code: 0, output: /"database":"ok"/ })
  const [create, call] = guide.commands('3. Create a key')
  const created = await create?.run(machine)
  t.match(created, { code: 0, output: /ada@example\.com/ })
  const [keyUrl = ''] = /http:\S+/.exec(created?.output ?? '') ?? []
  const called = await call?.run({ cwd, env: { KEY_URL: keyUrl } })
  shows(t, called?.output ?? '', call?.shown ?? '')
  const [count] = guide.commands('4. See it counted')
  t.match(await count?.run({ cwd, places: { 9464: metrics } }), {
    code: 0,
    output: /^concordat_requests_total\{.*eth_chainId.*\} 1$/m,
  })
  t.equal((await started?.stop())?.code, 0)
})
