import t from 'tap'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import { createProtocolHandler, handlersToCall, type Methods } from '../../../../src/runtime/server/index.js'
import { contractOf, loadModules } from './fixtures.js'

/** Members with `x-ignored`: callers may send them, and handlers never receive them. */
const contract = contractOf({
  methods: [
    {
      name: 'echo',
      params: [
        { name: 'first', required: true, schema: { $ref: '#/components/schemas/Closed' } },
        {
          name: 'second',
          schema: {
            anyOf: [{ $ref: '#/components/schemas/Closed' }, { type: ['string', 'null'] }],
            default: { kept: 1, dropped: 2 },
          },
        },
      ],
      result: { name: 'result', schema: true },
    },
  ],
  components: {
    schemas: {
      Closed: {
        allOf: [{ $ref: '#/components/schemas/Members' }],
        type: 'object',
        required: ['kept'],
      },
      Members: {
        type: 'object',
        properties: {
          kept: true,
          dropped: { 'x-ignored': true },
          ['__proto__']: true,
          referred: { $ref: '#/components/schemas/Ignored' },
          looked: { 'x-ignored': false },
        },
        additionalProperties: false,
      },
      Ignored: { type: 'integer', 'x-ignored': true },
    },
  },
})
const [module] = await loadModules(contract, ['methods.ts'])
const methods = module?.['methods'] as Methods
const handlers = { echo: (params: Readonly<Record<string, JsonValue>>) => params }
const protocol = createProtocolHandler({ methods, call: handlersToCall(methods, handlers as never) })

async function echoed(params: string): Promise<unknown> {
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"echo","params":${params}}`)
  const { result, error } = JSON.parse(String((await protocol.handle(body, undefined)).body))
  return result ?? error.data
}

t.test('a method lists the ignored members of its parameters', async (t) => {
  t.same(methods['echo']?.params, [
    { name: 'first', required: true, ignored: ['dropped', 'referred'] },
    {
      name: 'second',
      required: false,
      default: { kept: 1, dropped: 2 },
      nullable: true,
      ignored: ['dropped', 'referred'],
    },
  ])
})

t.test('handlers receive objects without ignored members, and other values unchanged', async (t) => {
  const rows: readonly (readonly [params: string, wanted: object])[] = [
    ['[{"kept":1}]', { first: { kept: 1 }, second: { kept: 1 } }],
    [
      '[{"dropped":{},"kept":1,"looked":2,"referred":3}]',
      { first: { kept: 1, looked: 2 }, second: { kept: 1 } },
    ],
    ['[{"kept":{"dropped":1}},null]', { first: { kept: { dropped: 1 } }, second: null }],
    ['[{"kept":1},"dropped"]', { first: { kept: 1 }, second: 'dropped' }],
    ['{"second":{"kept":1,"dropped":2},"first":{"kept":3}}', { first: { kept: 3 }, second: { kept: 1 } }],
  ]
  for (const [params, wanted] of rows) t.strictSame(await echoed(params), wanted, params)
})

t.test('ignored members are validated, and unknown names are still refused', async (t) => {
  t.match(await echoed('[{"kept":1,"referred":"3"}]'), [{ path: '/0/referred', rule: 'type' }])
  t.match(await echoed('[{"kept":1,"Dropped":1}]'), [{ message: 'the member "Dropped" is not known' }])
})

t.test('a member called __proto__ remains when another one is removed', async (t) => {
  t.equal(
    JSON.stringify(await echoed('[{"kept":1,"__proto__":2,"dropped":3}]')),
    '{"first":{"kept":1,"__proto__":2},"second":{"kept":1}}',
  )
})
