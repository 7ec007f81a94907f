import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { contractOf, filesOf, write } from '../codegen/fixtures.js'
import { filesWithErrors, writeUses } from './compatibility/compiled.js'
import { type Generated, loadGenerated, losesServer, symptomsOf } from './compatibility/proof.js'
import { methodRows, rowsOf, schemaRows } from './compatibility/rows.js'
import { diffOf, lettersOf, type Parts } from './told.js'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

// Inside the repository, so that the generated code finds the packages that it imports.
await mkdir(join(root, '.tap'), { recursive: true })
const folder = await mkdtemp(join(root, '.tap/compatibility-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))

const table = [...schemaRows.flatMap(rowsOf), ...methodRows]

/** Generates and loads the code of a contract. */
async function generated(parts: Parts, path: string): Promise<Generated> {
  const contract = contractOf(parts)
  const files = filesOf(contract).filter((file) => /\.[jt]s$/.test(file.path))
  await Promise.all(files.map((file) => write(path, file)))
  return loadGenerated(contract, path)
}

const rows = await Promise.all(
  table.map(async (row, at) => {
    const name = `row-${at}`
    const own = join(folder, name)
    const old = await generated(row.old, join(own, 'old'))
    const next = await generated(row.next, join(own, 'new'))
    await writeUses(own, row, old)
    const ofClients = [
      ...(await symptomsOf(old, next, row.values)),
      ...(losesServer(old.contract, next.contract) ? ['unknown URL'] : []),
    ]
    const ofServers = await symptomsOf(next, old, row.values)
    return { row, name, ofClients, ofServers }
  }),
)
const broken = await filesWithErrors(folder, join(root, 'tsconfig.json'))

t.test('the generated code itself compiles', async (t) => {
  const uses = /^row-\d+\/(client|server|server-lacks)\.ts$/
  t.same(
    [...broken].filter(([file]) => !uses.test(file)),
    [],
  )
})

for (const { row, name, ofClients, ofServers } of rows) {
  const { change, kind, place, old, next, breaks } = row
  t.test(`${change} (${place}): ${breaks || 'nothing breaks'}`, async (t) => {
    const changes = diffOf(old, next)
    t.ok(
      changes.some((found) => found.kind === kind),
      `the kind is ${kind}`,
    )
    t.equal(lettersOf(changes), breaks, 'diff says so')
    const errors = (...files: readonly string[]) =>
      files.flatMap((file) => broken.get(`${name}/${file}`) ?? [])
    const clients = [...ofClients, ...errors('client.ts')].join('; ')
    const servers = [...ofServers, ...errors('server.ts', 'server-lacks.ts')].join('; ')
    t.equal(clients !== '', breaks.includes('C'), `old clients: ${clients || 'nothing'}`)
    t.equal(servers !== '', breaks.includes('S'), `old servers: ${servers || 'nothing'}`)
  })
}
