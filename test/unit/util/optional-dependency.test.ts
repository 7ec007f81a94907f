import t from 'tap'
import { explainMissing, loadOptional } from '../../../src/util/optional-dependency.js'

const missing = (message: string, code = 'ERR_MODULE_NOT_FOUND') =>
  Object.assign(new Error(message), { code })

for (const [message, name] of [
  ["Cannot find package 'drizzle-orm' imported from /a/b.js", 'drizzle-orm'],
  ["Cannot find package 'drizzle-orm/pg-proxy' imported from /a/b.js", 'drizzle-orm'],
  ["Cannot find package '@electric-sql/pglite/x' imported from /a/b.js", '@electric-sql/pglite'],
  ["Cannot find module 'pg'", 'pg'],
] as const) {
  t.test(`${message} names ${name}`, async (t) => {
    const error = explainMissing(missing(message))
    t.match(error, { code: 'dependency_missing', message: `npm install ${name}` })
  })
}

t.test('a missing file of this project, and every other error, stays unchanged', async (t) => {
  t.equal(explainMissing(missing("Cannot find module '/a/b.js' imported from /a/c.js")), undefined)
  t.equal(explainMissing(new Error('Cannot find package')), undefined)
  t.equal(explainMissing('text'), undefined)
  const error = new Error('other')
  await t.rejects(
    loadOptional(() => Promise.reject(error)),
    error,
  )
})

t.test('an installed package is loaded, and a missing one is explained', async (t) => {
  t.equal(await loadOptional(async () => 1), 1)
  const nowhere: string = 'a-package-that-does-not-exist'
  await t.rejects(
    loadOptional(() => import(nowhere)),
    { code: 'dependency_missing', message: /npm install a-package-that-does-not-exist$/ },
  )
})
