import { join } from 'node:path'
import t from 'tap'
import { limits } from '../../../../../generated/contract.js'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { createVacuum } from '../../../../../src/service/gateway/store/index.js'
import { deleteOldUsage } from '../../../../../src/service/gateway/usage/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

const HOUR_MS = 3_600_000

t.test('the embedded database reuses the space of deleted usage', async (t) => {
  const store = await openStore({ dataDir: join(await temporaryFolder(t), 'data') })
  t.teardown(() => store.close())
  const { query } = store.connection
  let time = 0
  const vacuum = createVacuum(query, () => time)
  /** Adds and deletes expired minutes of a thousand keys; returns the size of the table in bytes. */
  const comeAndGo = async () => {
    await query(`
      insert into usage_minutes (key_id, starts_at, method, code, requests, microseconds, slowest_microseconds, durations)
      select 'key_' || n, date_trunc('minute', now()) - interval '90 days', 'eth_call', 0, 1, 1, 1, array_fill(0::bigint, array[14])
      from generate_series(1, 1000) as n`)
    while (await deleteOldUsage(store.db, limits));
    await vacuum()
    const { rows } = await query(
      `select pg_relation_size('usage_partitions.usage_minutes_before')::integer as bytes`,
    )
    return (rows[0] as { bytes: number }).bytes
  }
  const before = await comeAndGo()
  t.ok(before > 100_000, 'within the first hour nothing is done')
  t.ok((await comeAndGo()) > before)
  const sizes: number[] = []
  for (let hour = 1; hour <= 4; hour++) {
    time = hour * HOUR_MS
    sizes.push(await comeAndGo())
  }
  t.ok(Math.max(...sizes) <= 3 * before, `${before}, then ${sizes.join(', ')}`)
})
