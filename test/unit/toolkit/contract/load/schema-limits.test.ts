import t from 'tap'
import { ContractError, type JsonObject, parseContract } from '../../../../../src/toolkit/contract/index.js'

const lists = { Lines: { type: 'array', maxItems: 40 }, Hex: { type: 'string', maxLength: 2050 } }

/** A document with one limit. */
function documentOf(limit: JsonObject): JsonObject {
  return {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1.0.0', 'x-limits': { some: limit } },
    methods: [],
    components: { schemas: lists },
  }
}

const parsed = (limit: JsonObject) => parseContract(JSON.stringify(documentOf(limit)))

t.test('a limit has the number of the keyword that it names', async (t) => {
  const lines = parsed({ from: '#/components/schemas/Lines/maxItems', unit: 'lines' })
  t.same(lines.info['x-limits'], { some: { value: 40, unit: 'lines' } })
  t.same(lines.published(), documentOf({ value: 40, unit: 'lines' }))
  const bytes = parsed({ from: '#/components/schemas/Hex/maxLength', prefix: 2, each: 2, unit: 'bytes' })
  t.same(bytes.info['x-limits'], { some: { value: 1024, unit: 'bytes' } })
})

for (const [name, limit, message] of [
  ['leads nowhere', { from: '#/components/schemas/Line/maxItems' }, 'leads to no keyword'],
  ['leads to a text', { from: '#/components/schemas/Lines/type' }, 'leads to no keyword'],
  ['is no pointer', { from: 'Lines' }, 'leads to no keyword'],
  ['gives half a byte', { from: '#/components/schemas/Hex/maxLength', prefix: 3, each: 2 }, 'fitting number'],
  [
    'stands beside a value',
    { from: '#/components/schemas/Lines/maxItems', value: 40 },
    'states its value, too',
  ],
] as const) {
  t.test(`a pointer that ${name} is a problem of the contract`, async (t) => {
    const error = t.throws(() => parsed(limit), ContractError) as ContractError
    t.match(error.problems, [{ pointer: '#/info/x-limits/some/from', message }])
  })
}
