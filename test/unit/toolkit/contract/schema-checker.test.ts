import t from 'tap'
import { createSchemaChecker } from '../../../../src/toolkit/contract/index.js'
import { contractOf, methodOf } from '../codegen/fixtures.js'

t.test('a pattern that is valid only without the flag u is accepted', async (t) => {
  const contract = contractOf({
    methods: [methodOf([], { type: 'string', pattern: '^[\\w\\-\\:]+$' })],
  })
  const [method] = contract.methods
  const check = createSchemaChecker(contract)
  t.same(method?.result && check(method.result.schema, 'a-b:c'), [])
  t.equal(method?.result && check(method.result.schema, 'a b').length, 1)
})
