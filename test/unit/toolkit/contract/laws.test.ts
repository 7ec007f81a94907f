import t from 'tap'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { parseContract, readLaws } from '../../../../src/toolkit/contract/index.js'

const item = { type: 'object', properties: { price: { type: 'integer' }, id: { type: 'string' } } }
const list = { type: 'object', properties: { items: { type: 'array', items: item }, total: {}, next: {} } }
const param = (name: string, required = false) => ({ name, required, schema: { type: 'string' } })

/** The problems of a law of the method `list`, as place and message. */
function problems(law: JsonObject): readonly string[] {
  const document = {
    openrpc: '1.3.2',
    info: { title: 'T', version: '1', 'x-rules': [{ id: 'list.sorted', text: 'Sorted.' }] },
    methods: [
      {
        name: 'list',
        params: [param('side'), param('limit'), param('offset')],
        result: { name: 'r', schema: list },
        'x-laws': [law],
      },
      { name: 'remove', params: [param('id', true)], result: { name: 'r', schema: item } },
    ],
  }
  return readLaws(parseContract(JSON.stringify(document))).flatMap(({ problems }) =>
    problems.map(({ pointer, message }) => `${pointer.replace('#/methods/0/x-laws/0', '')}: ${message}`),
  )
}

const sorted = { law: 'sorted', list: '/items', by: ['-price', 'id'] }
const pages = { law: 'pages', list: '/items', size: 'limit', offset: 'offset' }
const undone = {
  law: 'undone-by',
  method: 'remove',
  params: { id: '${result.next}' },
  observe: [{ method: 'list', params: { side: '${params.side}' } }],
}

t.test('laws without mistakes are accepted', (t) => {
  const laws: readonly JsonObject[] = [
    { law: 'repeatable' },
    { law: 'batchable' },
    { law: 'equals', method: 'remove', params: { id: 'a' } },
    sorted,
    { ...sorted, when: { side: 'a' }, rule: 'list.sorted' },
    pages,
    { law: 'pages', list: '/items', size: 'limit', cursor: 'offset', next: '/next', total: '/total' },
    { law: 'adds-up', total: '/total', parts: '/items/*/price' },
    { law: 'adds-up', total: '/total', parts: '/items/*', count: true },
    { law: 'adds-up', total: '/total', method: 'remove', params: { id: 'a' }, parts: '/price' },
    { law: 'first-of', method: 'list', list: '/items', first: '/id', result: '/total' },
    undone,
  ]
  for (const law of laws) t.same(problems(law), [], JSON.stringify(law))
  t.end()
})

const rows: readonly (readonly [law: JsonObject, want: string])[] = [
  [{}, ': has no "law": name one'],
  [{ law: 'sortd' }, '/law: "sortd" is no law: did you mean "sorted"?'],
  [
    { law: 'monotone' },
    '/law: "monotone" is no law: repeatable, batchable, equals, sorted, adds-up, pages, first-of, undone-by, subset-by, echoes, partition',
  ],
  [{ ...sorted, lists: '/items' }, '/lists: the law "sorted" has no member "lists": did you mean "list"?'],
  [{ ...sorted, zz: 1 }, '/zz: the law "sorted" has no member "zz": known are list, by, when, rule'],
  [{ law: 'sorted', list: '/items' }, ': the law "sorted" needs "by": add it'],
  [{ ...sorted, list: '/itms' }, '/list: "/itms" does not exist in the result of "list": correct the path'],
  [{ ...sorted, list: 'items' }, '/list: must be a JSON pointer, such as "/items"'],
  [{ ...sorted, by: ['cost'] }, '/by/0: the items have no member "cost": correct the path'],
  [{ ...sorted, by: [] }, '/by: must be a list of members, such as ["-price", "id"]'],
  [
    { ...sorted, when: { sid: 'a' } },
    '/when/sid: the method "list" has no parameter "sid": did you mean "side"?',
  ],
  [{ ...sorted, rule: 'list.order' }, '/rule: unknown rule "list.order": correct the name'],
  [
    { law: 'pages', list: '/items', size: 'limit' },
    ': the law "pages" needs exactly one of offset, page, cursor',
  ],
  [{ ...pages, page: 'side' }, ': the law "pages" needs exactly one of offset, page, cursor'],
  [
    { ...pages, offset: 'ofset' },
    '/offset: the method "list" has no parameter "ofset": did you mean "offset"?',
  ],
  [
    { law: 'pages', list: '/items', size: 'limit', cursor: 'offset' },
    ': "cursor" needs "next": add it, or remove "cursor"',
  ],
  [
    { law: 'adds-up', total: '/total', parts: '/items/*/cost' },
    '/parts: "/items/*/cost" does not exist in the result of "list": correct the path',
  ],
  [{ law: 'adds-up', total: '/total', parts: '/items/*', count: 'yes' }, '/count: must be true, or absent'],
  [
    { law: 'adds-up', total: '/total', parts: '/items/*', params: {} },
    ': "params" needs "method": add it, or remove "params"',
  ],
  [{ law: 'first-of', method: 'lst', list: '/items' }, '/method: unknown method "lst": did you mean "list"?'],
  [
    { law: 'first-of', method: 'list', list: '/items', first: '/cost' },
    '/first: "/items/0/cost" does not exist in the result of "list": correct the path',
  ],
  [{ ...undone, params: {} }, '/params: "remove" requires the parameter "id": add it'],
  [
    { ...undone, params: { id: '${result.nxt}' } },
    '/params/id: "${result.nxt}" does not exist in the result of "list": correct the path',
  ],
  [
    { ...undone, params: { id: '${params.sid}' } },
    '/params/id: "${params.sid}" does not exist in the parameters of "list": correct the path',
  ],
  [
    { ...undone, params: { id: 'a${params.side}' } },
    '/params/id: "a${params.side}" is no expression: write ${params.NAME} or ${result.PATH}',
  ],
  [{ ...undone, observe: [] }, '/observe: must be a list of {method, params}, with at least one'],
  [
    { ...undone, observe: [{ method: 'list', parms: {} }] },
    '/observe/0/parms: a call has no member "parms": known are method, params',
  ],
  [
    { ...undone, observe: [{ method: 'list', params: { side: '${result.next}' } }] },
    '/observe/0/params/side: "${result.next}": this call is sent before there is a result: use ${params.NAME}',
  ],
]

t.test('mistakes in laws are reported with their place', (t) => {
  for (const [law, want] of rows) t.same(problems(law), [want])
  t.end()
})
