import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { access, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { tuningDefaults } from '../../../../../src/service/gateway/app/config/tuning.js'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { createQuota, returnLeasesOfDead } from '../../../../../src/service/gateway/quota/index.js'
import { isSharedWithOlderVersion } from '../../../../../src/service/gateway/store/index.js'
import { awayFromMidnight } from '../../../../support/midnight.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { until } from '../../../../support/until.js'
import { leaseTimeoutMs } from '../../../../support/user-quota.js'

/** Nothing is written or returned by the clock, so a quota that is dropped leaves what a killed process leaves. */
const tuning = {
  ...tuningDefaults,
  leaseIdleSeconds: 3_600,
  leaseIdleAloneSeconds: 3_600,
  usedFlushSeconds: 60,
  usedFlushAloneSeconds: 60,
  leaseAskAgainMilliseconds: 0,
}
/** Largest part of a lease that one death loses at the rates of these tests, in requests. */
const lostByDeath = 10

await awayFromMidnight()
const dataDir = await temporaryFolder(t)
const store = await openStore({ dataDir: join(dataDir, 'store') })
t.teardown(() => store.close())

/** Starts a process in the folder. It dies when the next one starts. */
async function nextProcess(folder: string, limitPerDay: number) {
  const { returned } = await returnLeasesOfDead(store.db, folder)
  const replicaId = `rep_${randomUUID()}`
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const quota = createQuota({ store, folder, limitPerDay, tuning, leaseTimeoutMs, replicaId, onError })
  const take = async (user: string, n: number) => {
    const payer = { id: 'key', userId: user, dailyLimit: null, monthlyLimit: null }
    const { admitted } = await quota.take(payer, n)
    await turn()
    return admitted
  }
  return { returned, take, errors, close: () => quota.close() }
}

async function countOf(user: string): Promise<number> {
  const { rows } = await store.connection.query('select granted from quota_counts where subject = $1', [user])
  return (rows[0] as { readonly granted: number } | undefined)?.granted ?? 0
}

const newFolder = (t: Test) => temporaryFolder(t)

t.test('ten deaths in a row cost a user ten requests each at the most', async (t) => {
  const folder = await newFolder(t)
  for (let death = 0; death < 10; death += 1) {
    const { take } = await nextProcess(folder, 25_000)
    t.equal(await take('loop', 3), 3)
  }
  await returnLeasesOfDead(store.db, folder)
  const granted = await countOf('loop')
  t.comment(`${granted} requests are counted for 30`)
  t.ok(granted >= 30 && granted <= 30 + 10 * lostByDeath)
})

t.test('a lease is returned once, however often it is tried', async (t) => {
  const folder = await newFolder(t)
  const { take } = await nextProcess(folder, 25_000)
  await take('once', 1)
  t.same(await returnLeasesOfDead(store.db, folder), { returned: 100 - 1 - lostByDeath })
  const granted = await countOf('once')
  t.equal(granted, 1 + lostByDeath)
  await returnLeasesOfDead(store.db, folder)
  t.equal(await countOf('once'), granted)
})

t.test('what a dead process has sent and the database has not yet done changes nothing', async (t) => {
  const folder = await newFolder(t)
  const dead = await nextProcess(folder, 25_000)
  await dead.take('late', 1)
  await returnLeasesOfDead(store.db, folder)
  const granted = await countOf('late')
  await dead.close()
  t.equal(await countOf('late'), granted)
})

t.test(
  'a process that stops leaves no journal, and one of another start of the machine is not used',
  async (t) => {
    const folder = await newFolder(t)
    const journal = join(folder, 'leases.journal')
    const first = await nextProcess(folder, 25_000)
    await first.take('stops', 1)
    await first.close()
    t.equal(await countOf('stops'), 1)
    await t.rejects(access(journal))
    const second = await nextProcess(folder, 25_000)
    await second.take('stops', 1)
    const text = await readFile(journal, 'utf8')
    await writeFile(journal, text.replace(/"boot":"[^"]*"/, '"boot":"another"'))
    t.same(await returnLeasesOfDead(store.db, folder), { returned: 0 })
    // A line that was not written to its end.
    await writeFile(journal, `${text}["stops","da`)
    t.same(await returnLeasesOfDead(store.db, folder), { returned: 100 - 1 - lostByDeath })
  },
)

t.test('a dead process whose row is gone neither counts as alive nor as an old version', async (t) => {
  const folder = await newFolder(t)
  const { take } = await nextProcess(folder, 25_000)
  await take('forgotten', 1)
  await store.connection.query('delete from replicas')
  t.same(await returnLeasesOfDead(store.db, folder), { returned: 100 - 1 - lostByDeath })
  t.notOk(await isSharedWithOlderVersion(store.db), 'tokens are stored as digests')
  const { rows } = await store.connection.query(
    "select id from replicas where seen_at > now() - interval '1 minute'",
  )
  t.same(rows, [])
})

t.test('nothing of a damaged journal is returned, and the next process begins a new one', async (t) => {
  const folder = await newFolder(t)
  const journal = join(folder, 'leases.journal')
  const { take } = await nextProcess(folder, 25_000)
  await take('damaged', 1)
  const whole = await readFile(journal, 'utf8')
  const granted = await countOf('damaged')
  const [head = '', line = ''] = whole.split('\n')
  const damaged = [
    whole.replace('{', '?'),
    'null\n',
    `${head.replace(/"replicaId":"[^"]*"/, '"replicaId":7')}\n${line}\n`,
    `${whole}\u0000\u0000\u0000\n`,
    ...['null', '[]', '["a b","day","2026-01-01",7]', '["a","week","2026-01-01",7]'].map(
      (other) => `${whole}${other}\n`,
    ),
    ...['["a","day","2026-02-30",7]', '["a","day","2026-01-01",-7]', '["a","day",7,"7"]'].map(
      (other) => `${whole}${other}\n`,
    ),
  ]
  for (const text of damaged) {
    await writeFile(journal, text)
    const name = JSON.stringify(text.slice(-40))
    t.match(await returnLeasesOfDead(store.db, folder), { returned: 0, problem: SyntaxError }, name)
  }
  await rm(journal)
  await mkdir(journal)
  t.match(await returnLeasesOfDead(store.db, folder), { returned: 0, problem: { code: 'EISDIR' } })
  await rmdir(journal)
  await writeFile(journal, `${whole}?\n`)
  const next = await nextProcess(folder, 25_000)
  t.equal(await next.take('damaged', 1), 1)
  t.same(next.errors, [])
  await next.close()
  t.equal(await countOf('damaged'), granted + 1, 'the lease of the dead process stays counted')
})

t.test('a journal that cannot be removed at the end loses no count', async (t) => {
  const folder = await newFolder(t)
  const journal = join(folder, 'leases.journal')
  // The limit is so small that the journal records no requests.
  const { take, errors, close } = await nextProcess(folder, lostByDeath)
  t.equal(await take('read-only', 3), 3)
  await rm(journal)
  await mkdir(journal)
  await close()
  t.equal(errors.length, 1)
  const { rows } = await store.connection.query(
    "select granted, used from quota_counts where subject = 'read-only'",
  )
  t.same(rows, [{ granted: 3, used: 3 }])
})

t.test('the leases of many users who stop at once are released by one write', async (t) => {
  const folder = await newFolder(t)
  const users = 50
  const idle = { ...tuning, leaseIdleSeconds: 0.02 }
  const quota = createQuota({
    store,
    folder,
    limitPerDay: 25_000,
    tuning: idle,
    leaseTimeoutMs,
    replicaId: 'rep_idle',
  })
  const take = (user: number) =>
    quota.take({ id: 'key', userId: `idle-${user}`, dailyLimit: null, monthlyLimit: null }, 1)
  await Promise.all(Array.from({ length: users }, (_, user) => take(user)))
  t.equal(quota.leases().users, users)
  const text = async () => readFile(join(folder, 'leases.journal'), 'utf8')
  const recorded = await text()
  let writes = 0
  const { openSync } = fs
  t.intercept(fs, 'openSync', {
    value: (...args: Parameters<typeof openSync>) => {
      writes += String(args[0]).startsWith(folder) ? 1 : 0
      return openSync(...args)
    },
  })
  syncBuiltinESMExports()
  await until(() => quota.leases().users === 0)
  const released = (await text()).slice(recorded.length).trim().split('\n')
  t.equal(released.length, users)
  t.ok(released.every((line) => line.endsWith(',0]')))
  t.equal(writes, 1)
  await quota.close()
})

t.test('without a journal that can be written, requests are admitted', async (t) => {
  const { take, errors } = await nextProcess(join(await newFolder(t), 'none'), 25_000)
  t.equal(await take('none', 1), 1)
  t.equal(errors.length, 1)
})

t.test('what a journal keeps that can neither be written nor removed is not used', async (t) => {
  const folder = await newFolder(t)
  const journal = join(folder, 'leases.journal')
  const { take, errors, close } = await nextProcess(folder, 25_000)
  await take('stuck', 1)
  const text = await readFile(journal, 'utf8')
  await rm(journal)
  await mkdir(journal)
  t.equal(await take('stuck', 20), 20)
  t.equal(await take('stuck', 5), 5)
  t.equal(errors.length, 1)
  await close()
  // The disk can be written again.
  await rmdir(journal)
  await writeFile(journal, text)
  await returnLeasesOfDead(store.db, folder)
  t.equal(await countOf('stuck'), 26)
})

t.test('whatever is used between deaths, no limit is exceeded, and little of it is lost', async (t) => {
  const limit = 500
  let runs = 0
  const uses = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(uses, { minLength: 1, maxLength: 5 }), async (processes) => {
      const folder = await newFolder(t)
      runs += 1
      const user = `any-${runs}`
      let admitted = 0
      for (const sizes of processes) {
        const { take } = await nextProcess(folder, limit)
        for (const n of sizes) admitted += await take(user, n)
      }
      const last = await nextProcess(folder, limit)
      for (let got = 1; got > 0; admitted += got) got = await last.take(user, 50)
      await last.close()
      // The use of two seconds, as if all of it were made in one.
      const used = processes.flat().reduce((sum, n) => sum + n, 0)
      return admitted <= limit && admitted >= limit - processes.length * lostByDeath - 2 * used
    }),
    { numRuns: 30 },
  )
})
