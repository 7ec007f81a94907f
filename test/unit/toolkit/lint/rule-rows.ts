import { documentOf, methodOf } from '../codegen/fixtures.js'
import { both, components, extension, good, methods, param, type Row, result } from './lint-documents.js'

/** Documents that cannot be read, or with mistakes in methods, names, examples and links. */
export const ruleRows: readonly Row[] = [
  ['a flawless contract', methods(good()), []],
  ['no JSON', '{"openrpc": ', ['error not-readable : is not valid JSON: ']],
  [
    'the meta-schema',
    documentOf({ extra: 1 }),
    ['error meta-schema #/extra: unknown member "extra": correct its name or remove it'],
  ],
  [
    'a violation of the meta-schema hides no other finding',
    components(
      { schemas: { Unused: {} } },
      result({ $ref: '#/components/schemas/Gone' }),
      good({
        summary: 5,
        errors: [],
        examples: [{ name: 'e', params: [], result: { name: 'r', value: 'x' } }],
      }),
      good({ name: 'n', params: [5, param('a', true, { type: 'integr' }), param('a', true)], errors: [] }),
      {},
      {},
    ),
    [
      'error dangling-reference #/methods/0/result/schema: "#/components/schemas/Gone" does not exist',
      'error duplicate-method-name #/methods/1: the method "m" is already declared at #/methods/0',
      'error example-missing-parameter #/methods/1/examples/0: has no value for the required parameter "a"',
      'error example-violates-schema #/methods/1/examples/0/result/value: "x" must be an integer',
      'error meta-schema #/methods/1/summary: must be a string, not 5',
      'error meta-schema #/methods/2/params/0: must be an object, not 5',
      'error meta-schema #/methods/2/params/1/schema/type: must be one of array, boolean',
      'error duplicate-parameter-name #/methods/2/params/2: the parameter "a" is already declared',
      ...[3, 4].flatMap((at) => [
        `error meta-schema #/methods/${at}: the member "name" is missing`,
        `error meta-schema #/methods/${at}: the member "params" is missing`,
        `warning method-without-example #/methods/${at}: has no example`,
      ]),
      'warning unused-component #/components/schemas/Unused: is not used',
    ],
  ],
  [
    'an invalid schema of another file',
    methods(
      result({ $ref: 'other.json#/Text' }),
      good({ name: 'n', params: [{ $ref: 'other.json#/Param' }] }),
    ),
    [
      'error meta-schema other.json#/Text/type: "type" must be "null", "boolean"',
      'error meta-schema other.json#/Param/schema/type: "type" must be "null", "boolean"',
    ],
    {
      'other.json':
        '{"Text":{"type":"text"},"Param":{"name":"a","required":true,"schema":{"type":"whole","default":1}}}',
    },
  ],
  [
    'an unknown version, and declarations that cannot be applied',
    {
      ...methods(good({ 'x-note': 1, summary: 5, errors: [] }), good()),
      openrpc: '2.0.0',
      'x-extensions': [{ ...extension('x-note', ['methodObject']), schema: { $ref: '#/nowhere' } }],
    },
    [
      'error meta-schema #/openrpc: unknown OpenRPC version "2.0.0"',
      'error meta-schema #/methods/0/summary: must be a string, not 5',
      'error duplicate-method-name #/methods/1: the method "m" is already declared at #/methods/0',
      'error meta-schema #/x-extensions/0/schema/$ref: "#/nowhere" cannot be resolved from an extension schema',
    ],
  ],
  [
    'a document of another kind',
    { openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} },
    [
      'error meta-schema #: not an OpenRPC document: the member "openrpc" with the version is missing. This looks like an "openapi"',
    ],
  ],
  [
    'a dangling reference',
    components(
      { schemas: { A: { $ref: '#/components/schemas/B' } } },
      result({ $ref: '#/components/schemas/A' }),
    ),
    ['error dangling-reference #/components/schemas/A: "#/components/schemas/B" does not exist'],
  ],
  [
    'a circular schema',
    components(
      { schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
      result({ $ref: '#/components/schemas/A' }),
    ),
    [
      'error endless-reference #/components/schemas/A: refers to itself without a member or an item in between',
      'error endless-reference #/components/schemas/A/allOf/0: refers to itself',
    ],
  ],
  [
    'a union that contains itself',
    components(
      {
        schemas: {
          A: {
            anyOf: [{ type: 'string' }, { anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }],
          },
        },
      },
      result({ $ref: '#/components/schemas/A' }),
    ),
    [
      'error endless-reference #/components/schemas/A/anyOf/1/anyOf/0: leads back to the union that it is an alternative of, and adds no value: remove this alternative',
    ],
  ],
  [
    'two methods',
    methods(good(), good()),
    ['error duplicate-method-name #/methods/1: the method "m" is already declared at #/methods/0'],
  ],
  [
    'two parameters',
    methods(good({ params: [param('a', true, { type: 'integer' }), param('a', true)] })),
    [
      'error duplicate-parameter-name #/methods/0/params/1: the parameter "a" is already declared at #/methods/0/params/0',
    ],
  ],
  [
    'two errors with one name',
    components(
      { errors: { m_1: { code: 1, message: 'One' } } },
      good({ errors: [{ code: 1, message: '1' }] }),
    ),
    [
      'error duplicate-error-name #/methods/0/errors/0: the name "m_1" is already used at #/components/errors/m_1',
      'warning unused-component #/components/errors/m_1: is not used',
    ],
  ],
  [
    'an invalid pattern',
    methods(result({ $ref: 'other.json#/Text' })),
    ['error invalid-pattern other.json#/Text: "(" is not a valid regular expression'],
    { 'other.json': '{"Text":{"pattern":"("}}' },
  ],
  [
    'an id',
    methods(result({ $id: 'x', items: { $ref: '#/methods/0/result/schema' } })),
    ['error ambiguous-id #/methods/0/result/schema: "$id" changes'],
  ],
  [
    'colliding names',
    components(
      { schemas: { 'a b': {}, 'a-b': {} } },
      result({
        properties: { x: { $ref: '#/components/schemas/a%20b' }, y: { $ref: '#/components/schemas/a-b' } },
      }),
    ),
    [
      'error not-generated #/components/schemas/a-b: would get the type name "a_b", which #/components/schemas/a b already has: rename one of them, or give one a name in generate.names of the project’s settings',
    ],
  ],
  [
    'colliding names of components with a warning of their own',
    components({ schemas: { 'a b': {}, 'a-b': {} } }),
    [
      'warning unused-component #/components/schemas/a b',
      'warning unused-component #/components/schemas/a-b',
      'error not-generated #/components/schemas/a-b: would get the type name "a_b"',
    ],
  ],
  [
    'the reserved method of OpenRPC',
    methods(
      good({
        name: 'rpc.discover',
        params: [],
        examples: [{ name: 'e', params: [], result: { name: 'r', value: 1 } }],
      }),
    ),
    [],
  ],
  ['a method without errors', methods(good({ errors: [] })), []],
  [
    'a reserved name',
    methods(good({ name: 'rpc.x' })),
    ['error reserved-method-name #/methods/0/name: "rpc.x" begins with "rpc.", which JSON-RPC reserves'],
  ],
  [
    'a required parameter after an optional one',
    methods(good({ params: [param('a', false, { type: 'integer' }), param('b', true)], examples: [both] })),
    [
      'error required-after-optional #/methods/0/params/1: "b" is required but follows optional "a": move it to the front',
    ],
  ],
  [
    'by name any order is valid',
    methods(
      good({
        paramStructure: 'by-name',
        params: [param('a', false, { type: 'integer' }), param('b', true)],
        examples: [both],
      }),
    ),
    [],
  ],
  [
    'a duplicate error code',
    methods(
      good({
        errors: [
          { code: 1, message: 'One' },
          { code: 1, message: 'Other' },
        ],
      }),
    ),
    ['error duplicate-error-code #/methods/0/errors/1: the code 1 is already used at #/methods/0/errors/0'],
  ],
  [
    'a reserved code',
    methods(good({ errors: [{ code: -32500, message: 'x' }] })),
    ['error reserved-error-code #/methods/0/errors/0/code: -32500 is reserved by JSON-RPC'],
  ],
  [
    'codes of JSON-RPC and of servers',
    methods(
      good({
        errors: [-32700, -32600, -32603, -32099, -32000, -31999, -32769].map((code) => ({
          code,
          message: 'x',
        })),
      }),
    ),
    [],
  ],
  [
    'no example',
    methods(good({ examples: [] })),
    ['warning method-without-example #/methods/0: has no example'],
  ],
  [
    'no errors',
    JSON.stringify(methods({ ...good(), errors: undefined })),
    ['warning method-without-errors #/methods/0: has no "errors"'],
  ],
  [
    'an example with an invalid parameter',
    methods(
      good({
        examples: [{ name: 'e', params: [{ name: 'a', value: '1' }], result: { name: 'r', value: 2 } }],
      }),
    ),
    [
      'error example-violates-schema #/methods/0/examples/0/params/0/value: "1" must be an integer: correct the value or the schema',
    ],
  ],
  [
    'an example with an invalid nested result',
    methods(
      methodOf(
        [],
        { type: 'object', properties: { gasUsed: { pattern: '^0x(0|[1-9a-f])' } } },
        {
          errors: [{ code: 1, message: 'x' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: { gasUsed: '0x00' } } }],
        },
      ),
    ),
    [],
  ],
  [
    'an example of a value that violates a pattern',
    methods(
      methodOf(
        [],
        { type: 'object', properties: { gasUsed: { pattern: '^0x(0|[1-9a-f][0-9a-f]*)$' } } },
        {
          errors: [{ code: 1, message: 'x' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: { gasUsed: '0x00' } } }],
        },
      ),
    ),
    [
      'error example-violates-schema #/methods/0/examples/0/result/value/gasUsed: "0x00" does not match the pattern',
    ],
  ],
  [
    'an example of an undeclared error',
    methods(good({ examples: [{ name: 'e', params: [], error: { code: 2, message: 'x' } }] })),
    ['error example-violates-schema #/methods/0/examples/0/error: the method declares no error with code 2'],
  ],
  [
    'an example with a surplus parameter',
    methods(
      good({
        examples: [
          {
            name: 'e',
            params: [
              { name: 'a', value: 1 },
              { name: 'b', value: 1 },
            ],
            result: { name: 'r', value: 1 },
          },
        ],
      }),
    ),
    [
      'error example-unknown-parameter #/methods/0/examples/0/params/1/value: "b" is a surplus value: the method "m" takes 1 parameter',
    ],
  ],
  [
    'an example with another name, by name',
    methods(
      good({
        paramStructure: 'by-name',
        examples: [{ name: 'e', params: [{ name: 'b', value: 1 }], result: { name: 'r', value: 1 } }],
      }),
    ),
    [
      'error example-missing-parameter #/methods/0/examples/0: has no value for the required parameter "a"',
      'error example-unknown-parameter #/methods/0/examples/0/params/0/value: the method "m" has no parameter "b": it has a',
    ],
  ],
  [
    'an example with names of its own, by position',
    methods(
      good({
        examples: [{ name: 'e', params: [{ name: 'one', value: 1 }], result: { name: 'r', value: 1 } }],
      }),
    ),
    [],
  ],
  [
    'an invalid default',
    methods(good({ params: [param('a', false, { type: 'integer', default: 'x' })] })),
    [
      'error default-violates-schema #/methods/0/params/0/schema: the default "x" violates the schema: it must be an integer',
    ],
  ],
  [
    'a link to an unknown method',
    methods(good({ links: [{ name: 'l', method: 'gone' }] })),
    ['error link-unknown-method #/methods/0/links/0/method: the contract has no method "gone"'],
  ],
  [
    'a link to an unknown parameter',
    methods(good({ links: [{ name: 'l', method: 'm', params: { a: '$result', z: 1 } }] })),
    ['error link-unknown-parameter #/methods/0/links/0/params/z: "m" has no parameter "z"'],
  ],
  [
    'an unknown kind of component',
    components({ 'x-mine': {}, things: {} }),
    ['warning unknown-components-member #/components/things: unknown kind of component "things"'],
  ],
]
