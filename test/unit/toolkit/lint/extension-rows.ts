import type { JsonObject, JsonValue } from '../../../../src/toolkit/contract/index.js'
import { documentOf, methodOf } from '../codegen/fixtures.js'
import { extension, good, methods, type Row, result } from './lint-documents.js'

/** A document with one declared extension, and methods with these members. */
const requiring = (declaration: JsonObject, ...methods: readonly JsonObject[]): JsonObject => ({
  ...documentOf({
    methods: methods.map((parts, at) => good({ name: `m${at}`, ...parts })),
  }),
  'x-extensions': [{ ...extension('x-mood', ['methodObject']), required: true, ...declaration }],
})

/** One method with the extension and one without it, and the end of the message. */
const missing = (name: string, schema: JsonValue, given: JsonValue, want: string): Row => [
  `a required extension is missing: ${name}`,
  requiring({ schema }, { 'x-mood': given }, {}),
  [`error missing-extension #/methods/1: m1 lacks x-mood. Add ${want}`],
]

/**
 * A method whose parameter and result have members, with an extension that refers to them.
 * @param info extensions of the info object
 */
const referring = (kind: string, value: JsonValue, info: JsonObject): JsonObject => ({
  ...documentOf({
    info: { title: 'T', version: '1', ...info },
    methods: [
      methodOf(
        [{ name: 'filter', schema: { $ref: '#/components/schemas/Filter' } }],
        { anyOf: [{ type: 'array', items: { $ref: '#/components/schemas/Item' } }, { type: 'null' }] },
        {
          errors: [{ $ref: '#/components/errors/gone' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: null } }],
          'x-about': value,
        },
      ),
    ],
    components: {
      schemas: {
        Filter: { anyOf: [{ type: 'string' }, { allOf: [{ properties: { 'a/b': { type: 'string' } } }] }] },
        Item: { type: 'object', properties: { id: {}, next: { $ref: '#/components/schemas/Item' } } },
      },
      errors: { gone: { code: 1, message: 'g' } },
    },
  }),
  'x-extensions': [
    { ...extension('x-about', ['methodObject']), schema: formOf(kind, value) },
    ...Object.keys(info).map((name) => extension(name, ['infoObject'])),
  ],
})

/**
 * The schema of a value that contains references: the value itself, its items, its member `at`, or its member names.
 */
function formOf(kind: string, value: JsonValue): JsonObject {
  const form = { 'x-refers-to': kind }
  if (Array.isArray(value)) return { anyOf: [{ type: 'array', items: form }, { type: 'string' }] }
  if (typeof value !== 'object') return form
  return {
    allOf: [Object.hasOwn(value ?? {}, 'at') ? { properties: { at: form } } : { propertyNames: form }],
  }
}

/** A method and its result schema with extensions, two of them declared for schemas. */
const ofSchemas = (schema: JsonObject, method: JsonObject): JsonObject => ({
  ...methods({ ...result({ type: 'string', ...schema }), ...method }),
  'x-extensions': [
    { ...extension('x-form', []), 'x-restricted': ['schemaObject'], schema: { enum: ['data', 'word'] } },
    ...(Object.hasOwn(schema, 'x-like')
      ? [{ ...extension('x-like', []), 'x-restricted': ['schemaObject'], schema: formOf('method', []) }]
      : []),
  ],
})

const right = (kind: string, value: JsonValue, info: JsonObject = {}): Row => [
  `an existing ${kind}: ${JSON.stringify(value)}`,
  referring(kind, value, info),
  [],
]
const wrong = (kind: string, value: JsonValue, want: string, info: JsonObject = {}): Row => [
  `a missing ${kind}: ${JSON.stringify(value)}`,
  referring(kind, value, info),
  [`error unknown-extension-target #/methods/0/x-about${want}`],
]

const networks = { 'x-networks': { test: { chainId: '0x1f' }, main: { chainId: '0x1e', title: 'M' } } }
const failures = {
  'x-failures': { slow: { httpStatus: 504, error: 'gone', message: 'Slow', charge: 1 } },
}

/** Documents with required extensions and with extensions that contain references. */
export const extensionRows: readonly Row[] = [
  [
    'a sentence in place of a rule',
    documentOf({ methods: [good({ 'x-beyond-schemas': ['The end is after the start.'] })] }),
    [],
  ],
  ['a required extension on every method', requiring({}, { 'x-mood': 1 }, { 'x-mood': 2 }), []],
  missing('no form', {}, 1, '"x-mood": its form is at #/x-extensions/0/schema.'),
  missing('enum', { enum: ['read', 'write'] }, 'read', '"x-mood": "read" or "x-mood": "write".'),
  missing('const', { const: 'never' }, 'never', '"x-mood": "never".'),
  missing('default', { type: 'string', default: 'head' }, 'a', '"x-mood": "head".'),
  missing('boolean', { type: 'boolean' }, true, '"x-mood": true or "x-mood": false.'),
  missing('number', { type: 'integer', minimum: 1 }, 1, '"x-mood": 1.'),
  missing('any number', { type: 'integer' }, 1, '"x-mood": 0.'),
  missing('list', { type: 'array' }, [], '"x-mood": [].'),
  missing('filled list', { type: 'array', minItems: 1 }, [1], '"x-mood": its form is at #/x-ext'),
  missing('examples', { type: 'array', examples: [[], ['/a']] }, [], '"x-mood": [] or "x-mood": ["/a"].'),
  missing(
    'alternatives',
    { anyOf: [{ enum: ['node'] }, { const: 0 }] },
    0,
    '"x-mood": "node" or "x-mood": 0.',
  ),
  missing(
    'five values',
    { enum: [1, 2, 3, 4, 5] },
    1,
    '"x-mood": 1 or "x-mood": 2 or "x-mood": 3 or "x-mood": 4, …',
  ),
  [
    'a required extension with a summary',
    requiring({ summary: 'What a call feels.', schema: { const: 1 } }, { 'x-mood': 1 }, {}),
    ['error missing-extension #/methods/1: m1 lacks x-mood (what a call feels). Add "x-mood": 1.'],
  ],
  [
    'a required extension of the info object',
    requiring({ restricted: ['infoObject'], schema: { const: 1 } }),
    [
      'error missing-extension #/info: the info object lacks x-mood. Add "x-mood": 1.',
      'warning unused-extension #/x-extensions/0',
    ],
  ],
  ['a valid extension that is declared for schemas', ofSchemas({ 'x-form': 'data' }, {}), []],
  [
    'invalid or undeclared extensions of schemas',
    ofSchemas({ 'x-form': 'date', 'x-from': 1 }, {}),
    [
      'error meta-schema #/methods/0/result/schema/x-form: must be one of data, word',
      'warning undeclared-extension #/methods/0/result/schema/x-from: "x-from" is not declared',
    ],
  ],
  [
    'an extension for schemas on a method, and one on a schema with references',
    ofSchemas({ 'x-form': 'data', 'x-like': ['m', 'n'] }, { 'x-form': 'data' }),
    [
      'error unknown-extension-target #/methods/0/result/schema/x-like/1: unknown method "n"',
      'warning misplaced-extension #/methods/0/x-form: "x-form" is declared for schemaObject, not for methodObject',
    ],
  ],
  [
    'another kind of object instead of schemas',
    {
      ...methods(good({ 'x-mood': 1 })),
      'x-extensions': [{ ...extension('x-mood', []), 'x-restricted': ['methodObject'] }],
    },
    ['error meta-schema #/x-extensions/0/x-restricted: must be ["schemaObject"]'],
  ],
  right('parameter', ['filter']),
  wrong('parameter', { at: 'filters' }, '/at: the method "m" has no parameter "filters": correct the name'),
  right('parameter-pointer', ['/filter', '/filter/a~1b']),
  wrong(
    'parameter-pointer',
    ['/filter/a'],
    '/0: "/filter/a" does not exist in the parameters of "m": correct the path',
  ),
  wrong('parameter-pointer', { at: '/filters' }, '/at: "/filters" does not exist'),
  wrong('parameter-pointer', 'filter', ': "filter" does not exist'),
  wrong('parameter-pointer', '', ': "" does not exist'),
  right('result-pointer', ['', '/0/id', '/*/next/next/id']),
  wrong('result-pointer', ['/id'], '/0: "/id" does not exist in the result of "m": correct the path'),
  right('result-member', 'next'),
  wrong('result-member', 'size', ': "size" does not exist in the result of "m": correct the path'),
  right('method', 'm'),
  wrong('method', { n: 1 }, '/n: unknown method "n": correct the name'),
  right('schema', ['Item', 'Filter']),
  wrong('schema', ['Items'], '/0: unknown schema "Items": correct the name'),
  right('error', 'gone'),
  wrong('error', 'went', ': unknown error "went": correct the name'),
  right('network', 'test', networks),
  wrong('network', 'toast', ': unknown network "toast"', networks),
  right('network-member', 'chainId', networks),
  wrong('network-member', 'title', ': unknown network member "title"', networks),
  right('failure', 'slow', failures),
  wrong('failure', 'slow', ': unknown failure "slow"'),
  right('limit', 'size', { 'x-limits': { size: 1 } }),
  wrong('limit', 'size', ': unknown limit "size"'),
  wrong('rule', ['a.b'], '/0: unknown rule "a.b"'),
  right('json-schema', { at: { items: { $ref: '#/components/schemas/Item' } } }),
  wrong('json-schema', { at: { items: { $ref: '#/nowhere' } } }, '/at/items: "#/nowhere" does not exist'),
  [
    'an unknown kind of reference',
    referring('paramter', 'filter', {}),
    [
      'error meta-schema #/x-extensions/0/schema/x-refers-to: "paramter" is not a valid reference target: use parameter, ',
    ],
  ],
]
