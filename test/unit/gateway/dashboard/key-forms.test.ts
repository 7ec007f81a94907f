import t from 'tap'
import { changeKey } from '../../../../src/gateway/dashboard/keys/change-key.js'
import { nodeServiceOptions, useCaseOptions } from '../../../../src/gateway/dashboard/keys/key-fields.js'
import { problemsOf } from '../../../../src/gateway/dashboard/keys/problems-of.js'
import { OperatorError } from '../../../../src/gateway/index.js'
import { InvalidProperties } from '../../../../src/gateway/keys/index.js'

t.test('an error of a field is shown next to it', async (t) => {
  const reasons = {
    name: 'The name must not be empty',
    origins: 'Invalid origins: "a" (not one); "b" (not one)',
  }
  t.same(problemsOf(new InvalidProperties(reasons)), {
    name: 'The name must not be empty.',
    origins: 'Invalid origins: "a" (not one);\n"b" (not one).',
  })
  const problems = (message: string) => problemsOf(new OperatorError('invalid_input', message))
  t.same(problems('A public key needs an id'), { jwtId: 'A public key needs an id.' })
  t.same(problems('There are 4 public keys'), { '': 'There are 4 public keys.' })
})

t.test('the submitted choice stays selected', async (t) => {
  t.same(useCaseOptions().at(0), ['', 'Not specified'])
  t.same(useCaseOptions('Games'), useCaseOptions())
  t.same(useCaseOptions('Chess').at(-1), ['Chess', 'Chess'])
  t.same(nodeServiceOptions('Other').at(-1), ['Other', 'Other'])
})

t.test('a change succeeds, is refused with a reason, or finds no key', async (t) => {
  t.equal(await changeKey(async () => 'done'), undefined)
  const failing = (error: Error) => changeKey(() => Promise.reject(error))
  t.match(await failing(new OperatorError('invalid_input', 'too long')), { message: 'too long' })
  await t.rejects(failing(new OperatorError('key_unknown', 'no key')), { code: 'key_unknown' })
  await t.rejects(failing(new OperatorError('secret_mismatch', 'another secret')), {
    code: 'secret_mismatch',
  })
  await t.rejects(failing(new TypeError('broken')), { message: 'broken' })
})
