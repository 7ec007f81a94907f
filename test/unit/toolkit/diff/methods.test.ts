import t from 'tap'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { methodOf } from '../codegen/fixtures.js'
import { diffOf, type Parts, told } from './told.js'

/** One method before and after, with all its changes. */
type Row = readonly [old: JsonObject, next: JsonObject, told: readonly string[]]

const string = { type: 'string' }
const a = { name: 'a', required: true, schema: string }
const b = { name: 'b', schema: { type: 'integer' } }
const c = { name: 'c', schema: { type: 'boolean' } }
const given = (params: readonly JsonObject[], paramStructure = 'by-position') =>
  methodOf(params, {}, { paramStructure })
const answered = (parts: JsonObject) => methodOf([], {}, parts)
const failing = (...errors: readonly JsonObject[]) => methodOf([], {}, { errors })
const documentWith = (method: JsonObject): Parts => ({ methods: [method] })

const at = (place: string) => `#/methods/m/${place}`
const schemaOf = (value: JsonValue) => ({ 'x-result-when': [{ param: 'a', value: true, schema: value }] })

const rows: Readonly<Record<string, Row>> = {
  'a required parameter is added': [
    given([]),
    given([a]),
    [`CS ${at('params/0')} required parameter "a" added`],
  ],
  'an optional parameter is added': [
    given([a]),
    given([a, b]),
    [`S ${at('params/1')} optional parameter "b" added`],
  ],
  'a required parameter is removed': [
    given([a]),
    given([]),
    [`CS ${at('params/0')} required parameter "a" removed`],
  ],
  'an optional parameter is removed': [
    given([a, b]),
    given([a]),
    [`CS ${at('params/1')} optional parameter "b" removed`],
  ],
  'a parameter becomes required': [
    given([b]),
    given([{ ...b, required: true }]),
    [`C ${at('params/0')} became required`],
  ],
  'a parameter becomes optional': [
    given([a]),
    given([{ ...a, required: false }]),
    [`S ${at('params/0')} became optional`],
  ],
  'parameters are reordered, by position': [
    given([b, c]),
    given([c, b]),
    [`CS ${at('params/0')} moved from position 1 to 0`, `CS ${at('params/1')} moved from position 0 to 1`],
  ],
  'parameters are reordered, by name': [
    given([b, c], 'by-name'),
    given([c, b], 'by-name'),
    [
      `- ${at('params/0')} moved from position 1 to 0; parameters are sent by name only`,
      `- ${at('params/1')} moved from position 0 to 1; parameters are sent by name only`,
    ],
  ],
  'parameters are reordered, either way': [
    given([b, c], 'either'),
    given([c, b], 'either'),
    [`CS ${at('params/0')} moved from position 1 to 0`, `CS ${at('params/1')} moved from position 0 to 1`],
  ],
  'a parameter is renamed, by position': [
    given([b]),
    given([{ ...b, name: 'z' }]),
    [
      `S ${at('params/0')} renamed from "b" to "z"; parameters are sent by position only, but handlers use the name`,
    ],
  ],
  'a parameter is renamed, either way': [
    given([b], 'either'),
    given([{ ...b, name: 'z' }], 'either'),
    [`CS ${at('params/0')} renamed from "b" to "z"`],
  ],
  'a parameter is renamed, by name': [
    given([b], 'by-name'),
    given([{ ...b, name: 'z' }], 'by-name'),
    [
      `CS ${at('params/0')} optional parameter "b" removed`,
      `S ${at('params/0')} optional parameter "z" added`,
    ],
  ],
  'a parameter is inserted before another one': [
    given([b]),
    given([c, b]),
    [`CS ${at('params/1')} moved from position 0 to 1`, `S ${at('params/0')} optional parameter "c" added`],
  ],
  'a parameter is renamed and its schema changes': [
    given([b]),
    given([{ name: 'z', schema: { type: ['integer', 'null'] } }]),
    [
      `S ${at('params/0')} renamed from "b" to "z"; parameters are sent by position only, but handlers use the name`,
      `S ${at('params/0/schema')} may be null`,
    ],
  ],
  'another default': [
    given([{ ...b, schema: { type: 'integer', default: 1 } }]),
    given([{ ...b, schema: { type: 'integer', default: 2 } }]),
    [`CS ${at('params/0/schema')} the default 1 became 2`],
  ],
  'the description of a parameter changes': [
    given([b]),
    given([{ ...b, description: 'B', deprecated: true }]),
    [`- ${at('params/0')} deprecated and description changed`],
  ],
  'either way becomes by name': [
    given([b], 'either'),
    given([b], 'by-name'),
    [`C ${at('paramStructure')} parameters are sent by name instead of by name or by position`],
  ],
  'by position becomes either way': [
    given([b]),
    given([b], 'either'),
    [`S ${at('paramStructure')} parameters are sent by name or by position instead of by position`],
  ],
  'by position becomes by name': [
    given([b]),
    given([b], 'by-name'),
    [`CS ${at('paramStructure')} parameters are sent by name instead of by position`],
  ],
  'either way is the default': [
    { name: 'm', params: [b], result: { name: 'r', schema: {} } },
    given([b], 'either'),
    [],
  ],

  'a method becomes a notification': [
    answered({}),
    { name: 'm', paramStructure: 'by-position', params: [] },
    [`CS ${at('result')} is a notification now and returned a result`],
  ],
  'a notification gets a result': [
    { name: 'm', paramStructure: 'by-position', params: [] },
    answered({}),
    [`S ${at('result')} returns a result now and was a notification`],
  ],
  'a result may be null': [
    answered({ result: { name: 'r', schema: string } }),
    answered({ result: { name: 'r', schema: { anyOf: [string, { type: 'null' }] } } }),
    [`C ${at('result/schema')} may be null`],
  ],
  'a result renamed': [
    answered({ result: { name: 'r', schema: string } }),
    answered({ result: { name: 's', required: true, schema: string } }),
    [`- ${at('result')} name and required changed`],
  ],

  'an error more': [
    failing(),
    failing({ code: 7, message: 'Busy' }),
    [`- ${at('errors/7')} error 7 ("Busy") added: clients have to expect undeclared errors anyway`],
  ],
  'an error less': [
    failing({ code: 7, message: 'Busy' }),
    failing(),
    [`S ${at('errors/7')} error 7 ("Busy") removed: servers may no longer return it`],
  ],
  'another code': [
    failing({ code: 7, message: 'Busy' }),
    failing({ code: 8, message: 'Busy' }),
    [`CS ${at('errors/8')} code 7 became 8`],
  ],
  'errors are reordered': [
    failing({ code: 7, message: 'Busy' }, { code: 8, message: 'Tired' }),
    failing({ code: 8, message: 'Tired' }, { code: 7, message: 'Busy' }),
    [],
  ],
  'another message': [
    failing({ code: 7, message: 'Busy' }),
    failing({ code: 7, message: 'Tired' }),
    [`- ${at('errors/7')} message "Busy" became "Tired"`],
  ],
  'the data of an error changes': [
    failing({ code: 7, message: 'Busy' }),
    failing({ code: 7, message: 'Busy', 'x-data-schema': string }),
    [`S ${at('errors/7/x-data-schema')} anything became string`],
  ],
  'the data of an error is widened': [
    failing({ code: 7, message: 'Busy', 'x-data-schema': string }),
    failing({ code: 7, message: 'Busy', 'x-data-schema': { type: ['string', 'null'] } }),
    [`C ${at('errors/7/x-data-schema')} may be null`],
  ],
  'the data of an error becomes optional': [
    failing({ code: 7, message: 'Busy', 'x-data-schema': string }),
    failing({ code: 7, message: 'Busy', 'x-data-schema': string, 'x-data-optional': true }),
    [`C ${at('errors/7/x-data-optional')} its data became optional`],
  ],
  'the data of an error becomes required': [
    failing({ code: 7, message: 'Busy', 'x-data-schema': string, 'x-data-optional': true }),
    failing({ code: 7, message: 'Busy', 'x-data-schema': string }),
    [`S ${at('errors/7/x-data-optional')} its data became required`],
  ],
  'the description of an error changes': [
    failing({ code: 7, message: 'Busy' }),
    failing({ code: 7, message: 'Busy', 'x-description': 'Later.' }),
    [`- ${at('errors/7')} x-description changed`],
  ],

  'a reading method writes': [
    answered({ 'x-effect': 'read' }),
    answered({ 'x-effect': 'write' }),
    [`C ${at('x-effect')} writes now: a call is no longer safe to repeat ("read" became "write")`],
  ],
  'a writing method reads': [
    answered({ 'x-effect': 'write' }),
    answered({ 'x-effect': 'read' }),
    [`S ${at('x-effect')} only reads now ("write" became "read")`],
  ],
  'a call costs more': [
    answered({ 'x-cost': 1 }),
    answered({ 'x-cost': 2 }),
    [`C ${at('x-cost')} a call costs more (1 became 2)`],
  ],
  'batches to nodes are turned off': [
    answered({ 'x-batchable': true }),
    answered({ 'x-batchable': false }),
    [`- ${at('x-batchable')} is no longer sent to nodes in batches (true became false)`],
  ],
  'the statement about batches is removed': [
    answered({ 'x-batchable': true }),
    answered({}),
    [`- ${at('x-batchable')} is no longer sent to nodes in batches (true became nothing)`],
  ],
  'batches to nodes are turned on': [
    answered({}),
    answered({ 'x-batchable': true }),
    [`- ${at('x-batchable')} may be sent to nodes in batches (nothing became true)`],
  ],
  'no batches, in another notation': [
    answered({ 'x-batchable': false }),
    answered({}),
    [`- ${at('x-batchable')} means the same (false became nothing)`],
  ],
  'a lookup becomes an error': [
    answered({ 'x-lookup': true }),
    answered({ 'x-lookup': false }),
    [`CS ${at('x-lookup')} a missing object is an error instead of null (true became false)`],
  ],
  'a lookup': [
    answered({}),
    answered({ 'x-lookup': true }),
    [`CS ${at('x-lookup')} a missing object is null instead of an error (nothing became true)`],
  ],
  'no lookup, in another notation': [
    answered({}),
    answered({ 'x-lookup': false }),
    [`- ${at('x-lookup')} means the same (nothing became false)`],
  ],
  'another place names contracts, too': [
    answered({ 'x-contract-addresses': ['/a'] }),
    answered({ 'x-contract-addresses': [{ receiverOf: '/b' }, '/a', '/c'] }),
    [
      `C ${at('x-contract-addresses')} lists of allowed contracts apply to the places {"receiverOf":"/b"} and "/c"`,
    ],
  ],
  'no place names contracts any more': [
    answered({ 'x-contract-addresses': ['/a'] }),
    answered({}),
    [`S ${at('x-contract-addresses')} lists of allowed contracts no longer apply to the place "/a"`],
  ],
  'another place names contracts instead': [
    answered({ 'x-contract-addresses': ['/a'] }),
    answered({ 'x-contract-addresses': ['/b'] }),
    [
      `C ${at('x-contract-addresses')} lists of allowed contracts apply to the place "/b"`,
      `S ${at('x-contract-addresses')} lists of allowed contracts no longer apply to the place "/a"`,
    ],
  ],
  'no place names contracts, in another notation': [
    answered({}),
    answered({ 'x-contract-addresses': [] }),
    [`- ${at('x-contract-addresses')} means the same (nothing became [])`],
  ],
  'places in an unknown format': [
    answered({ 'x-contract-addresses': ['/a'] }),
    answered({ 'x-contract-addresses': '/a' }),
    [`- ${at('x-contract-addresses')} "x-contract-addresses" changed: unknown extension, review its meaning`],
  ],
  'a larger part of an answer may differ': [
    answered({ 'x-volatile': [] }),
    answered({ 'x-volatile': ['/size'] }),
    [`C ${at('x-volatile')} two answers may differ at the place "/size"`],
  ],
  'a smaller part of an answer may differ': [
    answered({ 'x-volatile': ['/size', '/age'] }),
    answered({ 'x-volatile': [] }),
    [`S ${at('x-volatile')} two answers may no longer differ at the places "/size" and "/age"`],
  ],
  'a rule beyond the schemas more, and one fewer': [
    answered({ 'x-beyond-schemas': ['At most 100 items.'] }),
    answered({ 'x-beyond-schemas': ['At most 10 items.'] }),
    [
      `C ${at('x-beyond-schemas')} parameters that fit their schemas may be refused by the rule "At most 10 items."`,
      `S ${at('x-beyond-schemas')} parameters that fit their schemas may no longer be refused by the rule "At most 100 items."`,
    ],
  ],
  'another HTTP status of an error': [
    answered({ errors: [{ code: 1, message: 'Busy', 'x-http-status': 429 }] }),
    answered({ errors: [{ code: 1, message: 'Busy' }] }),
    [`CS ${at('errors/1')} HTTP status 429 became 200`],
  ],
  'a scope more, and one fewer': [
    answered({ 'x-scopes': ['read'] }),
    answered({ 'x-scopes': ['write'] }),
    [
      `C ${at('x-scopes')} callers need the scope "write"`,
      `S ${at('x-scopes')} callers no longer need the scope "read"`,
    ],
  ],
  'another way to cancel calls': [
    answered({ 'x-cancels': { id: 'id' } }),
    answered({ 'x-cancels': { id: 'id', answer: 'none' } }),
    [
      `CS ${at('x-cancels')} the method cancels calls in another way ({"id":"id"} became {"answer":"none","id":"id"})`,
    ],
  ],
  'an order more': [
    answered({}),
    answered({ 'x-result-order': [{ list: '', by: ['a'] }] }),
    [`S ${at('x-result-order')} a result promises the order {"by":["a"],"list":""}`],
  ],
  'an order less': [
    answered({ 'x-result-order': [{ list: '', by: ['a'] }] }),
    answered({ 'x-result-order': [] }),
    [`C ${at('x-result-order')} a result no longer promises the order {"by":["a"],"list":""}`],
  ],
  'another law': [
    answered({ 'x-laws': [{ law: 'sorted', list: '', by: ['a'] }] }),
    answered({ 'x-laws': [{ law: 'repeatable' }] }),
    [
      `C ${at('x-laws')} results no longer promise to obey the law {"by":["a"],"law":"sorted","list":""}`,
      `S ${at('x-laws')} results obey the law {"law":"repeatable"}`,
    ],
  ],
  'the result for missing data changes': [
    answered({ 'x-empty': '0x' }),
    answered({ 'x-empty': '0x0' }),
    [`CS ${at('x-empty')} the result for missing data changed ("0x" became "0x0")`],
  ],
  'code answers instead of a node': [
    answered({ 'x-answer': 'node' }),
    answered({ 'x-answer': 'code' }),
    [`- ${at('x-answer')} callers do not observe it ("node" became "code")`],
  ],
  'another member of the network is the answer': [
    answered({ 'x-answer': { network: 'chainId' } }),
    answered({ 'x-answer': { network: 'netVersion' } }),
    [
      `CS ${at('x-answer')} the fixed answer of every call changed ({"network":"chainId"} became {"network":"netVersion"})`,
    ],
  ],
  'the answer becomes fixed': [
    answered({ 'x-answer': 'node' }),
    answered({ 'x-answer': { constant: [] } }),
    [`S ${at('x-answer')} the answer is fixed by the contract ("node" became {"constant":[]})`],
  ],
  'the answer is no longer fixed': [
    answered({ 'x-answer': { constant: [] } }),
    answered({ 'x-answer': 'code' }),
    [`C ${at('x-answer')} the answer is no longer fixed by the contract ({"constant":[]} became "code")`],
  ],
  'the cache lifetime changes': [
    answered({ 'x-cache': 'final' }),
    answered({ 'x-cache': 'never' }),
    [`- ${at('x-cache')} callers do not observe it ("final" became "never")`],
  ],
  'the subject of a call changes': [
    answered({ 'x-about': { head: true } }),
    answered({ 'x-about': {} }),
    [`- ${at('x-about')} callers do not observe it ({"head":true} became {})`],
  ],
  'an unknown extension changes': [
    answered({ 'x-mood': 'good' }),
    answered({ 'x-mood': 'bad' }),
    [`- ${at('x-mood')} "x-mood" changed: unknown extension, review its meaning`],
  ],
  'the effect has an unknown value': [
    answered({}),
    answered({ 'x-effect': 'read' }),
    [`- ${at('x-effect')} "x-effect" changed: unknown extension, review its meaning`],
  ],
  'some calls get a narrower result': [
    answered({}),
    answered(schemaOf(string)),
    [`S ${at('x-result-when/0')} promises a narrower result if parameter "a" is true`],
  ],
  'some calls lose their own result': [
    answered(schemaOf(string)),
    answered({ 'x-result-when': [] }),
    [`C ${at('x-result-when/0')} no longer promises a result if parameter "a" is true`],
  ],
  'some calls get another result': [
    answered(schemaOf(string)),
    answered(schemaOf({ type: ['string', 'null'] })),
    [`C ${at('x-result-when/0/schema')} may be null`],
  ],

  'a method deprecated': [
    answered({}),
    answered({ deprecated: true }),
    ['- #/methods/m deprecated: it will be removed'],
  ],
  'a method is no longer deprecated': [
    answered({ deprecated: true }),
    answered({}),
    ['- #/methods/m no longer deprecated'],
  ],
  'texts, tags and examples change': [
    answered({ summary: 's' }),
    answered({
      summary: 't',
      tags: [{ name: 'n' }],
      examples: [{ name: 'e', params: [], result: { name: 'r', value: 1 } }],
    }),
    ['- #/methods/m examples, summary and tags changed'],
  ],
}

t.test('methods are compared by parameters, results, errors and extensions', async (t) => {
  for (const [name, [old, next, wanted]] of Object.entries(rows)) {
    t.same(told(documentWith(old), documentWith(next)), wanted, name)
  }
})

t.test('methods are matched by name, in any order', async (t) => {
  const [x, y, z] = ['x', 'y', 'z'].map((name) => ({ ...methodOf([b]), name }))
  if (!x || !y || !z) return
  t.same(told({ methods: [x, y] }, { methods: [y, x] }), [])
  t.same(told({ methods: [x, y] }, { methods: [z, x] }), ['CS #/methods/y removed', 'S #/methods/z added'])
})

t.test('changes of shared parts are reported once, with the affected methods', async (t) => {
  const use = (name: string, parts: JsonObject) => ({ ...methodOf([]), name, ...parts })
  const shared = (components: JsonObject, parts: JsonObject): Parts => ({
    methods: [use('x', parts), use('y', parts)],
    components,
  })
  const ref = (to: string) => ({ $ref: `#/components/${to}` })
  const errors = { errors: [ref('errors/busy')] }
  const busy = (code: number, message = 'Busy') => ({ errors: { busy: { code, message } } })
  t.same(told(shared(busy(7), errors), shared(busy(8), errors)), [
    'CS #/components/errors/busy code 7 became 8',
  ])
  t.same(told(shared(busy(7), errors), shared(busy(7, 'Tired'), errors)), [
    '- #/components/errors/busy message "Busy" became "Tired"',
  ])
  t.same(told(shared(busy(7), errors), shared({}, {})), [
    'S #/components/errors/busy error 7 ("Busy") removed: servers may no longer return it',
  ])
  t.same(
    told(shared(busy(7), errors), { ...shared(busy(7), errors), methods: [use('x', errors), use('y', {})] }),
    ['S #/methods/y/errors/7 error 7 ("Busy") removed: servers may no longer return it'],
  )
  const params = { params: [ref('contentDescriptors/p')] }
  const p = (parts: JsonObject) => ({ contentDescriptors: { p: { name: 'p', schema: string, ...parts } } })
  t.same(told(shared(p({}), params), shared(p({ required: true, summary: 's' }), params)), [
    'C #/components/contentDescriptors/p became required',
    '- #/components/contentDescriptors/p summary changed',
  ])
  t.same(told(shared(p({}), params), shared(p({ schema: { type: 'integer' } }), params)), [
    'CS #/components/contentDescriptors/p/schema type string became integer',
  ])
  const [change] = diffOf(shared(busy(7), errors), shared(busy(8), errors))
  t.same(change?.methods, ['x', 'y'])
  t.same(change?.old, { pointer: '#/components/errors/busy/code', value: 7 })
})

t.test('who sends what follows the direction of a method', async (t) => {
  const text = { name: 'text', schema: { type: 'string' } }
  const wider = { name: 'text', schema: { type: ['string', 'null'] } }
  const more = { name: 'more', required: true, schema: {} }
  const called = (direction: string, params: readonly JsonObject[], result: JsonValue): Parts =>
    documentWith(methodOf(params, result, { 'x-direction': direction }))
  const [short, long] = [{ type: 'string', maxLength: 1 }, { type: 'string' }]
  const party = { clientToServer: ['S', 'C'], serverToClient: ['C', 'S'], both: ['CS', 'CS'] } as const
  for (const [direction, [receiver, caller]] of Object.entries(party)) {
    t.same(
      told(called(direction, [text], short), called(direction, [wider], short)),
      [`${receiver} ${at('params/0/schema')} may be null`],
      `${direction}: a wider parameter`,
    )
    t.same(
      told(called(direction, [text], short), called(direction, [text], long)),
      [`${caller} ${at('result/schema')} lost maxLength 1`],
      `${direction}: a wider result`,
    )
    t.same(
      told(called(direction, [text], short), called(direction, [text, { ...more, required: false }], short)),
      [`${receiver} ${at('params/1')} optional parameter "more" added`],
      `${direction}: one parameter more`,
    )
    t.same(
      told(documentWith({ ...methodOf([]), name: 'x' }), {
        methods: [{ ...methodOf([]), name: 'x' }, methodOf([], {}, { 'x-direction': direction })],
      }),
      [`${receiver} #/methods/m added`],
      `${direction}: one method more`,
    )
  }
  const notification = { name: 'n', params: [], 'x-direction': 'serverToClient' }
  t.same(told({ methods: [] }, documentWith(notification)), ['- #/methods/n added'])
})
