import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openBackup, writeBackup } from '../../../../../src/service/gateway/store/transfer/backup-file.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const head = { migrations: 1, secretVersion: 'v1' }
const line = { rows: [['line separators: \u2028, \u2029', '\r\n', null, 'é'.repeat(70_000)]] }

t.test('a backup is read as it was written, on each version of Node.js', async (t) => {
  const path = join(await temporaryFolder(t), 'backup')
  await writeBackup(path, {
    head,
    async *lines() {
      yield line
      yield line
    },
  })
  const backup = await openBackup(path)
  t.match(backup.head, head)
  const lines = []
  for await (const read of backup.lines()) lines.push(read)
  t.strictSame(lines, [line, line])

  const text = await readFile(path, 'utf8')
  await writeFile(path, text.trimEnd())
  t.match((await openBackup(path)).head, head, 'an editor may remove the last newline')
  await writeFile(path, text.slice(0, -80))
  await t.rejects(openBackup(path), { message: /is truncated/ })
  await writeFile(path, text.replace('\u2028', '\n'))
  await t.rejects(openBackup(path), { message: /is damaged/ })
})

t.test('a file that is missing or a folder is no backup', async (t) => {
  const folder = await temporaryFolder(t)
  for (const path of [join(folder, 'missing'), folder])
    await t.rejects(openBackup(path), { code: 'backup_unusable', message: /cannot be read/ })
})
