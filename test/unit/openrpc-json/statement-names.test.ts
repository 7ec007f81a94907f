import t from 'tap'
import { type Members, readAuthored } from './authored-contract.js'
import { statementsOf } from './mutations.js'
import { namedStatement } from './named-statement.js'
import { isFailureOfService, isReadByName } from './read-names.js'

const contract = readAuthored() as unknown as Members

t.test('every limit, path and network is read by its name', async (t) => {
  t.notOk(isReadByName(['keyDatabase', 'PresenceSeconds'].join('')))
  const names = statementsOf(contract).flatMap(
    (place) => namedStatement.exec(place.join('/'))?.slice(1).find(Boolean) ?? [],
  )
  t.ok(names.length > 50)
  for (const name of names) t.ok(isReadByName(name), name)
})

t.test('every failure is an answer of the service', async (t) => {
  for (const name of Object.keys((contract['info'] as Members)['x-failures'] as Members))
    t.ok(isFailureOfService(name), name)
})
