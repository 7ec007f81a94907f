import { copyFile, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { shellWord } from '../../src/judge/index.js'
import { nodeTestCounts } from '../support/node-test-counts.js'
import { copyPublicDocuments } from '../support/public-documents.js'
import { everyNth } from '../support/runs.js'
import { runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { projectsHome } from './init-harness.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fixtures = join(root, 'test', 'fixtures', 'contracts')
const home = await projectsHome(t)

/** Creates a project of each usable document; returns their names, those of the files, and the refusals. */
async function makeProjects(documents: readonly string[]) {
  const made: string[] = []
  const refused: string[] = []
  for (const document of documents) {
    const name = basename(document, '.json')
    const { code, err } = await runConcordat(['init', document, join(home.folder, name)])
    if (code === 0) made.push(name)
    if (err !== '') refused.push(err)
  }
  return { made, refused }
}

const { installed, beside } = await copyPublicDocuments(await temporaryFolder(t))
const examples = await temporaryFolder(t)
await copyFile(join(root, 'openrpc.json'), join(examples, 'node-access.json'))
await copyFile(join(root, 'examples', 'backend', 'openrpc.json'), join(examples, 'stock.json'))
const own = await makeProjects([
  ...(await readdir(fixtures)).map((name) => join(fixtures, name)),
  ...(await readdir(examples)).map((name) => join(examples, name)),
])
const ofTools = await makeProjects(installed)
/** Documents beside this repository; some refer to missing files. */
const others = await makeProjects(beside)
const all = [...own.made, ...ofTools.made, ...others.made]

t.test('every complete document becomes a project: fixtures, and those of other authors', async (t) => {
  t.same([...own.refused, ...ofTools.refused], [])
  t.ok(own.made.length >= 45, String(own.made.length))
  t.equal(ofTools.made.length, installed.length)
  t.same(
    others.refused.filter((line) => !line.includes('starknet')),
    [],
  )
})

t.test('both packages of each project compile with their own settings', async (t) => {
  const contracts = all.map((name) => join(name, 'contract', 'generated'))
  t.same(await home.shell().run(`tsc --build ${contracts.map(shellWord).join(' ')}`), { code: 0, output: '' })
  for (const [at, contract] of contracts.entries()) {
    for (const file of ['validators.js', 'validators.d.ts']) {
      await copyFile(join(home.folder, contract, file), join(home.folder, contract, 'dist', file))
    }
    await home.link(all[at] ?? '')
  }
  const services = all.map((name) => join(name, 'service'))
  t.same(await home.shell().run(`tsc --build ${services.map(shellWord).join(' ')}`), { code: 0, output: '' })
  for (const service of services) {
    t.ok((await readdir(join(home.folder, service, 'dist'))).includes('server.js'), service)
  }
})

t.test("each project's server starts, and its test passes", async (t) => {
  // All of them are compiled.
  const started = everyNth(3, all)
  const imports = started.map((name) => `import './${name}/service/dist/service.test.js'\n`)
  await writeFile(join(home.folder, 'all.test.mjs'), imports.join(''))
  const { code, output } = await home.shell().run('node --test all.test.mjs')
  t.equal(code, 0)
  const { pass = 0, fail } = nodeTestCounts(output)
  t.equal(fail, 0)
  t.ok(pass >= started.length)
})
