import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

t.test('each threat in SECURITY.md has tests that exist', async (t) => {
  const [, model = ''] = read('SECURITY.md').split('## Threat model')
  const rows = [...model.matchAll(/^\| (?!threat|-)(.+?) \| (.+) \|$/gm)]
  t.ok(rows.length > 0)
  for (const [, threat = '', tests = ''] of rows) {
    const files = [...tests.matchAll(/\[.+?\]\((.+?)\): ([^[]+)/g)]
    t.ok(files.length > 0, threat)
    for (const [, file = '', titles = ''] of files) {
      const text = read(file)
      const named = [...titles.matchAll(/“(.+?)”/g)]
      t.ok(named.length > 0, threat)
      for (const [, title] of named) t.ok(text.includes(`'${title}'`), `${file}: ${title}`)
    }
  }
})
