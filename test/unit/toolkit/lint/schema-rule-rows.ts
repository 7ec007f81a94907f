import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { methodOf } from '../codegen/fixtures.js'
import {
  components,
  extension,
  good,
  methods,
  param,
  type Row,
  result,
  rules,
  withInfo,
} from './lint-documents.js'

const newest = 'https://json-schema.org/draft/2020-12/schema'
const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })
const recursive = (key: string, parts: JsonObject): JsonObject => ({
  type: 'object',
  required: ['next'],
  properties: { next: ref(key) },
  ...parts,
})

/** Documents with mistakes in components, schemas and extensions. */
export const schemaRuleRows: readonly Row[] = [
  [
    'components that only use each other',
    components({
      schemas: {
        A: { items: { $ref: '#/components/schemas/B' } },
        B: { items: { $ref: '#/components/schemas/A' } },
      },
    }),
    [
      'warning unused-component #/components/schemas/A: is not used',
      'warning unused-component #/components/schemas/B: is not used',
    ],
  ],
  [
    'a misspelt keyword',
    methods(result({ type: 'string', minLenght: 1 })),
    ['warning unknown-keyword #/methods/0/result/schema/minLenght: "minLenght" is not a JSON Schema keyword'],
  ],
  [
    'a keyword of a later draft',
    methods(result({ prefixItems: [] })),
    [
      'warning unknown-keyword #/methods/0/result/schema/prefixItems: "prefixItems" has no effect, because JSON Schema draft-07 does not know it: write the tuple as a list under "items", or add "$schema": "https://json-schema.org/draft/2020-12/schema"',
    ],
  ],
  [
    'a tuple of 2020-12 beside items in draft-07, and in 2020-12',
    methods(
      result({
        anyOf: [
          { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
          { $schema: newest, type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
        ],
      }),
    ),
    [
      'error ignored-tuple #/methods/0/result/schema/anyOf/0/prefixItems: "prefixItems" has no effect in draft-07, so "items" applies to every item: add "$schema": "https://json-schema.org/draft/2020-12/schema", or write the tuple under "items" and the other items under "additionalItems"',
    ],
  ],
  [
    'dialects without support',
    components(
      {
        schemas: {
          A: { $schema: 'http://json-schema.org/draft-04/schema#', properties: { a: {}, b: {} } },
          B: { $schema: 'https://json-schema.org/draft/2019-09/schema' },
          C: { $schema: 'http://json-schema.org/draft-07/schema' },
          D: { $schema: newest },
        },
      },
      result({
        items: [ref('A'), ref('B'), ref('C'), ref('D'), { $ref: 'parts.json#/A' }, { $ref: 'parts.json#/B' }],
      }),
    ),
    [
      'error dialect #/components/schemas/A/$schema: the dialect "http://json-schema.org/draft-04/schema#" is not supported: use "http://json-schema.org/draft-07/schema#" or "https://json-schema.org/draft/2020-12/schema"',
      'error dialect #/components/schemas/B/$schema: the dialect "https://json-schema.org/draft/2019-09/schema" is not supported',
      'error dialect parts.json#/A: the dialect "urn:mine" is not supported',
    ],
    { 'parts.json': '{"$schema":"urn:mine","A":{"type":"string"},"B":{"type":"string"}}' },
  ],
  [
    'keywords without support in 2020-12',
    methods(
      result({
        $schema: newest,
        allOf: [
          { type: 'array', items: [{ type: 'string' }], additionalItems: false },
          { prefixItems: [] },
          { dependencies: { a: ['b'] }, $dynamicRef: '#a' },
          { unevaluatedItems: false, anyOf: [{ contains: { type: 'string' } }] },
        ],
      }),
    ),
    [
      'error dialect #/methods/0/result/schema/allOf/0/items: "items" is one schema in 2020-12: write the list as "prefixItems"',
      'error dialect #/methods/0/result/schema/allOf/0/additionalItems: "additionalItems" is not supported in 2020-12: write the schema of further items as "items"',
      'error dialect #/methods/0/result/schema/allOf/1/prefixItems: "prefixItems" must be a list of at least one schema',
      'error dialect #/methods/0/result/schema/allOf/2/dependencies: "dependencies" is not supported in 2020-12: use "dependentRequired" or "dependentSchemas"',
      'error dialect #/methods/0/result/schema/allOf/2/$dynamicRef: "$dynamicRef" is not supported in 2020-12: use "$ref"',
      'error dialect #/methods/0/result/schema/allOf/3/unevaluatedItems: "unevaluatedItems" is not supported beside "contains": use "items"',
    ],
  ],
  [
    'unevaluated items beside items that a list contains, in both dialects',
    methods(result({ type: 'array', contains: { type: 'object' }, unevaluatedItems: { required: ['z'] } })),
    [
      'error dialect #/methods/0/result/schema/unevaluatedItems: "unevaluatedItems" is not supported beside "contains": use "items"',
    ],
  ],
  [
    'required members that a closed object does not declare',
    methods(
      result({
        type: 'object',
        properties: { a: {} },
        patternProperties: { '^x-': {} },
        required: ['a', 'x-b', 'c'],
        additionalProperties: false,
      }),
    ),
    [
      'error undeclared-required-member #/methods/0/result/schema/required/2: "c" is required, but the object is closed and does not declare it: add it to "properties", or remove it here',
    ],
  ],
  [
    'schemas whose values never end, and those whose values can end',
    components(
      {
        schemas: {
          Node: recursive('Node', {}),
          A: recursive('B', {}),
          B: { allOf: [recursive('A', {})] },
          List: { type: 'array', items: ref('List'), minItems: 1 },
          Pair: { type: 'array', items: [{}, ref('Pair')], minItems: 2 },
          Map: { type: 'object', required: ['a'], additionalProperties: ref('Map') },
          Optional: { ...recursive('Optional', {}), required: [] },
          Nullable: recursive('Nullable', { nullable: true }),
          Choice: { anyOf: [recursive('Choice', {}), { type: 'null' }] },
          Untyped: { required: ['next'], properties: { next: ref('Untyped') } },
          Empty: { type: 'array', items: ref('Empty') },
          Short: { type: 'array', items: [{}, ref('Short')], minItems: 1 },
          Listed: { ...recursive('Listed', {}), enum: [1] },
        },
      },
      result({
        items: [
          'Node',
          'A',
          'List',
          'Pair',
          'Map',
          'Optional',
          'Nullable',
          'Choice',
          'Untyped',
          'Empty',
          'Short',
          'Listed',
        ].map(ref),
      }),
    ),
    ['Node', 'A', 'B', 'List', 'Pair', 'Map'].map(
      (key) =>
        `error endless-value #/components/schemas/${key}: each value contains another value of this schema, without end: make a member optional, or allow null or an empty list`,
    ),
  ],
  [
    'a parameter and a result without a value',
    methods({
      ...result({ type: 'string', minLength: 3, maxLength: 2 }),
      params: [param('a', true, { allOf: [{ type: 'integer' }, { enum: ['b'] }] })],
      examples: [],
    }),
    [
      'warning method-without-example #/methods/0: has no example',
      'warning no-value #/methods/0/params/0/schema: no value was found for the parameter "a" of "m": correct keywords that contradict each other, or add "examples"',
      'warning no-value #/methods/0/result/schema: no value was found for the result of "m"',
    ],
  ],
  [
    'a pattern with exponential backtracking',
    methods(result({ pattern: '^(a+)+$' })),
    ['warning unsafe-pattern #/methods/0/result/schema/pattern: "^(a+)+$" is very slow for some values'],
  ],
  [
    'an unsafe pattern of ids',
    withInfo({ 'x-envelope': { idPattern: '^([0-9]+)+$' } }, good()),
    ['warning unsafe-pattern #/info/x-envelope/idPattern: "^([0-9]+)+$" is very slow for some ids'],
  ],
  [
    'an example on which RegExp would not end',
    methods({
      ...result({ pattern: '^(?:(?:[a-z ]+)+)+!$' }),
      examples: [{ name: 'slow', params: [], result: { name: 'r', value: 'a'.repeat(60) } }],
    }),
    [
      'warning unsafe-pattern #/methods/0/result/schema/pattern: "^(?:(?:[a-z ]+)+)+!$" is very slow for some values',
      'error example-violates-schema #/methods/0/examples/0/result/value',
    ],
  ],
  [
    'a slow pattern with backreferences',
    methods(result({ type: 'string', pattern: '^(a+)+\\1$', examples: ['aa'] })),
    [
      'error not-generated #/methods/0/result/schema: has a pattern that is very slow for some values and has backreferences',
      'warning unsafe-pattern #/methods/0/result/schema/pattern',
    ],
  ],
  [
    'a pattern that no string can be generated for',
    methods(result({ type: 'string', pattern: '^(a+)-\\1$', maxLength: 9 })),
    [
      'warning pattern-without-examples #/methods/0/result/schema/pattern: no string can be generated for "^(a+)-\\\\1$": add "examples" with values that match it',
    ],
  ],
  [
    'a pattern that no string can be generated for, with an example',
    methods(result({ type: 'string', pattern: '^(a+)-\\1$', examples: ['aa-aa'] })),
    [],
  ],
  [
    'an example without a required parameter',
    methods(good({ examples: [{ name: 'e', params: [], result: { name: 'r', value: 2 } }] })),
    ['error example-missing-parameter #/methods/0/examples/0: has no value for the required parameter "a"'],
  ],
  [
    'a format that is not validated',
    methods(
      result({ anyOf: [{ type: 'integer', format: 'int32' }, { format: 'uuid' }, { format: 'toString' }] }),
    ),
    [
      'warning unknown-format #/methods/0/result/schema/anyOf/0/format: "int32" is not validated: use other keywords',
      'warning unknown-format #/methods/0/result/schema/anyOf/2/format: "toString" is not validated',
    ],
  ],
  [
    'an example that violates a format',
    methods(
      methodOf(
        [],
        { format: 'date' },
        {
          errors: [{ code: 1, message: 'x' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: '2023-02-29' } }],
        },
      ),
    ),
    [
      'error example-violates-schema #/methods/0/examples/0/result/value: "2023-02-29" must match format "date"',
    ],
  ],
  [
    'an undeclared extension',
    {
      ...methods(good({ 'x-other': 1, 'x-mine': 1 })),
      'x-extensions': [
        {
          openrpcExtension: '0.0.0-development',
          name: 'x-mine',
          version: '1',
          restricted: ['methodObject'],
          schema: {},
          summary: 's',
          description: 'd',
        },
      ],
    },
    ['warning undeclared-extension #/methods/0/x-other: "x-other" is not declared in "x-extensions"'],
  ],
  [
    'a duplicate rule',
    withInfo({ 'x-rules': rules('a.b', 'a.b') }, good({ 'x-rules': ['a.b'] })),
    ['error duplicate-rule #/info/x-rules/1: the rule "a.b" is already declared at #/info/x-rules/0'],
  ],
  [
    'ambiguous networks',
    withInfo(
      {
        'x-networks': {
          a: { chainId: '0x1', netVersion: '1', keySuffix: 'A' },
          b: { chainId: '0x1', netVersion: '2', keySuffix: 'B' },
          c: { chainId: '0x3', netVersion: '1', keySuffix: 'B' },
          d: { title: 'without any of them' },
          e: { title: 'without any of them' },
        },
      },
      good(),
    ),
    [
      'error duplicate-network #/info/x-networks/b/chainId: the network "a" has the same chainId "0x1"',
      'error duplicate-network #/info/x-networks/c/netVersion: the network "a" has the same netVersion "1"',
      'error duplicate-network #/info/x-networks/c/keySuffix: the network "b" has the same keySuffix "B"',
    ],
  ],
  [
    'undeclared rules',
    withInfo(
      { 'x-rules': rules('a.b'), 'x-derived-rules': [{ rule: 'a.d' }] },
      good({ 'x-rules': ['a.e', 'a.b'] }),
    ),
    [
      'error unknown-extension-target #/info/x-derived-rules/0/rule: unknown rule "a.d"',
      'error unknown-extension-target #/methods/0/x-rules/0: unknown rule "a.e"',
    ],
  ],
  [
    'a method rule that no method lists',
    withInfo(
      { 'x-rules': [{ id: 'a.b', text: 'x', scope: 'method' }, ...rules('a.c')] },
      good({ 'x-rules': ['a.c'] }),
    ),
    ['warning unused-rule #/info/x-rules/0: no method lists the rule "a.b"'],
  ],
  [
    'a method without rules',
    withInfo({ 'x-rules': rules('a.b') }, good()),
    ['warning method-without-rule #/methods/0: lists no rule'],
  ],
  [
    'a lookup without a rule about null',
    withInfo({ 'x-rules': rules('a.b') }, good({ 'x-lookup': true, 'x-rules': ['a.b'] })),
    ['warning method-without-null-rule #/methods/0: may return null, but no rule says when'],
  ],
  ['a lookup of a contract without rules', withInfo({}, good({ 'x-lookup': true })), []],
  [
    'a failure with an unknown error',
    withInfo({ 'x-failures': { gone: { error: 'nothing' } } }, good()),
    ['error unknown-extension-target #/info/x-failures/gone/error: unknown error "nothing"'],
  ],
  [
    'messages that the named programs do not recognise',
    withInfo(
      {
        'x-failures': {
          noExample: { messageSchema: { allOf: [{ title: 'curl', pattern: 'x' }] } },
          other: { message: 'no {method} (here)', example: 'no m' },
          bad: {
            message: 'no {method}',
            example: 'no m',
            messageSchema: {
              allOf: [
                { title: 'curl', pattern: '^No' },
                { title: 'wget', pattern: '(' },
              ],
            },
          },
        },
      },
      good(),
    ),
    [
      'error failure-message #/info/x-failures/noExample: has a messageSchema but no "example": add a message that matches it',
      'error failure-message #/info/x-failures/other/example: does not have the form of "message"',
      'error failure-message #/info/x-failures/bad/example: does not match the pattern of curl: ^No',
      'error failure-message #/info/x-failures/bad/example: does not match the pattern of wget: (',
    ],
  ],
  [
    'an example that is neither the object nor null',
    methods(
      methodOf(
        [],
        {
          anyOf: [
            {
              type: 'object',
              properties: { b: {}, a: { enum: ['x', 'y'] } },
              required: ['b'],
              additionalProperties: false,
            },
            { type: 'null' },
          ],
        },
        {
          errors: [{ code: 1, message: 'One' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: { a: 'z', c: 1 } } }],
        },
      ),
    ),
    [
      'error example-violates-schema #/methods/0/examples/0/result/value: {"a":"z","c":1} lacks the required member "b"',
      'error example-violates-schema #/methods/0/examples/0/result/value: {"a":"z","c":1} has the member "c", which the schema does not allow',
      'error example-violates-schema #/methods/0/examples/0/result/value/a: "z" must be one of "x", "y"',
    ],
  ],
  [
    'an example without a value for a parameter that every object inherits',
    methods(
      good({
        paramStructure: 'by-name',
        params: [param('constructor', false, { type: 'integer' })],
        examples: [{ name: 'e', params: [], result: { name: 'r', value: 2 } }],
      }),
    ),
    [
      'warning left-out #/methods/0/examples/0: the example is omitted: has no value for "constructor", which every JavaScript object inherits',
    ],
  ],
  [
    'a duplicate member',
    '{"openrpc":"1.3.2","info":{"title":"T","version":"1"},"methods":[7],"methods":[]}',
    ['error duplicate-member #: the member "methods" is already in this object'],
  ],
  [
    'significant digits that are lost',
    components({
      schemas: { A: { const: 9007199254740992, maximum: 1e25 } },
      'x-numbers': { a: 12, b: 0.1 },
    }),
    ['warning unused-component #/components/schemas/A'],
  ],
  [
    'a number that cannot be represented',
    '{"openrpc":"1.3.2","info":{"title":"T","version":"1","x-most":9007199254740993},"methods":[]}',
    [
      'warning imprecise-number #: 9007199254740993 is read as 9007199254740992: use a smaller number, or a string with a pattern',
    ],
  ],
  [
    'extensions on objects for which they are not declared',
    {
      ...withInfo({ 'x-mood': 'good' }, good({ 'x-mood': 'good' })),
      'x-extensions': [extension('x-mood', ['methodObject']), extension('x-taste', [])],
    },
    [
      'warning misplaced-extension #/info/x-mood: "x-mood" is declared for methodObject, not for infoObject',
      'warning unused-extension #/x-extensions/1: "x-taste" is not used: remove the declaration',
    ],
  ],
  [
    'an example of an error without its required data',
    {
      ...methods(
        ...Object.entries({
          missing: { data: undefined },
          present: { data: { until: 1 } },
          wrong: { data: {} },
          optional: { data: undefined, 'x-data-optional': true },
        }).map(([name, { data, ...optional }]) =>
          good({
            name,
            errors: [{ code: 7, message: 'Seven', 'x-data-schema': { required: ['until'] }, ...optional }],
            examples: [
              {
                name: 'e',
                params: [],
                error: {
                  name: 'e',
                  value: { code: 7, message: 'x', ...(data === undefined ? {} : { data }) },
                },
              },
            ],
          }),
        ),
      ),
      'x-extensions': ['x-data-schema', 'x-data-optional'].map((name) => extension(name, ['errorObject'])),
    },
    [
      'error example-violates-schema #/methods/0/examples/0/error: the error has no data, but the contract requires data for code 7',
      'error example-violates-schema #/methods/2/examples/0/error/value/data: the error\'s data lacks the required member "until"',
    ],
  ],
  [
    'an extension for schemas, which the meta-schema cannot express',
    { ...methods(good()), 'x-extensions': [extension('x-c', ['JSONSchema'])] },
    [
      'warning unused-extension #/x-extensions/0: "x-c" is not used',
      'error meta-schema #/x-extensions/0/restricted/0: "JSONSchema" cannot have extensions: use infoObject',
    ],
  ],
  [
    'undeclared extensions of servers and parameters',
    {
      ...methods(
        good({ 'x-mood': 1, params: [{ ...param('a', true, { type: 'integer', 'x-c': 1 }), 'x-b': 1 }] }),
      ),
      servers: [{ url: 'http://a', 'x-a': 1 }],
      'x-extensions': [extension('x-mood', ['methodObject'])],
    },
    ['warning undeclared-extension #/methods/0/params/0/x-b', 'warning undeclared-extension #/servers/0/x-a'],
  ],
  [
    'laws that are unknown, incomplete or about paths that do not exist',
    methods(
      good({
        'x-laws': [
          { law: 'sortd' },
          { law: 'sorted', list: '' },
          { law: 'sorted', list: '/items', by: ['a'] },
          { law: 'repeatable' },
        ],
      }),
    ),
    [
      'error law #/methods/0/x-laws/0/law: "sortd" is no law: did you mean "sorted"?',
      'error law #/methods/0/x-laws/1: the law "sorted" needs "by": add it',
      'error law #/methods/0/x-laws/2/list: "/items" does not exist in the result of "m": correct the path',
    ],
  ],
  [
    'laws that are no list, or at another place',
    withInfo({ 'x-laws': [] }, good({ 'x-laws': { law: 'repeatable' } })),
    [
      'warning extension-place #/info/x-laws: concordat reads "x-laws" at methods only',
      'warning extension-value #/methods/0/x-laws: concordat expects a list of laws',
    ],
  ],
  [
    'extension values of an unknown format',
    withInfo(
      { 'x-rules': [{ id: 'a.b', text: 't', level: 'maybe' }] },
      good({
        'x-effect': 'reed',
        'x-cost': 0,
        'x-batchable': 'yes',
        'x-volatile': ['number'],
        'x-rules': ['a.b'],
        examples: [
          { name: 'e', params: [{ name: 'a', value: 1 }], result: { name: 'r', value: 2 }, 'x-replay': 'no' },
        ],
      }),
    ),
    [
      'warning extension-value #/info/x-rules: concordat expects a list of {id, text',
      'warning extension-value #/methods/0/examples/0/x-replay',
      'warning extension-value #/methods/0/x-effect: concordat expects "read" or "write"',
      'warning extension-value #/methods/0/x-cost: concordat expects a positive integer',
      'warning extension-value #/methods/0/x-batchable',
      'warning extension-value #/methods/0/x-volatile: concordat expects a list of JSON pointers',
      'error unknown-extension-target #/methods/0/x-volatile/0: "number" does not exist in the result of "m"',
    ],
  ],
  [
    'extensions at places where nothing reads them, and mistyped names',
    {
      ...withInfo(
        { 'x-effect': 'read', 'x-ratelimit': 1 },
        good({ 'x-efect': 'read', 'x-limits': {}, 'x-mine': 1 }),
      ),
      'x-limits': { items: { value: 2 } },
    },
    [
      'warning extension-place #/info/x-effect: concordat reads "x-effect" at methods only',
      'warning extension-name #/methods/0/x-efect: "x-efect" is not known: is "x-effect" meant?',
      'warning extension-place #/methods/0/x-limits: concordat reads "x-limits" at "info" only',
      'warning extension-place #/x-limits: concordat reads "x-limits" at "info" only',
    ],
  ],
  [
    'a subscription whose methods do not exist',
    methods(good({ 'x-subscription': { notification: 'n', unsubscribe: 'u' }, 'x-direction': 'out' })),
    [
      'error unknown-extension-target #/methods/0/x-subscription/notification: unknown method "n"',
      'error unknown-extension-target #/methods/0/x-subscription/unsubscribe: unknown method "u"',
      'warning extension-value #/methods/0/x-direction: concordat expects "clientToServer" or "serverToClient" or "both"',
    ],
  ],
  [
    'a session with an unknown framing, and a method that does not exist',
    withInfo({ 'x-session': { framing: 'lines', open: [{ method: 'no' }] } }),
    [
      'warning extension-value #/info/x-session: concordat expects an object {framing: "newline" or "content-length", open: a list of {method, params}}',
      'error unknown-extension-target #/info/x-session/open/0/method: unknown method "no"',
    ],
  ],
  [
    'values of an extension that the document declares differently',
    {
      ...methods(good({ 'x-cost': { gas: 1 } })),
      'x-extensions': [extension('x-cost', ['methodObject'])],
    },
    [],
  ],
  [
    'volatile places',
    components(
      {
        schemas: {
          Node: {
            type: 'object',
            properties: {
              id: {},
              inner: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] },
            },
          },
        },
      },
      methodOf(
        [],
        { type: 'array', items: { $ref: '#/components/schemas/Node' } },
        {
          errors: [{ code: 1, message: 'x' }],
          examples: [{ name: 'e', params: [], result: { name: 'r', value: [] } }],
          'x-volatile': ['', '/0/inner/inner/id', '/0/name', '/name'],
        },
      ),
    ),
    [
      'error unknown-extension-target #/methods/0/x-volatile/2: "/0/name" does not exist in the result of "m": correct the path',
      'error unknown-extension-target #/methods/0/x-volatile/3: "/name" does not exist',
    ],
  ],
  [
    'methods, parameters and schemas that extensions name',
    withInfo(
      {
        'x-head': { method: 'gone' },
        'x-envelope': { response: { $ref: '#/components/schemas/Gone' } },
        'x-rules': rules('a.b'),
        'x-derived-rules': [{ rule: 'a.b', schemas: ['Gone'] }],
      },
      good({
        'x-rules': ['a.b'],
        'x-result-when': [
          { param: 'b', value: 1, schema: { items: { $ref: '#/components/schemas/Gone' } } },
          { param: 'a', value: 1, schema: {} },
        ],
      }),
    ),
    [
      'error unknown-extension-target #/info/x-head/method: unknown method "gone": correct the name',
      'error unknown-extension-target #/info/x-envelope/response: "#/components/schemas/Gone" does not exist',
      'error unknown-extension-target #/info/x-derived-rules/0/schemas/0: unknown schema "Gone"',
      'error unknown-extension-target #/methods/0/x-result-when/0/param: the method "m" has no parameter "b"',
      'error unknown-extension-target #/methods/0/x-result-when/0/schema/items: "#/components/schemas/Gone" does not exist',
    ],
  ],
  [
    'a head parameter that is not in the list of parameters',
    withInfo(
      { 'x-head': { method: 'm', params: ['newest'], moving: ['latest'] }, 'x-rules': rules('a.b') },
      good({ 'x-rules': ['a.b'] }),
    ),
    [
      'error unknown-extension-target #/info/x-head/moving: none of these names is in "params": add one, so that clients can request other blocks',
    ],
  ],
]
