import t from 'tap'
import { createSchemaChecker } from '../../../src/contract/index.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'

t.test('a pattern that can be read only without the flag u is a pattern all the same', async (t) => {
  const contract = contractOf({
    methods: [methodOf([], { type: 'string', pattern: '^[\\w\\-\\:]+$' })],
  })
  const [method] = contract.methods
  const check = createSchemaChecker(contract)
  t.same(method?.result && check(method.result.schema, 'a-b:c'), [])
  t.equal(method?.result && check(method.result.schema, 'a b').length, 1)
})
