import t from 'tap'
import { againWhenUnreachable } from '../../../../src/cli/selftest/again-when-unreachable.js'
import { OperatorError } from '../../../../src/gateway/store/operator-error.js'

const busy = new OperatorError('service_unreachable', 'The service cannot be asked')

t.test(
  'a service that is too busy to answer is asked again, and given up in words for a person',
  async (t) => {
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
  },
)

t.test('what it refuses is not asked again', async (t) => {
  let times = 0
  const refused = new OperatorError('invalid_input', 'There is no such network')
  const asked = againWhenUnreachable(async () => {
    times++
    throw refused
  })
  await t.rejects(asked, refused)
  t.equal(times, 1)
})
