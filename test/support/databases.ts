import { join } from 'node:path'
import { openStore } from '../../src/service/gateway/index.js'
import type { Store } from '../../src/service/gateway/store/index.js'
import { sharedPostgres } from './shared-postgres.js'
import { temporaryFolder } from './temporary-folder.js'

type Test = { teardown: (work: () => unknown) => void }

let opened = 0

/** Opens an empty store on each kind of database: embedded and PostgreSQL. */
export async function bothDatabases(t: Test): Promise<readonly (readonly [name: string, store: Store])[]> {
  const folder = await temporaryFolder(t)
  const postgres = await sharedPostgres()
  opened += 1
  const databaseUrl = await postgres.createDatabase(`store_${opened}`)
  const embedded = await openStore({ dataDir: join(folder, 'embedded') })
  t.teardown(() => embedded.close())
  const server = await openStore({ dataDir: join(folder, 'server'), databaseUrl })
  t.teardown(() => server.close())
  return [
    ['embedded', embedded],
    ['PostgreSQL server', server],
  ]
}
