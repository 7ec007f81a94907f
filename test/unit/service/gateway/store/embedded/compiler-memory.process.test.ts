import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import t from 'tap'
import { openStore } from '../../../../../../src/service/gateway/index.js'
import { temporaryFolder } from '../../../../../support/temporary-folder.js'

/** One optimised function of the database took 604 MB of the compiler's memory on Node 24. */
const mostBytes = 64 * 1024 * 1024

t.test('V8 compiles the embedded database in less than 64 MB', async (t) => {
  const store = await openStore({ dataDir: join(await temporaryFolder(t), 'data') })
  t.teardown(() => store.close())
  const statements = [
    'select sum(i % 7) from generate_series(1, 200000) i where i % 3 > 0',
    'select md5(i::text) a, count(*) from generate_series(1, 2000) i group by a order by a limit 5',
  ]
  // The compiler works in threads of its own while these run.
  for (let round = 0; round < 10; round++) {
    for (const statement of statements) await store.connection.query(statement)
  }
  const peak = getHeapStatistics().peak_malloced_memory
  t.ok(peak < mostBytes, `${peak} bytes at the peak`)
})
