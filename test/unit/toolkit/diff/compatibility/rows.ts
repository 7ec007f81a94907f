import type { JsonObject, JsonValue } from '../../../../../src/toolkit/contract/index.js'
import { methodOf } from '../../codegen/fixtures.js'
import type { Letters, Parts } from '../told.js'

/** A change that the table of docs/compatibility.md lists, and how to prove what it breaks. */
export interface Row {
  /** The change in words. */
  readonly change: string
  readonly kind: string
  readonly place: 'parameters' | 'results' | 'method' | 'document'
  readonly old: Parts
  readonly next: Parts
  readonly breaks: Letters
  /** Values that the schemas of one contract may allow and those of the other may not. */
  readonly values: readonly JsonValue[]
  /** TypeScript that uses `client`, written for the old contract: it must not compile with a client of the new one. */
  readonly clientCode?: string
  /** TypeScript that uses `client`, written for the new contract: it must not compile with a client of the old one. */
  readonly newClientCode?: string
}

/** A change of a schema, and whom it breaks in parameters and in results. */
export interface SchemaRow {
  readonly change: string
  readonly kind: string
  readonly old: JsonValue
  readonly next: JsonValue
  readonly params: Letters
  readonly results: Letters
  readonly values?: readonly JsonValue[]
  /** In parameters: code for the old contract. */
  readonly sends?: string
  /** In parameters: code for the new contract. */
  readonly newSends?: string
  /** In results: code for the old contract. */
  readonly reads?: string
}

const string = { type: 'string' }
const object = (properties: JsonObject, required: readonly string[] = [], more: JsonObject = {}) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  ...more,
})
const closed = { additionalProperties: false }
const a = { a: string }
const ab = { a: string, b: string }
const sendsB = "await client.m({ a: 'x', b: 'y' })"
const readsB = '(await client.m()).b'
const members = [{}, { a: 'x' }, { b: 'y' }, { a: 'x', b: 'y' }, { a: 'x', z: 1 }]

/** Each is a row of the table: a kind of change in parameters and in results. */
export const schemaRows: readonly SchemaRow[] = [
  widening('type-widened', 'A type is added', string, { type: ['string', 'integer'] }, ['a', 1]),
  narrowing('type-narrowed', 'A type is removed', { type: ['string', 'integer'] }, string, ['a', 1]),
  both('type-changed', 'The type changes', string, { type: 'integer' }, ['a', 1]),
  widening('type-widened', 'Null becomes allowed', string, { type: ['string', 'null'] }, ['a', null]),
  narrowing('type-narrowed', 'Numbers become integers', { type: 'number' }, { type: 'integer' }, [1, 1.5]),
  widening('values-added', 'A listed value is added', { enum: ['a'] }, { enum: ['a', 'b'] }, ['a', 'b']),
  narrowing('values-removed', 'A listed value is removed', { enum: ['a', 'b'] }, { enum: ['a'] }, ['a', 'b']),
  narrowing('values-limited', 'Values are limited to a list', string, { enum: ['a'] }, ['a', 'b']),
  widening('values-unlimited', 'Values are no longer limited to a list', { enum: ['a'] }, string, ['a', 'b']),
  narrowing('constraint-added', 'A pattern is added', string, { ...string, pattern: '^a' }, ['a', 'b']),
  widening('constraint-removed', 'A pattern is removed', { ...string, pattern: '^a' }, string, ['a', 'b']),
  both('constraint-changed', 'A pattern changes', pattern('^a'), pattern('^b'), ['a', 'b']),
  narrowing('constraint-tightened', 'A maximum length decreases', most(5), most(3), ['abc', 'abcd']),
  widening('constraint-loosened', 'A minimum decreases', least(5), least(1), [5, 3]),
  narrowing('constraint-tightened', 'A minimum number of items increases', items(1), items(2), [
    ['a'],
    ['a', 'b'],
  ]),
  both('constraint-changed', 'A divisor changes', divisor(2), divisor(3), [2, 3, 6]),
  narrowing('constraint-added', 'Items must be unique', items(0), { ...items(0), uniqueItems: true }, [
    ['a', 'a'],
  ]),
  narrowing(
    'constraint-added',
    'A condition between members is added',
    object(ab),
    object(ab, [], { dependencies: { b: ['a'] } }),
    members,
  ),
  {
    ...widening(
      'member-added',
      'An optional member is added to a closed object',
      object(a, [], closed),
      object(ab, [], closed),
      members,
    ),
  },
  {
    ...widening(
      'member-added',
      'An optional member is added to an open object',
      object(a),
      object(ab),
      members,
    ),
    results: '',
    newSends: sendsB,
  },
  both(
    'member-added',
    'A required member is added to a closed object',
    object(a, [], closed),
    object(ab, ['b'], closed),
    members,
  ),
  {
    ...narrowing(
      'member-added',
      'A required member is added to an open object',
      object(a),
      object(ab, ['b']),
      members,
    ),
    params: 'CS',
    newSends: sendsB,
  },
  {
    ...narrowing(
      'member-removed',
      'An optional member is removed from a closed object',
      object(ab, [], closed),
      object(a, [], closed),
      members,
    ),
    results: 'CS',
    reads: readsB,
  },
  {
    ...narrowing(
      'member-removed',
      'An optional member is removed from an open object',
      object(ab),
      object(a),
      members,
    ),
    results: 'C',
    sends: sendsB,
    reads: readsB,
  },
  both(
    'member-removed',
    'A required member is removed from a closed object',
    object(ab, ['b'], closed),
    object(a, [], closed),
    members,
  ),
  {
    ...widening(
      'member-removed',
      'A required member is removed from an open object',
      object(ab, ['b']),
      object(a),
      members,
    ),
    params: 'CS',
    sends: sendsB,
  },
  narrowing('member-required', 'A member becomes required', object(a), object(a, ['a']), members),
  widening('member-optional', 'A member becomes optional', object(a, ['a']), object(a), members),
  narrowing(
    'members-closed',
    'Undescribed members are no longer allowed',
    object(a),
    object(a, [], closed),
    members,
  ),
  widening('members-opened', 'Undescribed members become allowed', object(a, [], closed), object(a), members),
  both('type-changed', 'The type of undescribed members changes', others('string'), others('integer'), [
    { z: 'x' },
    { z: 1 },
  ]),
  widening(
    'alternative-added',
    'An alternative is added',
    anyOf(object(a, ['a'])),
    anyOf(object(a, ['a']), string),
    [{ a: 'x' }, 'x'],
  ),
  narrowing(
    'alternative-removed',
    'An alternative is removed',
    anyOf(object(a, ['a']), string),
    anyOf(object(a, ['a'])),
    [{ a: 'x' }, 'x'],
  ),
  narrowing('schema-limited', 'A schema is added where any value was allowed', {}, string, ['a', 1]),
  widening('schema-unlimited', 'Any value becomes allowed', string, {}, ['a', 1]),
  narrowing('schema-closed', 'A member becomes forbidden', object(a), object({ a: false }), members),
  widening('schema-opened', 'A forbidden member becomes allowed', object({ a: false }), object(a), members),
  {
    ...widening('default-added', 'A default is added', string, { ...string, default: 'a' }, ['b']),
    results: '',
  },
  {
    ...both('default-removed', 'A default is removed', { ...string, default: 'a' }, string, ['b']),
    results: '',
  },
  {
    ...both(
      'default-changed',
      'A default changes',
      { ...string, default: 'a' },
      { ...string, default: 'b' },
      ['b'],
    ),
    results: '',
  },
  harmless(
    'reference-changed',
    'A reference is replaced with its schema',
    { $ref: '#/components/schemas/Text' },
    string,
  ),
  harmless('documentation-changed', 'A title, description or example changes', string, {
    ...string,
    description: 'more',
  }),
]

function pattern(text: string): JsonObject {
  return { ...string, pattern: text }
}

function most(maxLength: number): JsonObject {
  return { ...string, maxLength }
}

function least(minimum: number): JsonObject {
  return { type: 'integer', minimum }
}

function items(minItems: number): JsonObject {
  return { type: 'array', items: string, ...(minItems > 0 && { minItems }) }
}

function divisor(multipleOf: number): JsonObject {
  return { type: 'integer', multipleOf }
}

function others(type: string): JsonObject {
  return object({}, [], { additionalProperties: { type } })
}

function anyOf(...alternatives: readonly JsonValue[]): JsonObject {
  return { anyOf: [...alternatives, { type: 'boolean' }] }
}

type Make = (
  kind: string,
  change: string,
  old: JsonValue,
  next: JsonValue,
  values?: readonly JsonValue[],
) => SchemaRow

function make(params: Letters, results: Letters): Make {
  return (kind, change, old, next, values = []) => ({ kind, change, old, next, params, results, values })
}

function widening(...row: Parameters<Make>): SchemaRow {
  return make('S', 'C')(...row)
}

function narrowing(...row: Parameters<Make>): SchemaRow {
  return make('C', 'S')(...row)
}

function both(...row: Parameters<Make>): SchemaRow {
  return make('CS', 'CS')(...row)
}

function harmless(...row: Parameters<Make>): SchemaRow {
  return make('', '')(...row)
}

const components = { components: { schemas: { Text: string } } }

/** The rows of a schema row: the schemas in an optional parameter, and in a result. */
export function rowsOf(row: SchemaRow): readonly Row[] {
  const { change, kind, values = [], sends, newSends, reads } = row
  const asParam = (schema: JsonValue) => ({ ...components, methods: [methodOf([{ name: 'p', schema }])] })
  const asResult = (schema: JsonValue) => ({ ...components, methods: [methodOf([], schema)] })
  return [
    {
      ...{ change, kind, values, place: 'parameters', breaks: row.params },
      old: asParam(row.old),
      next: asParam(row.next),
      ...(sends !== undefined && { clientCode: sends }),
      ...(newSends !== undefined && { newClientCode: newSends }),
    },
    {
      ...{ change, kind, values, place: 'results', breaks: row.results },
      old: asResult(row.old),
      next: asResult(row.next),
      ...(reads !== undefined && { clientCode: reads }),
    },
  ]
}

const parts = (...methods: readonly JsonValue[]): Parts => ({ methods })
const m = (params: readonly JsonObject[] = [], more: JsonObject = {}) => methodOf(params, string, more)
const p = (name: string, required = false): JsonObject => ({ name, required, schema: string })
const q = (name: string): JsonObject => ({ name, schema: { type: 'integer' } })
const named = { paramStructure: 'by-name' }
const either = { paramStructure: 'either' }
const notification = { name: 'm', paramStructure: 'by-position', params: [] }
const error = (code: number, message: string) => ({ code, message })
const withErrors = (...errors: readonly JsonObject[]) => parts(m([], { errors }))
const shared = (code: number): Parts => ({
  ...parts(m([], { errors: [{ $ref: '#/components/errors/Full' }] })),
  components: { errors: { Full: error(code, 'Full') } },
})
const withSchemas = (schemas: JsonObject): Parts => ({ ...parts(m()), components: { schemas } })
const pet = (name: string): Parts => ({
  ...parts(methodOf([], { $ref: `#/components/schemas/${name}` })),
  components: { schemas: { [name]: object(a, ['a']) } },
})
const at = (...paths: readonly string[]): Parts => ({
  ...parts(m()),
  servers: paths.map((path) => ({
    name: path === '/v2' ? 'main' : path.slice(1),
    url: `http://127.0.0.1${path}`,
  })),
})

/** Changes of methods, errors and the document. */
export const methodRows: readonly Row[] = [
  row('S', 'method-added', 'A method is added', parts(m()), parts(m(), { ...m(), name: 'more' })),
  row('CS', 'method-removed', 'A method is removed', parts(m(), { ...m(), name: 'more' }), parts(m())),
  row('', 'method-deprecated', 'A method is deprecated', parts(m()), parts(m([], { deprecated: true }))),
  row(
    '',
    'method-restored',
    'A method is no longer deprecated',
    parts(m([], { deprecated: true })),
    parts(m()),
  ),
  row('S', 'param-added', 'An optional parameter is added', parts(m()), parts(m([p('x')]))),
  row('CS', 'param-added', 'A required parameter is added', parts(m()), parts(m([p('x', true)]))),
  row(
    'CS',
    'param-removed',
    'An optional parameter is removed',
    parts(m([p('w', true), p('x')])),
    parts(m([p('w', true)])),
  ),
  row('CS', 'param-removed', 'A required parameter is removed', parts(m([p('x', true)])), parts(m())),
  row('C', 'param-required', 'A parameter becomes required', parts(m([p('x')])), parts(m([p('x', true)]))),
  row('S', 'param-optional', 'A parameter becomes optional', parts(m([p('x', true)])), parts(m([p('x')]))),
  row(
    'CS',
    'param-moved',
    'A parameter by position is moved',
    parts(m([p('x'), q('y')])),
    parts(m([q('y'), p('x')])),
  ),
  row(
    '',
    'param-moved',
    'A parameter by name is moved',
    parts(m([p('x'), q('y')], named)),
    parts(m([q('y'), p('x')], named)),
  ),
  row('S', 'param-renamed', 'A parameter by position is renamed', parts(m([p('x')])), parts(m([p('y')]))),
  row(
    'CS',
    'param-removed',
    'A parameter by name is renamed',
    parts(m([p('x')], named)),
    parts(m([p('y')], named)),
  ),
  row(
    'CS',
    'param-structure-changed',
    'Parameters by position become parameters by name',
    parts(m([p('x')])),
    parts(m([p('x')], named)),
  ),
  row(
    'C',
    'param-structure-changed',
    'Parameters by position are no longer allowed',
    parts(m([p('x')], either)),
    parts(m([p('x')], named)),
  ),
  row(
    'S',
    'param-structure-changed',
    'Parameters by position become allowed, too',
    parts(m([p('x')], named)),
    parts(m([p('x')], either)),
  ),
  row('S', 'result-added', 'A notification becomes a call with a result', parts(notification), parts(m())),
  row('CS', 'result-removed', 'A call with a result becomes a notification', parts(m()), parts(notification)),
  row(
    '',
    'error-added',
    'An error is added',
    withErrors(error(1, 'Full')),
    withErrors(error(1, 'Full'), error(2, 'Late')),
  ),
  row(
    'S',
    'error-removed',
    'An error is removed',
    withErrors(error(1, 'Full'), error(2, 'Late')),
    withErrors(error(1, 'Full')),
  ),
  row('CS', 'error-code-changed', 'The code of a shared error changes', shared(1), shared(2)),
  row(
    '',
    'error-message-changed',
    'The message of an error changes',
    withErrors(error(1, 'Full')),
    withErrors(error(1, 'Full!')),
  ),
  row('', 'server-added', 'A server is added', at('/v1'), at('/v1', '/v3')),
  row('C', 'server-removed', 'A server is removed', at('/v1', '/v3'), at('/v1')),
  row('C', 'server-changed', 'The URL of a named server changes', at('/v2'), {
    ...at('/v2'),
    servers: [{ name: 'main', url: 'http://127.0.0.1/v9' }],
  }),
  row('', 'component-added', 'A component is added', withSchemas({}), withSchemas({ Pet: string })),
  row(
    '',
    'component-removed',
    'An unused component is removed',
    withSchemas({ Pet: string }),
    withSchemas({}),
  ),
  row('', 'component-renamed', 'A component is renamed', pet('Pet'), pet('Animal')),
  row(
    '',
    'component-changed',
    'A component that no method uses changes',
    { ...parts(m()), components: { errors: { E: error(1, 'a') } } },
    { ...parts(m()), components: { errors: { E: error(2, 'a') } } },
  ),
  row(
    '',
    'documentation-changed',
    'A text, example, link or tag changes',
    parts(m()),
    parts(m([], { summary: 'more' })),
  ),
]

function row(breaks: Letters, kind: string, change: string, old: Parts, next: Parts): Row {
  const place = /^(server|component|documentation)/.test(kind) ? 'document' : 'method'
  return { change, kind, place, old, next, breaks, values: [] }
}
