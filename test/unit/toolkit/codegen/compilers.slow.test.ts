import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { createUserProject, flagsOf, newestCompiler } from '../../../support/compilers.js'
import { loadFixture, ownContract } from './fixtures.js'

await mkdir(fileURLToPath(new URL('../../../../.tap', import.meta.url)), { recursive: true })
const project = await createUserProject(
  new Map([
    ['own', await ownContract()],
    ['constructs', await loadFixture('constructs')],
  ]),
)
t.teardown(project.remove)

// test/long/compilers.long.ts has older compilers.
t.test('generated code compiles for Node.js and for bundlers under all flags', async (t) => {
  for (const resolution of ['nodenext', 'bundler'] as const)
    t.equal(await project.errors(newestCompiler, resolution, flagsOf(newestCompiler)), '', resolution)
})

t.test('esbuild bundles a generated client for browsers', async (t) => {
  const { errors, warnings, outputFiles } = await build({
    entryPoints: [join(project.folder, 'own/client.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  t.same([...errors, ...warnings], [])
  t.match(outputFiles[0]?.text, /eth_getBlockByNumber/)
})
