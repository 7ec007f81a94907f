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

const scenariosFor = (
  parts: Readonly<Record<string, JsonValue>>,
  more: Readonly<Record<string, JsonValue>> = {},
) =>
  jsonRpcScenarios(
    parseContract(
      JSON.stringify({ ...documentOf({ methods: [{ ...methodOf([], {}), ...parts }] }), ...more }),
    ),
  )

t.test('parameters travel as all methods take them', async (t) => {
  const all = JSON.stringify(scenariosFor({ paramStructure: 'either' }))
  t.match(all, '"params":[]')
  t.match(all, '"params":{}')
  t.notMatch(JSON.stringify(scenariosFor({ paramStructure: 'by-name' })), /"params(?:\\")?"?:\[/)
  t.notMatch(JSON.stringify(scenariosFor({ paramStructure: 'by-position' })), /"params(?:\\")?"?:\{/)
})

t.test('no batch is sent where no method may be put into one', async (t) => {
  const ids = (scenarios: ReturnType<typeof jsonRpcScenarios>) => scenarios.map(({ id }) => id)
  const without = scenariosFor({ 'x-batchable': false })
  t.same(
    ids(scenariosFor({})).filter((id) => !ids(without).includes(id)),
    [
      'json-rpc/parse-error-in-a-batch',
      'json-rpc/batch',
      'json-rpc/batch-of-one',
      'json-rpc/batch-empty',
      'json-rpc/batch-of-invalid',
      'json-rpc/batch-apart',
      'json-rpc/batch-with-notification',
      'json-rpc/batch-of-notifications',
    ],
  )
})

t.test('the codes that the contract states are expected, and nothing else changes', async (t) => {
  const stated = (code: number) => {
    const usual = documentOf({ methods: [methodOf([], {})] })
    const failure = {
      error: 'unknown',
      httpStatus: 200,
      message: 'x',
      charge: 0,
      section: '1',
      description: 'x',
    }
    return jsonRpcScenarios(
      parseContract(
        JSON.stringify({
          ...usual,
          info: { ...(usual['info'] as object), 'x-failures': { methodNotFound: failure } },
          components: { errors: { unknown: { code, message: 'x' } } },
        }),
      ),
    )
  }
  const text = (scenarios: unknown) => JSON.stringify(scenarios)
  t.equal(text(stated(-32601)), text(scenariosFor({})), 'the usual code changes nothing')
  t.equal(text(stated(-32042)), text(scenariosFor({})).replaceAll('-32601', '-32042'))
})
