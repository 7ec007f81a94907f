import t from 'tap'
import type { MethodDescriptor } from '../../../../src/runtime/rpc/index.js'
import { createServer } from '../../../../src/runtime/server/index.js'
import { exploredCases } from '../../../../src/toolkit/codegen/index.js'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { post } from '../../../support/service.js'
import { derivedOf } from '../../toolkit/cases/derived-scenarios.js'
import { contractOf, loadModules, methodOf } from '../../toolkit/codegen/fixtures.js'
import { startMock } from '../../toolkit/mock/start-mock.js'

const optional = (name: string, schema: JsonObject): JsonObject => ({ name, required: false, schema })

/** A method that returns its parameters: a required one, and three that may be absent. */
const document = (envelope?: JsonObject) =>
  contractOf({
    info: { title: 'T', version: '1', ...(envelope && { 'x-envelope': envelope }) },
    methods: [
      methodOf(
        [
          { name: 'text', required: true, schema: { type: 'string' } },
          optional('size', { type: 'integer', minimum: 1, default: 5 }),
          optional('note', { type: ['string', 'null'], default: 'none' }),
          optional('mark', { type: 'string' }),
        ],
        { type: 'object' },
        { name: 'show', paramStructure: 'either' },
      ),
    ],
  })

const absent = { result: { text: 'a', size: 5, note: 'none' } }
const refused = (path: string) => ({ error: { code: -32602, data: [{ path }] } })

const rows: readonly [params: readonly unknown[], answer: JsonObject, strict: JsonObject][] = [
  [['a'], absent, absent],
  [['a', null], absent, refused('/1')],
  [['a', null, null, null], { result: { text: 'a', size: 5, note: null, mark: undefined } }, refused('/1')],
  [['a', null, 'b', 'c'], { result: { text: 'a', size: 5, note: 'b', mark: 'c' } }, refused('/1')],
  [
    ['a', 2, null],
    { result: { text: 'a', size: 2, note: null } },
    { result: { text: 'a', size: 2, note: null } },
  ],
  [[null], refused('/0'), refused('/0')],
  [['a', null, null, null, null], refused(''), refused('')],
  [['a', 0, null], refused('/1'), refused('/1')],
]

const envelopes = { 'says nothing': undefined, 'accepts it': true, 'refuses it': false } as const

for (const [words, nullIsAbsent] of Object.entries(envelopes)) {
  t.test(`null for an optional parameter, where the contract ${words}`, async (t) => {
    const contract = document(nullIsAbsent === undefined ? undefined : { nullIsAbsent })
    const [module] = await loadModules(contract, ['methods.ts'])
    const methods = module?.['methods'] as Readonly<Record<string, MethodDescriptor>>
    const handlers = { show: (params: JsonObject) => params }
    const server = await createServer({ methods, handlers }).listen({ port: 0 })
    t.teardown(() => server.close())
    const mock = await startMock(t, contract)
    for (const [params, taken, strict] of rows) {
      const answer = nullIsAbsent === false ? strict : taken
      const body = { jsonrpc: '2.0', id: 1, method: 'show', params }
      t.match((await post(server.url, body)).json, answer, JSON.stringify(params))
      t.match((await post(server.url, [body])).json, [answer], `a batch of ${JSON.stringify(params)}`)
      const mocked = answer['result'] === undefined ? answer : { result: Object }
      t.match((await mock.send(body)).json, mocked, `the mock, ${JSON.stringify(params)}`)
    }
    const named = { jsonrpc: '2.0', id: 1, method: 'show', params: { text: 'a', size: null } }
    t.match((await post(server.url, named)).json, refused('/size'), 'by name, null is a value')
  })
}

t.test('derived cases follow what the contract says about null', async (t) => {
  const nullCase = (envelope?: JsonObject) =>
    derivedOf(document(envelope)).find(({ id }) => id === 'derived/show/size-null')?.steps[0] ?? {}
  const error = { error: { code: -32602 } }
  t.match(nullCase({ nullIsAbsent: false }), { expect: error, tolerate: undefined })
  t.match(nullCase(), { expect: error, tolerate: [{ expect: { result: Object } }] })
  t.match(nullCase({ nullIsAbsent: true }), { expect: { body: { $not: Object } }, tolerate: undefined })
})

t.test('generated calls send null as a mistake only where the contract refuses it', async (t) => {
  const anything = { not: { type: 'null' } }
  const nulls = (envelope: JsonObject) => {
    const contract = contractOf({
      info: { title: 'T', version: '1', 'x-envelope': envelope },
      methods: [methodOf([optional('mark', anything)], { type: 'object' }, { name: 'show' })],
    })
    const { scenarios } = exploredCases(contract, { calls: 100, seed: 1, mayCall: () => true })
    return JSON.stringify(scenarios).match(/"params":\[null\],"expect":\{"error"/g)?.length ?? 0
  }
  t.equal(nulls({}), 0)
  t.equal(nulls({ nullIsAbsent: true }), 0)
  t.ok(nulls({ nullIsAbsent: false }) > 0)
})
