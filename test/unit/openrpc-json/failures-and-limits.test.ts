import t from 'tap'
import { methods } from '../../../generated/methods.js'
import { createProtocolHandler, failureError } from '../../../src/runtime/server/index.js'
import { tuningDefaults } from '../../../src/service/gateway/app/config/tuning.js'
import { parseContract } from '../../../src/toolkit/contract/index.js'
import { contractText, type Limit, readAuthored } from './authored-contract.js'

const contract = readAuthored()
const failures = contract.info['x-failures']
/** The limits with the values of those that a schema states. */
const limits = parseContract(contractText).info['x-limits'] as unknown as { [name: string]: Limit }
const value = (name: string) => limits[name]?.value

t.test('every failure leads to an error of the contract', async (t) => {
  for (const [name, { error }] of Object.entries(failures)) t.ok(error in contract.components.errors, name)
  const ended = new Set(Object.values(failures).map(({ error }) => error))
  for (const error of Object.keys(contract.components.errors))
    t.ok(ended.has(error), `${error} is the error of some failure`)
})

t.test('503 has a Retry-After of 1 to 5 seconds, and other failures of at most a minute', async (t) => {
  for (const [name, { httpStatus, retryAfterSeconds = 0 }] of Object.entries(failures)) {
    if (httpStatus === 503) t.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 5, name)
    t.ok(retryAfterSeconds <= Number(value('retryAfterMaximumSeconds')), `${name}: at most a minute`)
  }
  t.equal(failures['tooManyCallsAtOnce']?.retryAfterSeconds, 1)
})

/** Failures whose texts name a limit that their requests do not exceed, and one whose message the specification fixes. */
const withoutNumber = ['nodeTooSlow', 'keyLimitReached']

t.test(
  'a failure by a limit states the number in its message, and in its data where a smaller request helps',
  async (t) => {
    const served = createProtocolHandler({ methods, call: () => null }).failures
    for (const [name, { description, message, example = '' }] of Object.entries(failures)) {
      const named = [...description.matchAll(/`(\w+)`/g)]
        .map(([, word = '']) => word)
        .filter((word) => word in limits)
      if (named.length === 0 || withoutNumber.includes(name)) continue
      t.match(message, '{limit}', name)
      if (name.startsWith('quotaSpent')) continue
      const number = value(named[0] ?? '')
      t.match(example, String(number), `${name}: the example`)
      const failure = Object.entries(served).find(([id]) => id === name)?.[1]
      if (failure === undefined) continue
      const error = failureError(failure)
      t.match(error.message, String(number), `${name}: the answer`)
      if (failure.withoutData !== true) t.match(error.data, { limit: number, unit: String }, `${name}: data`)
      t.notMatch(error.message, /[{}]/)
      const counted = failureError(failure, { sent: 123_456_789 })
      if (failure.withoutData !== true) t.match(counted.data, { limit: number, sent: 123_456_789 })
      if (message.includes('{sent}')) t.match(counted.message, '123456789', `${name}: what was sent`)
    }
  },
)

t.test('messages contain no internal details', async (t) => {
  for (const [name, { message }] of Object.entries(failures)) {
    t.notMatch(message, /stack|schema|localhost|\d{4,}|\.js/i, name)
  }
  t.match(failures['logsOverLimit']?.message, 'this block range should work: [{from}, {to}]')
})

t.test('the limits of the specification have its values', async (t) => {
  t.equal(value('requestsPerUserPerDay'), 25_000)
  t.equal(value('keysPerUser'), 4)
  t.equal(value('logsPerAnswer'), 10_000)
  t.equal(value('blockSpanWithoutLogLimit'), 2_000)
  t.equal(value('topicPositions'), 4)
})

t.test('the limits of the queue have the decided values', async (t) => {
  t.equal(value('requestsAtOncePerUser'), 64)
  t.equal(value('queuedRequestsPerUser'), 1_000)
  t.equal(value('queuedBytesPerUser'), 16 * 1024 * 1024)
  t.equal(value('queueSeconds'), 20)
})

t.test('no setting of the service is a limit of the contract', async (t) => {
  for (const name of Object.keys(tuningDefaults)) t.notOk(name in limits, name)
})

t.test('every limit is a number above zero with its unit', async (t) => {
  for (const [name, limit] of Object.entries(limits)) {
    t.ok(typeof limit.value === 'number' && limit.value > 0 && Number.isInteger(limit.value), name)
    t.match(limit.unit, /^[a-z ]+$/, `${name}: unit`)
    t.match(limit.description, /\.$/, `${name}: description`)
  }
})

t.test('a key: 30 letters or digits, a hyphen and the suffix of its network', async (t) => {
  t.equal(value('apiKeyCharacters'), 30)
  const suffixes = Object.values(contract.info['x-networks']).map(({ keySuffix }) => keySuffix)
  t.same(suffixes.sort(), ['M', 'T'])
})

t.test('a log has as many topics as a filter has positions', async (t) => {
  t.match(JSON.stringify(contract.components.schemas['Log']), `"maxItems":${value('topicPositions')}`)
})

t.test('the envelope: integers of any size are ids', async (t) => {
  const { idPattern } = contract.info['x-envelope']
  const pattern = new RegExp(idPattern, 'u')
  for (const id of ['0', '1', '-1', '9007199254740993', '1'.repeat(400)]) t.match(id, pattern)
  for (const id of ['', '-', '01', '-01', '+1', '1.0', '1e3', 'null', '0x1']) t.notMatch(id, pattern)
})
