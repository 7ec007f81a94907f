/**
 * Generated code as users compile it: TypeScript 5.4 to 7, each flag from the version that brought it, for Node.js and for
 * bundlers. The compilers have about 200 MB, so this file installs them; only the newest one is a dependency of the
 * project.
 */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { typescriptPackages, typescriptVersions } from '../../lab/matrix/typescript-rows.js'
import { type Compiler, createUserProject, flagsOf } from '../support/compilers.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { loadFixture, ownContract } from '../unit/toolkit/codegen/fixtures.js'

t.setTimeout(3_600_000)

const run = promisify(execFile)
const tools = await temporaryFolder(t)
await writeFile(join(tools, 'package.json'), '{"private":true}')
await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', tools, ...typescriptPackages])

const compilers = typescriptVersions.map((version): Compiler => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return {
    version: [major, minor],
    command: ['node', join(tools, `node_modules/typescript-${version}/bin/tsc`)],
  }
})

await mkdir(fileURLToPath(new URL('../../.tap', import.meta.url)), { recursive: true })
const fixtures = [
  ...['connections', 'constructs', 'errors', 'hostile', 'links', 'namespaces', 'odd-names'],
  ...['own-words', 'pattern-properties', 'recursive', 'service-rules', 'tuples', 'unicode-names'],
]
const contracts = await Promise.all(fixtures.map(async (name) => [name, await loadFixture(name)] as const))
const project = await createUserProject(new Map([['own', await ownContract()], ...contracts]))
t.teardown(project.remove)

for (const compiler of compilers) {
  const version = compiler.version.join('.')
  const all = flagsOf(compiler)
  t.test(`TypeScript ${version}`, async (t) => {
    for (const flags of [[], ...all.map((flag) => [flag]), all])
      t.equal(await project.errors(compiler, 'nodenext', flags), '', `nodenext ${flags.join(' ')}`)
    for (const flags of [[], all])
      t.equal(await project.errors(compiler, 'bundler', flags), '', `bundler ${flags.join(' ')}`)
  })
}
