import t from 'tap'
import { createKeyWatch } from '../../../../../src/service/gateway/keys/lookup/key-watch.js'
import { until } from '../../../../support/until.js'

const row = (id: string | null, changed_at = '1', next = 'n') => ({ id, changed_at, next })

/** A database that returns the current rows and records the queries. */
function database() {
  const asked: unknown[] = []
  const state = { rows: [row(null)] as unknown[] }
  const query = async (_text: string, params: unknown[] = []) => {
    asked.push(params[0])
    return { rows: state.rows, count: 0 }
  }
  return { asked, state, query }
}

t.test('a change is reported once, however often it is read', async (t) => {
  const forgotten: string[] = []
  const watch = createKeyWatch((id) => forgotten.push(id), 60)
  const { asked, state, query } = database()
  await watch.catchUp(query)
  state.rows = [row('key_a'), row('key_b', '1', 'later')]
  await watch.catchUp(query)
  await watch.catchUp(query)
  t.same(forgotten, ['key_a', 'key_b'])
  state.rows = [row('key_b', '2')]
  await watch.catchUp(query)
  t.same(forgotten, ['key_a', 'key_b', 'key_b'])
  t.same(asked, [null, 'n', 'later', 'later'])
})

t.test('cached keys are not trusted while the database has not answered for too long', async (t) => {
  const watch = createKeyWatch(() => undefined, 0.05)
  const { query } = database()
  t.notOk(watch.isStale())
  await until(() => watch.isStale())
  await t.rejects(
    watch.catchUp(() => Promise.reject(new Error('down'))),
    { message: 'down' },
  )
  t.ok(watch.isStale())
  await watch.catchUp(query)
  t.notOk(watch.isStale())
})
