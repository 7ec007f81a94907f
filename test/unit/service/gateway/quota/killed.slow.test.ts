import { join } from 'node:path'
import t from 'tap'
import { tuningDefaults as tuning } from '../../../../../src/service/gateway/app/config/tuning.js'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { startChild } from '../../../../support/child.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { createUserQuota, sum } from '../../../../support/user-quota.js'

t.test('a killed process admits no more than the limit, and loses at most its leases', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const limitPerDay = 450
  const child = startChild(new URL('../../../../support/store-process.ts', import.meta.url), [
    'spend',
    dataDir,
    `${limitPerDay}`,
  ])
  t.teardown(() => child.kill())
  await child.hasWritten(130)
  await child.kill()
  const after = await openStore({ dataDir })
  const quota = createUserQuota({ store: after, tuning, limitPerDay })
  const all = await Promise.all(Array.from({ length: limitPerDay }, () => quota.take('usr', 1)))
  await quota.close()
  await after.close()
  const total = child.lines.length + sum(all)
  t.comment(`${child.lines.length} before, ${sum(all)} after`)
  t.ok(total <= limitPerDay, `${total} admitted of ${limitPerDay}`)
  t.ok(total >= limitPerDay - tuning.leaseRequests * (1 + tuning.leaseRefillPercent / 100))
})

t.test('a frozen process keeps its folder and its lease', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data')
  const limitPerDay = 20_000
  const child = startChild(new URL('../../../../support/store-process.ts', import.meta.url), [
    'spend',
    dataDir,
    `${limitPerDay}`,
  ])
  t.teardown(() => child.kill())
  await child.hasWritten(130)
  child.process.kill('SIGSTOP')
  await t.rejects(openStore({ dataDir }), { code: 'data_folder_in_use' })
  const before = child.lines.length
  child.process.kill('SIGCONT')
  await child.hasWritten(before + 100)
  t.pass('it continues with its lease, which nobody has returned')
})
