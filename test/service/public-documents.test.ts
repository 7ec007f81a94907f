import { existsSync } from 'node:fs'
import { cp, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { loadContract } from '../../src/contract/index.js'
import { inFolder } from '../unit/codegen/fixtures.js'
import { judgeDocument } from '../unit/codegen/judge-document.js'
import { strictCompile } from '../unit/codegen/strict-compile.js'

/** Public documents beside the repository, where they are. */
const folder = fileURLToPath(new URL('../../../shared/corpus', import.meta.url))

t.test('public documents are linted, generated from and compiled; a second run writes nothing', async (t) => {
  if (!existsSync(folder)) return t.pass('there are none on this machine')
  await inFolder(async (dir) => {
    await cp(folder, join(dir, 'documents'), { recursive: true })
    // Some refer to another one as it lies in its own project.
    await cp(folder, join(dir, 'documents/api'), { recursive: true })
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.json'))) {
      const path = join(dir, 'documents', file)
      const name = basename(file, '.json')
      await judgeDocument(t, dir, { name, path, contract: await loadContract(path) })
    }
    t.equal(await strictCompile(dir), '')
  })
})
