import { readdir } from 'node:fs/promises'
import t from 'tap'
import { openStore } from '../../../../../src/service/gateway/index.js'
import { users } from '../../../../../src/service/gateway/store/index.js'
import { startChild } from '../../../../support/child.js'
import { isLong } from '../../../../support/runs.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'
import { until } from '../../../../support/until.js'

const storeProcess = new URL('../../../../support/store-process.ts', import.meta.url)
const CONTENDERS = isLong ? 8 : 4
const ROUNDS = 2

t.test(
  'of several concurrent processes one gets the folder, also over the socket of a killed one',
  async (t) => {
    const dataDir = await temporaryFolder(t)
    for (let round = 1; round <= ROUNDS; round += 1) {
      const children = Array.from({ length: CONTENDERS }, () =>
        startChild(storeProcess, ['contend', dataDir]),
      )
      t.teardown(() => Promise.all(children.map((child) => child.kill())))
      await Promise.all(children.map((child) => child.hasWritten(1)))
      const outcomes = children.map(({ lines }) => lines[0]).sort()
      t.same(outcomes, [...Array(CONTENDERS - 1).fill('data_folder_in_use'), 'taken'], `round ${round}`)
      await Promise.all(children.map((child) => child.kill()))
      t.same(await readdir(dataDir), ['control.sock'], 'the killed process leaves its socket')
    }
  },
)

t.test('a killed process loses no acknowledged row', async (t) => {
  const dataDir = await temporaryFolder(t)
  const stored: string[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    const child = startChild(storeProcess, ['write', dataDir, String(round)])
    t.teardown(() => child.kill())
    await child.hasWritten(150 * round)
    await child.kill()
    stored.push(...child.lines)
    const store = await openStore({ dataDir })
    const ids = new Set((await store.db.select({ id: users.id }).from(users)).map(({ id }) => id))
    await store.close()
    t.same(
      stored.filter((id) => !ids.has(id)),
      [],
      `round ${round}: ${child.lines.length} rows were acknowledged`,
    )
  }
})

t.test('a process that is killed during its first start leaves a usable folder', async (t) => {
  const dataDir = await temporaryFolder(t)
  const child = startChild(storeProcess, ['write', dataDir, 'x'])
  t.teardown(() => child.kill())
  await until(async () => (await readdir(dataDir)).some((name) => name.startsWith('database')))
  await child.kill()
  const store = await openStore({ dataDir })
  t.ok((await store.db.$count(users)) >= child.lines.length)
  await store.close()
})
