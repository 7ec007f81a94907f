import { readFile } from 'node:fs/promises'
import t from 'tap'
import { caseGuide } from '../../../../src/cli/case/case-guide.js'

const path = new URL('../../../../docs/cases.md', import.meta.url)

t.test('docs/cases.md is current (npm run generate)', async (t) => {
  const guide = await caseGuide()
  t.equal(await readFile(path, 'utf8'), guide)
  const rows = guide.split('\n').filter((line) => line.startsWith('| `'))
  for (const row of rows) {
    const [, name, description] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
    t.match(description, /^[A-Z].*\w/, `${name} is described`)
  }
})
