import { readdir, readFile } from 'node:fs/promises'
import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api'
import t from 'tap'
import * as schema from '../../../../src/gateway/store/schema.js'

const folder = new URL('../../../../src/gateway/store/migrations/', import.meta.url)

t.test('the migrations produce the schema: drizzle-kit finds no difference', async (t) => {
  const newest =
    (await readdir(new URL('meta/', folder)))
      .filter((name) => /^\d+_/.test(name))
      .sort()
      .at(-1) ?? ''
  const snapshot = JSON.parse(await readFile(new URL(`meta/${newest}`, folder), 'utf8'))
  t.same(await generateMigration(snapshot, generateDrizzleJson(schema, snapshot.id)), [])
})

t.test('every migration of the journal has its file', async (t) => {
  const journal = JSON.parse(await readFile(new URL('meta/_journal.json', folder), 'utf8'))
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  t.same(
    journal.entries.map(({ tag }: { tag: string }) => `${tag}.sql`),
    files,
  )
})
