import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const folder = new URL('../../types/', import.meta.url)

t.test('tsc checks at least 150 expectations of types', (t) => {
  const counts = readdirSync(folder).map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8')
    const found = text.match(/\/\/ @ts-expect-error|\bsame<|\bfits<| satisfies /g) ?? []
    return found.length
  })
  const all = counts.reduce((sum, count) => sum + count, 0)
  t.ok(all >= 150, `${all} expectations`)
  t.end()
})
