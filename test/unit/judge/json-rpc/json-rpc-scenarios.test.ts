import t from 'tap'
import { jsonRpcScenarios } from '../../../../src/judge/index.js'
import { type JsonValue, parseContract } from '../../../../src/toolkit/contract/index.js'
import { documentOf, methodOf } from '../../toolkit/codegen/fixtures.js'

t.test('a declared rpc.discover is tested by its own cases only', async (t) => {
  const hasDiscover = (methods: readonly JsonValue[]) =>
    jsonRpcScenarios(parseContract(JSON.stringify(documentOf({ methods })))).some(
      ({ id }) => id === 'json-rpc/discover',
    )
  t.equal(hasDiscover([methodOf([], {})]), true)
  t.equal(hasDiscover([{ ...methodOf([], {}), name: 'rpc.discover' }]), false)
})

t.test('steps with an id of their own take no answer to another id', async (t) => {
  const scenarios = jsonRpcScenarios(
    parseContract(JSON.stringify(documentOf({ methods: [methodOf([], {})] }))),
  )
  const calls = scenarios.flatMap(({ steps }) => steps.filter((step) => step.kind === 'call'))
  const own = calls.filter(({ call }) => call.id !== undefined)
  t.ok(own.some(({ call }) => call.id === '0'))
  t.same(
    own.filter(({ share }) => share),
    [],
  )
  t.ok(calls.some(({ share }) => share))
})
