import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))

t.test('the typeface is what npm run typeface makes, with its licence, and at most 20 kB', async (t) => {
  await t.resolves(promisify(execFile)(process.execPath, ['bin/typeface.js', '--check'], { cwd: root }))
  const { size } = await stat(`${root}src/service/gateway/dashboard/assets/inter.woff2`)
  t.ok(size <= 20_000, `${size} bytes`)
})
