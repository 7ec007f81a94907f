import t from 'tap'
import { emitClient } from '../../../../src/toolkit/codegen/emit/client/emit-client.js'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import { memberPaths } from '../../../../src/toolkit/codegen/emit/member-paths.js'
import { pathOf } from '../../../../src/toolkit/codegen/index.js'
import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { everyNth } from '../../../support/runs.js'
import { json, serve } from '../../runtime/client/rpc-server.js'
import { contractOf, emitted, fixtureNames, loadFixture, loadModules, methodOf } from './fixtures.js'

/** The client of a contract with one method. */
const clientText = (method: JsonObject, parts: { readonly [name: string]: JsonValue } = {}) =>
  emitted(emitClient, contractOf({ methods: [method], ...parts }))

const number = { type: 'number' }
const a = { name: 'a', required: true, schema: number }
const b = { name: 'b', required: false, schema: { type: 'string' } }
const preset = { name: 'a', required: false, schema: { type: 'number', default: 1 } }
const byName = { paramStructure: 'by-name' }
const either = { paramStructure: 'either' }

t.test('a method is a function of its parameters and the call options', async (t) => {
  const rows: readonly [string, JsonObject, string][] = [
    ['none', methodOf([], number), '(...options: OptionsOf<Kind>) => Returned<Kind, number>'],
    [
      'by position',
      methodOf([a, b], number),
      '(a: number, b?: string, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'an optional parameter before a required one',
      methodOf(
        [
          { ...a, required: false },
          { ...b, required: true },
        ],
        number,
      ),
      '(a: number, b: string, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'a parameter with a default before a required one',
      methodOf([preset, { ...b, required: true }], number),
      '(a: number | undefined, b: string, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'by name',
      methodOf([a, b], number, byName),
      '(params: { readonly a: number; readonly b?: string | undefined }, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'by name, all optional',
      methodOf([b], number, byName),
      '(params?: { readonly b?: string | undefined }, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'by name, none',
      methodOf([], number, byName),
      '(...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'either',
      methodOf([b, a], number, either),
      '(b: string | undefined, a: number, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
    [
      'a lookup',
      methodOf([a], { oneOf: [number, { type: 'null' }] }),
      '(a: number, ...options: OptionsOf<Kind>) => Returned<Kind, number | null>',
    ],
    [
      'labels that would collide',
      methodOf(
        ['a b', 'a-b', 'options', 'eval'].map((name) => ({ ...a, name })),
        number,
      ),
      '(a_b: number, a_b_: number, options_: number, eval_: number, ...options: OptionsOf<Kind>) => Returned<Kind, number>',
    ],
  ]
  for (const [name, method, call] of rows) {
    const text = clientText(method)
      .replaceAll(/\(\n\s+/g, '(')
      .replaceAll(/\n\s+\)/g, ')')
      .replaceAll(/,\n\s+/g, ', ')
    t.match(text, `readonly m: ${call}\n`, name)
  }
})

t.test('a method without a result is sent as a notification', async (t) => {
  const { result: _, ...notification } = methodOf([a])
  const text = clientText(notification)
  t.match(text, 'readonly m: (a: number, ...options: OptionsOf<Kind>) => Returned<Kind, void>')
  t.match(text, "m: { params: ['a'], notification: true }")
})

t.test('a result type is imported by its name', async (t) => {
  const properties = Object.fromEntries(['first', 'second', 'third', 'fourth'].map((name) => [name, number]))
  const text = clientText(methodOf([], { type: 'object', properties }))
  t.match(text, 'Returned<Kind, MResult>')
  t.match(text, "import type { MResult, Params, ResultOf, Results, SentResults } from './types.js'")
})

t.test('a parameter narrows the result exactly as x-result-when states', async (t) => {
  const when = (entries: JsonValue) => ({ 'x-result-when': entries })
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const entry = (value: JsonValue, name: string, param = 'full') => ({ param, value, schema: ref(name) })
  const both = [entry(false, 'Short'), entry(true, 'Long')]
  const full = { name: 'full', required: false, schema: { type: 'boolean', default: false } }
  const extension = {
    openrpcExtension: '0.0.0-development',
    name: 'x-result-when',
    version: '1.0.0',
    restricted: ['methodObject'],
    schema: {},
  }
  const parts = {
    components: {
      schemas: {
        Short: { type: 'string' },
        Long: { type: 'array' },
        Value: { type: 'string', nullable: true },
        More: { allOf: [ref('Value')], minLength: 1 },
      },
    },
    'x-extensions': [extension],
  }
  const any = { anyOf: [ref('Short'), ref('Long')] }
  const base = "Results['m']"
  const value = "(ArgumentOf<SentParams, '0', never> extends infer SentValue ? "
  const generic = 'const GivenFull extends boolean | undefined = undefined'
  const rows: readonly [string, JsonObject, readonly string[]][] = [
    [
      'both values',
      methodOf([full], any, when(both)),
      [
        `${base} & ${value}SentValue extends false | undefined ? Short : SentValue extends true ? Long : unknown : never)`,
        `<${generic}>(`,
        'full?: GivenFull,',
        "SentResults<readonly [GivenFull]>['m']",
      ],
    ],
    [
      'one value',
      methodOf([full], any, when(both.slice(1))),
      [`${base} & ${value}SentValue extends true ? Long : unknown : never)`],
    ],
    [
      'no default',
      methodOf([{ ...full, schema: { type: 'boolean' } }], any, when(both)),
      [`${value}SentValue extends false ? Short : SentValue extends true ? Long : unknown : never)`],
    ],
    [
      'a schema of values',
      methodOf([full], any, when([{ param: 'full', matches: { const: true }, schema: ref('Long') }])),
      [`${value}SentValue extends true ? Long : unknown : never)`],
    ],
    [
      'a result that includes the schema of the method',
      methodOf([full], { anyOf: [ref('Value'), { type: 'null' }] }, when([entry(true, 'More')])),
      [`${value}SentValue extends true ? More : NonNullable<${base}> : never) | null`],
    ],
    [
      'null as well',
      methodOf([full], ref('Value'), when(both)),
      [`(NonNullable<${base}> & ${value}`, ') | null\n'],
    ],
    [
      'by name',
      methodOf([full], any, { ...byName, ...when(both) }),
      [
        "ArgumentOf<SentParams, '0', 'full'>",
        'params?: { readonly full?: GivenFull | undefined }',
        "SentResults<{ readonly full: GivenFull }>['m']",
      ],
    ],
    [
      'two parameters',
      methodOf([full, a], any, when([...both, entry(1, 'Long', 'a')])),
      [
        "(ArgumentOf<SentParams, '1', never> extends infer SentValue ? SentValue extends 1 ? Long : unknown : never)",
        'const GivenA extends number,',
        "SentResults<readonly [GivenFull, GivenA]>['m']",
      ],
    ],
    [
      'a schema without a name',
      methodOf([full], any, when([{ param: 'full', value: true, schema: number }])),
      ['SentValue extends true ? number : unknown'],
    ],
    ['an unknown parameter', methodOf([full], any, when([entry(true, 'Long', 'other')])), []],
    [
      'a parameter that may be an object',
      methodOf([{ ...full, schema: {} }], any, when([entry(true, 'Long')])),
      [],
    ],
    ['another form', methodOf([full], any, when('sometimes')), []],
  ]
  for (const [name, method, wanted] of rows) {
    const contract = contractOf({ methods: [method], ...parts })
    const lines = `${emitted(emitTypes, contract)}${emitted(emitClient, contract)}`
    const text = lines.replaceAll(/\s+/g, ' ').replaceAll('( ', '(').replaceAll(' )', ')')
    for (const want of wanted) t.ok(text.includes(want.trim()), `${name}: ${want.trim()} in ${text}`)
    t.equal(text.includes('interface SentResults<SentParams>'), wanted.length > 0, name)
    if (wanted.length === 0) t.match(text, 'Returned<Kind, MResult>', name)
  }
})

t.test("the contract's errors are a union that is discriminated by name", async (t) => {
  const text = emitted(emitClient, await loadFixture('client-names'))
  t.match(text, "| DeclaredError<'first', 1, TransportError_, MethodName>")
  t.match(text, "| DeclaredError<'again', 1, JsonValue | undefined, MethodName>")
  t.match(
    text,
    "| DeclaredError<'other', 2, number, MethodName>\n  | DeclaredError<undefined, UndeclaredCode,",
  )
  t.match(text, "batch_: { params: ['a', 'this'], paramStructure: 'either', errors: ['again'] }")
  t.notMatch(clientText(methodOf([])), 'errors: [', 'unique codes need no list')
})

type Call = (...given: readonly unknown[]) => Promise<unknown>

/** Nested own members, none of them inherited. */
function ownAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (Object.hasOwn(Object(at), key) ? (at as Record<string, unknown>)[key] : undefined),
    object,
  )
}

t.test('in any document every method is called by its wire name', async (t) => {
  for (const fixture of everyNth(3, fixtureNames)) {
    const contract = await loadFixture(fixture)
    // A subscription is no call, and a client over HTTP refuses it by itself.
    if (contract.methods.some(({ extensions }) => extensions['x-subscription'] !== undefined)) continue
    const [module] = await loadModules(contract, ['client.ts'])
    const { url, all } = await serve(t, json({ jsonrpc: '2.0', id: null, error: { code: 2, message: 'no' } }))
    const createClient = module?.['createClient'] as (url: string) => object
    const paths = memberPaths(contract.methods)
    const client = createClient(url)
    for (const method of contract.methods) {
      const given =
        method.paramStructure === 'by-name' ? [{}] : [1, 2, 3, 4, 5].slice(0, method.params.length)
      const call = ownAt(client, pathOf(paths, method)) as Call | undefined
      const error = await call?.(...given).then(
        () => undefined,
        (caught: unknown) => caught,
      )
      t.match(error, { method: method.name, code: 2 }, method.name)
      const found = contract.errors.find(({ code }) => code === 2)
      t.equal((error as { error?: string }).error, found?.key)
    }
    t.same(
      all.map(({ sent }) => sent.method),
      contract.methods.map(({ name }) => name),
    )
  }
})

t.test('the table of the runtime has what differs from the defaults', (t) => {
  const table = (method: JsonObject, parts: { readonly [name: string]: JsonValue } = {}) =>
    clientText(method, parts).split('const contract: ClientContract = ')[1]
  t.equal(table(methodOf([])), '{\n  methods: {\n    m: {},\n  },\n  errors: {},\n} as const\n')
  const marked = { 'x-effect': 'read', 'x-batchable': true }
  t.match(
    table(methodOf([preset, b], number, marked)),
    "m: { params: [['a', 1], 'b'], effect: 'read', batchable: true },",
  )
  t.match(table(methodOf([], number, { 'x-effect': 'write', 'x-batchable': false })), 'm: {},')
  const limit = (value: JsonValue) => ({ value, unit: 'items', section: '1', description: 'A limit.' })
  const info = {
    title: 'T',
    version: '1.0.0',
    'x-limits': { batchItems: limit(7), headerBytes: limit(9), bodyBytes: limit('5') },
    'x-failures': {
      noNode: { httpStatus: 503, error: 'gone' },
      late: { httpStatus: 504, error: 'gone' },
      refused: { httpStatus: 503, error: 'mixed' },
      wrong: { httpStatus: 200, error: 'mixed' },
    },
  }
  const errors = {
    gone: { code: 1, message: 'a' },
    mixed: { code: 2, message: 'b' },
    other: { code: 3, message: 'c' },
  }
  const method = methodOf([], number, {
    errors: Object.keys(errors).map((key) => ({ $ref: `#/components/errors/${key}` })),
  })
  const text = table(method, { info, components: { errors } })
  t.match(text, '  transient: [1],\n  limits: { batchItems: 7 },\n}')
  const names = ['request', 'quota.left', 'batch'].map((name) => ({ ...methodOf([]), name }))
  const renamed = emitted(emitClient, contractOf({ methods: names }))
  t.match(renamed, "names: { batch: 'batch_', request: 'request_', quota: 'quota_' }")
  t.match(renamed, 'readonly quota_: Quota | undefined')
  t.end()
})

t.test('a document without methods has a client without calls', async (t) => {
  const [module] = await loadModules(await loadFixture('empty'), ['client.ts'])
  const { isRpcError, createClient } = module as {
    isRpcError: (error: unknown, name?: string) => boolean
    createClient: (url: string) => object
  }
  t.same(Object.keys(createClient('http://127.0.0.1/')), ['batch', 'request', 'quota'])
  t.equal(isRpcError(new Error('any')), false)
})
