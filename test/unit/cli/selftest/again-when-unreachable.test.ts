import t from 'tap'
import { againWhenUnreachable } from '../../../../src/cli/selftest/again-when-unreachable.js'
import { OperatorError } from '../../../../src/service/gateway/index.js'

const busy = new OperatorError('service_unreachable', 'The service cannot be asked')

t.test('an overloaded service is retried, and finally reported in a readable message', async (t) => {
  let times = 0
  const late = await againWhenUnreachable(async () => {
    if (++times < 3) throw busy
    return 'there'
  })
  t.equal(late, 'there')
  await t.rejects(
    againWhenUnreachable(() => Promise.reject(busy)),
    { name: 'UsageError', message: 'The service cannot be asked', cause: busy },
  )
})

t.test('a refusal is not retried', async (t) => {
  let times = 0
  const refused = new OperatorError('invalid_input', 'There is no such network')
  const asked = againWhenUnreachable(async () => {
    times++
    throw refused
  })
  await t.rejects(asked, refused)
  t.equal(times, 1)
})
