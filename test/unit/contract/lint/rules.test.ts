import { join } from 'node:path'
import t from 'tap'
import { generate } from '../../../../src/codegen/index.js'
import { type JsonObject, type JsonValue, lintContract, lintRules } from '../../../../src/contract/index.js'
import { documentOf, inFolder, methodOf, tool, write } from '../../codegen/fixtures.js'

/** What lint says of a document and the files beside it, one line a problem. */
async function problems(document: JsonValue | string, files: Files = {}) {
  return inFolder(async (dir) => {
    const content = typeof document === 'string' ? document : JSON.stringify(document, null, 2)
    await write(dir, { path: 'openrpc.json', content })
    for (const [path, text] of Object.entries(files)) await write(dir, { path, content: text })
    const found = await lintContract(join(dir, 'openrpc.json'), {
      generate: ({ contract }) => generate(contract, tool).leftOut,
    })
    return found.map(({ rule, severity, pointer, message }) => `${severity} ${rule} ${pointer}: ${message}`)
  })
}

/** A method that no rule has anything to say of, with changes. */
function good(parts: JsonObject = {}): JsonObject {
  return methodOf(
    [{ name: 'a', required: true, schema: { type: 'integer' } }],
    { type: 'integer' },
    {
      errors: [{ code: 1, message: 'One' }],
      examples: [{ name: 'e', params: [{ name: 'a', value: 1 }], result: { name: 'r', value: 2 } }],
      ...parts,
    },
  )
}
const methods = (...all: readonly JsonObject[]) => documentOf({ methods: all })
const param = (name: string, required: boolean, schema: JsonValue = {}) => ({ name, required, schema })
const rules = (...ids: readonly string[]) => ids.map((id) => ({ id, text: 'It is so.', scope: 'service' }))
const withInfo = (info: JsonObject, ...all: readonly JsonObject[]) =>
  documentOf({ info: { title: 'T', version: '1', ...info }, methods: all })
const components = (parts: JsonObject, ...all: readonly JsonObject[]) =>
  documentOf({ methods: all.length > 0 ? all : [good()], components: parts })
const result = (schema: JsonValue) =>
  methodOf([], schema, {
    errors: [{ code: 1, message: 'x' }],
    examples: [{ name: 'e', params: [], error: { code: 1, message: 'x' } }],
  })

const extension = (name: string, restricted: readonly string[]) => ({
  openrpcExtension: '0.0.0-development',
  name,
  version: '1.0.0',
  restricted,
  schema: {},
})

/** An example with two parameters. */
const both = {
  name: 'e',
  params: [
    { name: 'a', value: 1 },
    { name: 'b', value: 2 },
  ],
  result: { name: 'r', value: 2 },
}

type Files = Readonly<Record<string, string>>
const rows: readonly [string, JsonValue | string, readonly string[], Files?][] = [
  ['a contract without a flaw', methods(good()), []],
  ['no JSON', '{"openrpc": ', ['error not-readable : is no JSON: ']],
  [
    'the meta-schema',
    documentOf({ extra: 1 }),
    ['error meta-schema #/extra: the member "extra" is not known here: correct its name, or remove it'],
  ],
  [
    'a dangling reference',
    components(
      { schemas: { A: { $ref: '#/components/schemas/B' } } },
      result({ $ref: '#/components/schemas/A' }),
    ),
    ['error dangling-reference #/components/schemas/A: "#/components/schemas/B" leads nowhere'],
  ],
  [
    'a schema that is its own',
    components(
      { schemas: { A: { allOf: [{ $ref: '#/components/schemas/A' }] } } },
      result({ $ref: '#/components/schemas/A' }),
    ),
    [
      'error endless-reference #/components/schemas/A: refers to itself without anything in between',
      'error endless-reference #/components/schemas/A/allOf/0: refers to itself',
    ],
  ],
  [
    'two methods',
    methods(good(), good()),
    [
      'error duplicate-method-name #/methods/1: the method "m" is also declared at #/methods/0',
      'error duplicate-error-name #/methods/1/errors/0: is called "m_1", as is #/methods/0/errors/0',
    ],
  ],
  [
    'two parameters',
    methods(good({ params: [param('a', true, { type: 'integer' }), param('a', true)] })),
    [
      'error duplicate-parameter-name #/methods/0/params/1: the parameter "a" is also declared at #/methods/0/params/0',
    ],
  ],
  [
    'two errors of one name',
    components({ errors: { m_1: { code: 1, message: 'One' } } }),
    [
      'error duplicate-error-name #/methods/0/errors/0: is called "m_1", as is #/components/errors/m_1',
      'warning unused-component #/components/errors/m_1: is not used',
    ],
  ],
  [
    'a later draft',
    methods(result({ prefixItems: [] })),
    [
      'error unsupported-keyword #/methods/0/result/schema/prefixItems: "prefixItems" is not of JSON Schema draft-07',
    ],
  ],
  [
    'a broken pattern',
    methods(result({ $ref: 'other.json#/Text' })),
    ['error invalid-pattern other.json#/Text: "(" is no regular expression'],
    { 'other.json': '{"Text":{"pattern":"("}}' },
  ],
  [
    'an id',
    methods(result({ $id: 'x', items: { $ref: '#/methods/0/result/schema' } })),
    ['error ambiguous-id #/methods/0/result/schema: "$id" changes'],
  ],
  [
    'names that collide',
    components(
      { schemas: { 'a b': {}, 'a-b': {} } },
      result({
        properties: { x: { $ref: '#/components/schemas/a%20b' }, y: { $ref: '#/components/schemas/a-b' } },
      }),
    ),
    ['error not-generated #/components/schemas/a-b: would be called "a_b", as is #/components/schemas/a b'],
  ],
  [
    'a reserved name',
    methods(good({ name: 'rpc.x' })),
    [
      'error reserved-method-name #/methods/0/name: "rpc.x" begins with "rpc.", which JSON-RPC keeps for itself',
    ],
  ],
  [
    'required after optional',
    methods(good({ params: [param('a', false, { type: 'integer' }), param('b', true)], examples: [both] })),
    [
      'error required-after-optional #/methods/0/params/1: "b" is required and follows "a", which is not: put it in front',
    ],
  ],
  [
    'by name the order is free',
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
    'one code twice',
    methods(
      good({
        errors: [
          { code: 1, message: 'One' },
          { code: 1, message: 'Other' },
        ],
      }),
    ),
    ['error duplicate-error-code #/methods/0/errors/1: has the code 1, as has #/methods/0/errors/0'],
  ],
  [
    'a reserved code',
    methods(good({ errors: [{ code: -32500, message: 'x' }] })),
    ['error reserved-error-code #/methods/0/errors/0/code: -32500 is kept by JSON-RPC'],
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
    methods(good({ errors: [] })),
    ['warning method-without-errors #/methods/0: lists no errors'],
  ],
  [
    'an example of a wrong parameter',
    methods(
      good({
        examples: [{ name: 'e', params: [{ name: 'a', value: '1' }], result: { name: 'r', value: 2 } }],
      }),
    ),
    [
      'error example-violates-schema #/methods/0/examples/0/params/0/value: "1" must be an integer: correct the value, or the schema',
    ],
  ],
  [
    'an example of a wrong result, inside',
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
    'an example of a value that the pattern refuses',
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
    'an example of an error that is not declared',
    methods(good({ examples: [{ name: 'e', params: [], error: { code: 2, message: 'x' } }] })),
    [
      'error example-violates-schema #/methods/0/examples/0/error: the method declares no error with the code 2',
    ],
  ],
  [
    'an example with one parameter too many',
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
      'error example-unknown-parameter #/methods/0/examples/0/params/1/value: "b" is one too many: the method "m" takes 1 parameter',
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
      'error example-missing-parameter #/methods/0/examples/0: has no value for "a", which must be given',
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
    'a wrong default',
    methods(good({ params: [param('a', false, { type: 'integer', default: 'x' })] })),
    [
      'error default-violates-schema #/methods/0/params/0/schema: the default "x" breaks the schema: it must be an integer',
    ],
  ],
  [
    'a link to nowhere',
    methods(good({ links: [{ name: 'l', method: 'gone' }] })),
    ['error link-unknown-method #/methods/0/links/0/method: there is no method "gone" in this contract'],
  ],
  [
    'a link to no parameter',
    methods(good({ links: [{ name: 'l', method: 'm', params: { a: '$result', z: 1 } }] })),
    ['error link-unknown-parameter #/methods/0/links/0/params/z: "m" has no parameter "z"'],
  ],
  [
    'an unknown kind of component',
    components({ 'x-mine': {}, things: {} }),
    ['warning unknown-components-member #/components/things: OpenRPC has no components of the kind "things"'],
  ],
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
    ['warning unknown-keyword #/methods/0/result/schema/minLenght: "minLenght" is no word of JSON Schema'],
  ],
  [
    'a pattern that runs away',
    methods(result({ pattern: '^(a+)+$' })),
    ['warning unsafe-pattern #/methods/0/result/schema/pattern: "^(a+)+$" takes very long for some values'],
  ],
  [
    'an example without a parameter that must be given',
    methods(good({ examples: [{ name: 'e', params: [], result: { name: 'r', value: 2 } }] })),
    ['error example-missing-parameter #/methods/0/examples/0: has no value for "a", which must be given'],
  ],
  [
    'a format that is not validated',
    methods(
      result({ anyOf: [{ type: 'integer', format: 'int32' }, { format: 'uuid' }, { format: 'toString' }] }),
    ),
    [
      'warning unknown-format #/methods/0/result/schema/anyOf/0/format: "int32" is not validated: say it in other words',
      'warning unknown-format #/methods/0/result/schema/anyOf/2/format: "toString" is not validated',
    ],
  ],
  [
    'an example that breaks a format',
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
    'an extension that is not declared',
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
    'one rule twice',
    withInfo({ 'x-rules': rules('a.b', 'a.b') }, good({ 'x-rules': ['a.b'] })),
    ['error duplicate-rule #/info/x-rules/1: the rule "a.b" is also declared at #/info/x-rules/0'],
  ],
  [
    'rules that nobody declares',
    withInfo(
      { 'x-rules': rules('a.b'), 'x-tolerances': [{ rules: ['a.c'] }], 'x-derived-rules': [{ rule: 'a.d' }] },
      good({ 'x-rules': ['a.e', 'a.b'] }),
    ),
    [
      'error unknown-rule #/info/x-tolerances/0/rules: there is no rule "a.c"',
      'error unknown-rule #/info/x-derived-rules/0/rule: there is no rule "a.d"',
      'error unknown-rule #/methods/0/x-rules: there is no rule "a.e"',
    ],
  ],
  [
    'a rule about methods that none names',
    withInfo(
      { 'x-rules': [{ id: 'a.b', text: 'x', scope: 'method' }, ...rules('a.c')] },
      good({ 'x-rules': ['a.c'] }),
    ),
    ['warning unused-rule #/info/x-rules/0: no method names the rule "a.b"'],
  ],
  [
    'a method without rules',
    withInfo({ 'x-rules': rules('a.b') }, good()),
    ['warning method-without-rule #/methods/0: names no rule'],
  ],
  [
    'a lookup that no rule explains',
    withInfo({ 'x-rules': rules('a.b') }, good({ 'x-lookup': true, 'x-rules': ['a.b'] })),
    ['warning method-without-null-rule #/methods/0: may answer null, and no rule says when'],
  ],
  [
    'a failure with an unknown error',
    withInfo({ 'x-failures': { gone: { error: 'nothing' } } }, good()),
    ['error unknown-failure-error #/info/x-failures/gone/error: there is no error "nothing"'],
  ],
  [
    'an effect that is missing',
    methods(good({ 'x-effect': 'read' }), good({ name: 'n' })),
    ['error method-without-effect #/methods/1: has no "x-effect", as others have'],
  ],
  [
    'an example of an object or null, which is neither',
    methods(
      methodOf(
        [],
        {
          anyOf: [
            {
              type: 'object',
              properties: { a: { enum: ['x', 'y'] } },
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
      'error example-violates-schema #/methods/0/examples/0/result/value: {"a":"z","c":1} lacks the member "b"',
      'error example-violates-schema #/methods/0/examples/0/result/value: {"a":"z","c":1} has the member "c", which the schema does not know',
      'error example-violates-schema #/methods/0/examples/0/result/value/a: "z" must be one of "x", "y"',
    ],
  ],
  [
    'a link whose value cannot be had',
    methods(good({ links: [{ name: 'again', method: 'm', params: { a: '${result.no}' } }] })),
    ['warning left-out #/methods/0/links/0/params/a: '],
  ],
  [
    'a member that stands twice',
    '{"openrpc":"1.3.2","info":{"title":"T","version":"1"},"methods":[7],"methods":[]}',
    ['error duplicate-member #: the member "methods" stands in this object already'],
  ],
  [
    'digits that are lost',
    components({
      schemas: { A: { const: 9007199254740992, maximum: 1e25 } },
      'x-numbers': { a: 12, b: 0.1 },
    }),
    ['warning unused-component #/components/schemas/A'],
  ],
  [
    'a number that is not kept',
    '{"openrpc":"1.3.2","info":{"title":"T","version":"1","x-most":9007199254740993},"methods":[]}',
    [
      'warning imprecise-number #: 9007199254740993 is read as 9007199254740992: say it as a text with a pattern',
    ],
  ],
  [
    'extensions where they are not declared for, or nowhere',
    {
      ...withInfo({ 'x-mood': 'good' }, good({ 'x-mood': 'good' })),
      'x-extensions': [extension('x-mood', ['methodObject']), extension('x-taste', [])],
    },
    [
      'warning misplaced-extension #/info/x-mood: "x-mood" is declared for methodObject, not for infoObject',
      'warning unused-extension #/x-extensions/1: "x-taste" is not used: remove its declaration',
    ],
  ],
  [
    'an extension that is required',
    {
      ...methods(good({ 'x-mood': 'good' }), good({ name: 'n' })),
      'x-extensions': [{ ...extension('x-mood', ['methodObject']), required: true }],
    },
    [
      'error missing-extension #/methods/1: has no "x-mood", which "x-extensions" declares as required: add it',
    ],
  ],
  [
    'extensions of servers, parameters and schemas that nobody declares',
    {
      ...methods(
        good({ 'x-mood': 1, params: [{ ...param('a', true, { type: 'integer', 'x-c': 1 }), 'x-b': 1 }] }),
      ),
      servers: [{ url: 'http://a', 'x-a': 1 }],
      'x-extensions': [extension('x-mood', ['methodObject'])],
    },
    [
      'warning undeclared-extension #/methods/0/params/0/schema/x-c',
      'warning undeclared-extension #/methods/0/params/0/x-b',
      'warning undeclared-extension #/servers/0/x-a',
    ],
  ],
  [
    'values that no tool knows',
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
      'warning extension-value #/info/x-rules: concordat reads it, and knows it as a list of {id, text',
      'warning extension-value #/methods/0/examples/0/x-replay',
      'warning extension-value #/methods/0/x-effect: concordat reads it, and knows it as "read" or "write"',
      'warning extension-value #/methods/0/x-cost: concordat reads it, and knows it as a whole number from 1',
      'warning extension-value #/methods/0/x-batchable',
      'warning extension-value #/methods/0/x-volatile: concordat reads it, and knows it as a list of JSON pointers',
    ],
  ],
  [
    'values of an extension that the document declares otherwise',
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
      'error volatile-leads-nowhere #/methods/0/x-volatile/2: "/0/name" leads nowhere in the result: correct it',
      'error volatile-leads-nowhere #/methods/0/x-volatile/3: "/name" leads nowhere',
    ],
  ],
  [
    'methods, parameters and schemas that extensions name',
    withInfo(
      {
        'x-head': { method: 'gone' },
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
      'error unknown-extension-target #/info/x-head/method: there is no method "gone": correct the name',
      'error unknown-extension-target #/info/x-derived-rules/0/schemas/0: there is no schema "Gone"',
      'error unknown-extension-target #/methods/0/x-result-when/0/param: the method "m" has no parameter "b"',
      'error unknown-extension-target #/methods/0/x-result-when/0/schema/items: "#/components/schemas/Gone" leads nowhere',
    ],
  ],
]

t.test('each rule finds what it is for, and nothing else does', async (t) => {
  for (const [name, document, want, files] of rows) {
    const found = await problems(document, files)
    t.same(
      found.map((line, at) => line.slice(0, want[at]?.length)),
      want,
      name,
    )
  }
})

t.test('every rule is tried here', async (t) => {
  const tried = new Set(rows.flatMap(([, , want]) => want.map((line) => line.split(' ')[1])))
  t.same(
    lintRules.map(({ name }) => name).filter((name) => !tried.has(name)),
    [],
  )
})

t.test('rule names differ, and each says what it asks for', async (t) => {
  t.equal(new Set(lintRules.map(({ name }) => name)).size, lintRules.length)
  for (const { name, summary } of lintRules) t.match(summary, /^[A-Z].*\.$/, name)
})

t.test('problems stand at their line and column, in the file that holds them', async (t) => {
  await inFolder(async (dir) => {
    await write(dir, {
      path: 'openrpc.yaml',
      content: `openrpc: 1.3.2
info: { title: T, version: '1' }
methods:
  - name: m
    params: []
    errors: [{ code: 1, message: x }]
    examples: [{ name: e, params: [], result: { name: r, value: 5 } }]
    result: { name: r, schema: { $ref: 'parts/text.json#/Text' } }
`,
    })
    await write(dir, {
      path: 'parts/text.json',
      content: '{\n  "Text": { "type": "string",\n    "minLenght": 1 }\n}',
    })
    const found = await lintContract(dir)
    t.same(
      found.map(({ rule, file, line, column }) => [rule, file, line, column]),
      [
        ['example-violates-schema', '', 7, 65],
        ['unknown-keyword', 'parts/text.json', 3, 18],
      ],
    )
  })
})
