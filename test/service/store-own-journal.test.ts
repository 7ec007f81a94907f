import { eq } from 'drizzle-orm'
import t from 'tap'
import { type Settlement, settle, settlementEntries, usedLists } from '../../src/gateway/quota/lease-table.js'
import {
  bucketOf,
  bucketsOf,
  foldUsage,
  foldUsed,
  type JournalForm,
  packUsage,
  packUsed,
} from '../../src/gateway/store/journals.js'
import { createOwnJournal } from '../../src/gateway/store/own-journal.js'
import { quotaCounts, usageHours, usageJournal, usageMinutes } from '../../src/gateway/store/schema.js'
import { type UsageRow, usageEntries, usageLists, writeUsage } from '../../src/gateway/usage/usage-table.js'
import { bothDatabases } from '../support/databases.js'

const minute = Math.floor(Date.now() / 60_000)
/** What calls are counted in, by key, code and class, of the process that was started last. */
const sources = new Map<string, { kept: UsageRow | undefined }>()
const sourceOf = (name: string) => {
  const source = sources.get(name) ?? { kept: undefined }
  sources.set(name, source)
  return source
}
/** Two calls of a key, of 10 and of 20 microseconds. */
const calls = (keyId: string, more: Partial<UsageRow> = {}): UsageRow[] =>
  [
    { durationClass: 0, microseconds: 10, slowestMicroseconds: 10 },
    { durationClass: 2, microseconds: 20, slowestMicroseconds: 20 },
  ].map((times) => ({
    keyId,
    method: 'eth_call',
    code: 0,
    minute,
    requests: 1,
    source: sourceOf(`${keyId} ${more.code ?? 0} ${times.durationClass}`),
    ...times,
    ...more,
  }))

for (const [name, { db, server }] of await bothDatabases(t)) {
  const form = server === undefined ? 'text' : 'lists'
  let batches = 0
  /** A process that counts, as one that has just been started. */
  const newProcess = (its: JournalForm = form) => {
    const journal = createOwnJournal(usageEntries)
    sources.clear()
    const known: number[] = []
    return {
      /** Buckets that were added up from memory. */
      known,
      write: (...counted: UsageRow[][]) =>
        journal.write(counted.flat(), () =>
          writeUsage(db, 'rep_own', { number: ++batches, rows: counted.flat() }, its),
        ),
      writeUnheard: (...counted: UsageRow[][]) =>
        journal.write(counted.flat(), async () => {
          await writeUsage(db, 'rep_own', { number: ++batches, rows: counted.flat() }, form)
          throw new Error('the answer was lost')
        }),
      writeAgain: (...counted: UsageRow[][]) =>
        journal.write(counted.flat(), () =>
          writeUsage(db, 'rep_own', { number: batches, rows: counted.flat() }, form),
        ),
      fold: (...ids: string[]) =>
        journal.fold(bucketsOf(ids), async (remembered) => {
          known.push(...(remembered?.counts.map(({ bucket }) => bucket) ?? []))
          const rows = remembered && { ...remembered, rows: usageLists(remembered.entries) }
          return foldUsage(db, bucketsOf(ids), undefined, rows)
        }),
      pack: (...ids: string[]) =>
        journal.fold(bucketsOf(ids), async (remembered) =>
          remembered === undefined
            ? []
            : packUsage(db, { afterSeconds: 0 }, { ...remembered, rows: usageLists(remembered.entries) }),
        ),
    }
  }
  const read = async (keyId: string) => {
    const found = []
    for (const table of [usageMinutes, usageHours]) {
      const rows = await db.select().from(table).where(eq(table.keyId, keyId))
      found.push(
        rows.map((each) => [
          each.requests,
          each.microseconds,
          each.slowestMicroseconds,
          each.durations.slice(0, 3),
        ]),
      )
    }
    return found
  }
  /** What so many rows come to, by the minute and by the hour. */
  const times = (n: number) => [[[2 * n, 30 * n, 20, [n, 0, n]]], [[2 * n, 30 * n, 20, [n, 0, n]]]]

  t.test(`${name}: what one process has journaled is added up from its memory`, async (t) => {
    const process = newProcess()
    await process.write(calls('own_a'), calls('own_a2', { code: 3 }))
    await process.write(calls('own_a'))
    await process.fold('own_a', 'own_a2')
    t.same(process.known, bucketsOf(['own_a', 'own_a2']))
    t.same(await read('own_a'), times(2))
    t.same(await read('own_a2'), times(1))
    await process.write(calls('own_a'))
    await process.fold('own_a', 'own_a2')
    await process.fold('own_a', 'own_a2')
    t.same(await read('own_a'), times(3), 'and once')
  })

  t.test(`${name}: memory is what counts as long as the rows are there`, async (t) => {
    const process = newProcess()
    const rows = calls('own_m')
    await process.write(rows)
    for (const row of rows) Object.assign(row, { requests: 2, microseconds: 2 * row.microseconds })
    await process.fold('own_m')
    t.same(await read('own_m'), times(2))
  })

  t.test(`${name}: what somebody has added up meanwhile, to read it, counts once`, async (t) => {
    const process = newProcess()
    await process.write(calls('own_b'))
    await foldUsage(db, bucketsOf(['own_b']))
    t.same(await read('own_b'), times(1))
    await process.write(calls('own_b'))
    await process.write(calls('own_b'))
    await process.fold('own_b')
    t.same(await read('own_b'), times(3))
  })

  t.test(`${name}: what a process of before has left is added up with it`, async (t) => {
    await newProcess('lists').write(calls('own_c'), calls('own_c', { code: 3 }))
    await newProcess('text').write(calls('own_c'), calls('own_c2'), calls('own_c', { code: 3 }))
    const process = newProcess()
    await process.write(calls('own_c'))
    await process.fold('own_c', 'own_c2')
    const [ofThree, ofTwo] = [times(3), times(2)].map((each) => each.flat(2))
    t.same(
      (await read('own_c')).map((rows) => rows.sort((a, b) => Number(b[0]) - Number(a[0]))),
      [
        [ofThree?.slice(0, 4), ofTwo?.slice(0, 4)],
        [ofThree?.slice(0, 4), ofTwo?.slice(0, 4)],
      ],
    )
    t.same(await read('own_c2'), times(1))
  })

  t.test(`${name}: a batch of which it is unknown whether it was written counts once`, async (t) => {
    const process = newProcess()
    await process.write(calls('own_d'))
    await t.rejects(process.writeUnheard(calls('own_d')))
    await process.fold('own_d')
    t.same(await read('own_d'), times(2))
    await process.writeAgain(calls('own_d'))
    await process.write(calls('own_d'))
    await process.fold('own_d')
    t.same(await read('own_d'), times(3))
  })

  t.test(`${name}: a bucket that is too young stays remembered`, async (t) => {
    const journal = createOwnJournal(usageEntries)
    const rows = calls('own_e')
    const bucket = bucketOf('own_e')
    await journal.write(rows, () => writeUsage(db, 'rep_own', { number: ++batches, rows }, form))
    const foldAfter = (afterSeconds: number) =>
      journal.fold([bucket], async (remembered) => {
        t.match(remembered, { counts: [{ bucket, rows: 1 }], entries: { length: 2 } })
        const known = remembered && { ...remembered, rows: usageLists(remembered.entries) }
        return foldUsage(db, [bucket], { afterSeconds }, known)
      })
    await foldAfter(3_600)
    t.same(await read('own_e'), [[], []])
    await foldAfter(0)
    t.same(await read('own_e'), times(1))
  })

  t.test(`${name}: what was put together is added up with what came later, and once`, async (t) => {
    const process = newProcess()
    const rowsOf = async () => {
      const rows = await db
        .select()
        .from(usageJournal)
        .where(eq(usageJournal.bucket, bucketOf('own_f')))
      return rows.map(({ isPacked, entries }) => [isPacked, entries?.split(';')[3]])
    }
    for (let second = 0; second < 3; second += 1) await process.write(calls('own_f'))
    await process.pack('own_f')
    // An entry for each class of duration.
    t.same(await rowsOf(), [[true, '{0,2}']])
    await process.write(calls('own_f'), calls('own_f', { minute: minute + 1 }))
    await process.pack('own_f')
    t.same(await rowsOf(), [
      [true, '{0,2}'],
      [true, '{0,2}'],
      [true, '{0,2}'],
    ])
    t.same(await read('own_f'), [[], []])
    await process.write(calls('own_f'))
    await process.fold('own_f')
    const [minutes, hours] = await read('own_f')
    t.same(minutes?.length, 2)
    t.equal(
      hours?.reduce((sum, [requests]) => sum + Number(requests), 0),
      12,
    )
    t.same(await rowsOf(), [])
    await process.pack('own_f')
    await process.fold('own_f')
    t.same(await read('own_f'), [minutes, hours])
  })

  t.test(`${name}: what is put together and what somebody reads meanwhile counts once`, async (t) => {
    const process = newProcess()
    await process.write(calls('own_g'))
    await process.pack('own_g')
    await process.write(calls('own_g'))
    await foldUsage(db, bucketsOf(['own_g']))
    t.same(await read('own_g'), times(2))
    await process.write(calls('own_g'))
    await process.pack('own_g')
    await process.pack('own_g')
    await foldUsage(db, bucketsOf(['own_g']))
    t.same(await read('own_g'), times(3))
    await newProcess().write(calls('own_g'))
    await process.write(calls('own_g'))
    await process.pack('own_g')
    await process.fold('own_g')
    t.same(await read('own_g'), times(5), 'also where a process of before has left something')
  })

  t.test(`${name}: the same holds for what was used of a limit`, async (t) => {
    const journal = createOwnJournal(settlementEntries)
    const startsOn = '2026-01-31'
    const subject = 'own_user'
    await db.insert(quotaCounts).values({ subject, period: 'day', startsOn, granted: 100, lastLease: 100 })
    const write = (used: number) => {
      const settlements: Settlement[] = [{ subject, period: 'day', startsOn, used, returned: 0 }]
      return journal.write(settlements, () =>
        settle(db, 'rep_used', { number: ++batches, settlements }, form),
      )
    }
    const fold = () =>
      journal.fold(bucketsOf([subject]), (remembered) =>
        foldUsed(
          db,
          bucketsOf([subject]),
          undefined,
          remembered && { ...remembered, rows: usedLists(remembered.entries) },
        ),
      )
    const pack = () =>
      journal.fold(bucketsOf([subject]), async (remembered) =>
        remembered === undefined
          ? []
          : packUsed(db, { afterSeconds: 0 }, { ...remembered, rows: usedLists(remembered.entries) }),
      )
    const used = async () =>
      (await db.select().from(quotaCounts).where(eq(quotaCounts.subject, subject))).map((each) => each.used)
    await write(3)
    await write(4)
    await fold()
    t.same(await used(), [7])
    await write(5)
    await foldUsed(db, bucketsOf([subject]))
    await write(1)
    await fold()
    t.same(await used(), [13])
    await write(2)
    await pack()
    await write(3)
    await pack()
    await write(4)
    t.same(await used(), [13])
    await fold()
    t.same(await used(), [22])
  })
}
