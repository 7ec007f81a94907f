import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8')

t.test('each threat in SECURITY.md has tests that exist', async (t) => {
  const [, model = ''] = read('SECURITY.md').split('## Threat model')
  const rows = [...model.matchAll(/^\| (?!threat|-)(.+?) \| \[.+?\]\((.+?)\): (.+) \|$/gm)]
  t.equal(rows.length, model.split('\n').filter((line) => /^\| (?!threat|-)/.test(line)).length)
  t.ok(rows.length > 0)
  for (const [, threat = '', file = '', titles = ''] of rows) {
    const text = read(file)
    const named = [...titles.matchAll(/“(.+?)”/g)]
    t.ok(named.length > 0, threat)
    for (const [, title] of named) t.ok(text.includes(`'${title}'`), `${file}: ${title}`)
  }
})
