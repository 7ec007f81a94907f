/**
 * A process that uses a data folder until it is killed: `node --import tsx store-process.ts ACTION FOLDER`. It writes a
 * line after each confirmed step. Modules that only one action needs are loaded there.
 */
import { takeDataFolder } from '../../src/service/gateway/store/data-folder.js'

const [action = '', dataDir = '', argument = ''] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

/** Tries to lock the folder, prints the outcome, and keeps the lock until standard input ends. */
async function contend(): Promise<void> {
  try {
    await takeDataFolder(dataDir)
    say('taken')
  } catch (error) {
    say(error instanceof Error && 'code' in error ? String(error.code) : 'failed')
  }
  process.stdin.resume().once('end', () => process.exit())
}

async function write(): Promise<never> {
  const { openStore } = await import('../../src/service/gateway/store/open-store.js')
  const store = await openStore({ dataDir })
  for (let n = 0; ; n += 1) {
    const id = `usr_${argument}_${n}`
    await store.connection.query('insert into users (id, origin, email) values ($1, $2, $1)', [id, 'cli'])
    say(id)
  }
}

async function spend(): Promise<never> {
  const { openStore } = await import('../../src/service/gateway/store/open-store.js')
  const { createQuota, returnLeasesOfDead } = await import('../../src/service/gateway/quota/index.js')
  const { tuningDefaults } = await import('../../src/service/gateway/app/config/tuning.js')
  const store = await openStore({ dataDir })
  const replicaId = `rep_${process.pid}`
  await store.connection.query('insert into replicas (id) values ($1)', [replicaId])
  await returnLeasesOfDead(store.db, dataDir)
  const limitPerDay = Number(argument)
  const quota = createQuota({ store, folder: dataDir, limitPerDay, tuning: tuningDefaults, replicaId })
  for (;;) {
    const taken = await quota.take({ id: 'key', userId: 'usr', dailyLimit: null, monthlyLimit: null }, 1)
    if (taken.admitted === 1) say(String(taken.standings[0]?.remaining))
  }
}

/** Migrates a PostgreSQL database; the argument is its URL. */
async function migrate(): Promise<void> {
  const { openServerDatabase } = await import('../../src/service/gateway/store/open-store.js')
  const { close } = await openServerDatabase(dataDir)
  say('migrated')
  await close()
}

const actions: Readonly<Record<string, () => Promise<unknown>>> = { contend, write, spend, migrate }
await actions[action]?.()
