import { basename, join } from 'node:path'
import t from 'tap'
import { loadContract } from '../../../../src/toolkit/contract/index.js'
import { copyPublicDocuments } from '../../../support/public-documents.js'
import { inFolder } from './fixtures.js'
import { judgeDocument } from './judge-document.js'
import { strictCompile } from './strict-compile.js'

t.test('public documents are linted, generated and compiled, and a second run writes nothing', async (t) => {
  await inFolder(async (dir) => {
    const { installed, beside } = await copyPublicDocuments(join(dir, 'documents'))
    t.ok(installed.length >= 7, `${installed.length} of installed packages`)
    t.comment(`${beside.length} larger ones, of hundreds of kilobytes, beside the repository`)
    for (const path of [...installed, ...beside]) {
      const name = basename(path, '.json')
      await judgeDocument(t, dir, { name, path, contract: await loadContract(path) })
    }
    t.equal(await strictCompile(dir), '')
  })
})
