import type { JsonObject, JsonValue } from '../../contract/index.js'

/** Name of a nonexistent method. Most cases call it, so they have no side effects. */
const METHOD = 'concordatNoSuchMethod'

const request = (members: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', method: METHOD, ...members })
const refused = (code: JsonValue): JsonObject => ({ error: { code } })
const unknown = (id: JsonValue): JsonObject => ({ $has: { id, error: { $has: { code: -32601 } } } })
const invalid: JsonObject = { $has: { id: null, error: { $has: { code: -32600 } } } }

/** HTTP statuses of an answer without a body: the request was accepted. */
const TAKEN: JsonObject = { '$one-of': [200, 202, 204] }

/** Allows a service to reject all batches with one error. */
const noBatches: JsonObject = {
  expect: { body: { $has: { error: { $has: { code: { '$one-of': [-32600, -32601] } } } } } },
  reason: 'it takes no batches, and says so with one error',
}

/** Allows a service to reject a batch because of one invalid item. */
const wholeRefused: JsonObject = {
  expect: { body: { $has: { error: { $has: { code: { '$one-of': [-32600, -32601] } } } } } },
  reason: 'it refuses a batch as a whole, or takes none',
}

/** Allows a service to reject requests without an id. */
const noNotifications: JsonObject = {
  expect: { body: { $has: { id: null, error: { $has: { code: -32600 } } } } },
  reason: 'it takes no notifications, and says so with -32600',
}

/**
 * Requirements of JSON-RPC 2.0 for every service, in the form of scenario files. They call no existing
 * method. They check the HTTP status only for answers without a body, because JSON-RPC 2.0 does not define
 * it.
 */
export const jsonRpcCases: readonly JsonObject[] = [
  {
    id: 'json-rpc/parse-error',
    scenario:
      'A body that is no JSON is answered with -32700 and the id null (JSON-RPC 2.0, sections 5, 5.1).',
    steps: [
      {
        raw: '{"jsonrpc":"2.0","method":"concordatNoSuchMethod","params":"bar","baz]',
        expect: { ...refused(-32700), id: 'null' },
      },
    ],
  },
  {
    id: 'json-rpc/parse-error-in-a-batch',
    scenario:
      'A batch that is no JSON is answered with one -32700 and the id null (JSON-RPC 2.0, section 7).',
    steps: [
      {
        raw: `[${request({ id: 1 })},{"jsonrpc":"2.0","method"]`,
        expect: { ...refused(-32700), id: 'null' },
      },
    ],
  },
  {
    id: 'json-rpc/no-object',
    scenario:
      'A body that is JSON and no request is answered with -32600 and the id null (JSON-RPC 2.0, section 5.1).',
    steps: ['1', '"a text"', 'null'].map((raw) => ({
      raw,
      expect: { ...refused(-32600), id: 'null' },
      tolerate: [
        { expect: { ...refused(-32700), id: 'null' }, reason: 'it takes what is no object for no JSON' },
      ],
    })),
  },
  {
    id: 'json-rpc/method-no-text',
    scenario: 'A request whose method is no text is answered with -32600 (JSON-RPC 2.0, section 7).',
    steps: ['{"jsonrpc":"2.0","method":1,"params":[],"id":1}', '{"jsonrpc":"2.0","params":[],"id":1}'].map(
      (raw) => ({
        raw,
        expect: refused(-32600),
        tolerate: [
          { expect: refused(-32601), reason: 'it takes what is no method for one that it does not have' },
        ],
      }),
    ),
  },
  {
    id: 'json-rpc/params-no-structure',
    scenario:
      'A request whose params are neither a list nor an object is answered with -32600 (JSON-RPC 2.0, section 4.2).',
    steps: [
      {
        raw: request({ params: 'bar', id: 1 }),
        expect: refused(-32600),
        tolerate: [
          { expect: refused(-32602), reason: 'it calls it a mistake in the parameters' },
          { expect: refused(-32601), reason: 'it looks at the method first' },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/version',
    scenario: 'A request whose jsonrpc is not "2.0" is answered with -32600 (JSON-RPC 2.0, section 4).',
    steps: ['"jsonrpc":"1.0",', ''].map((version) => ({
      raw: `{${version}"method":"${METHOD}","params":[],"id":1}`,
      expect: refused(-32600),
      tolerate: [{ expect: refused(-32601), reason: 'it takes requests that do not state the version' }],
    })),
  },
  {
    id: 'json-rpc/unknown-method',
    scenario: 'A method that is not there is answered with -32601 (JSON-RPC 2.0, section 5.1).',
    steps: [
      { call: METHOD, params: [], expect: refused(-32601) },
      { call: METHOD, params: {}, expect: refused(-32601) },
      { call: METHOD, expect: refused(-32601) },
    ],
  },
  {
    id: 'json-rpc/id-number',
    scenario: 'An id that is a number comes back as that number (JSON-RPC 2.0, section 5).',
    steps: ['0', '-7', '9007199254740991'].map((id) => ({
      call: METHOD,
      params: [],
      id,
      expect: refused(-32601),
    })),
  },
  {
    id: 'json-rpc/id-large',
    scenario: 'An id beyond what a double holds comes back digit for digit (JSON-RPC 2.0, section 5).',
    steps: [
      {
        call: METHOD,
        params: [],
        id: '12345678901234567890',
        expect: refused(-32601),
        tolerate: [
          '12345678901234567000',
          '12345678901234567168',
          '1.2345678901234567e19',
          '1.2345678901234567e+19',
        ].map((id) => ({
          expect: { ...refused(-32601), id },
          reason: 'it reads numbers as doubles, and loses digits',
        })),
      },
    ],
  },
  {
    id: 'json-rpc/id-text',
    scenario: 'An id that is a text comes back as that text (JSON-RPC 2.0, section 5).',
    steps: ['"1"', '"550e8400-e29b-41d4-a716-446655440000"', '""'].map((id) => ({
      call: METHOD,
      params: [],
      id,
      expect: refused(-32601),
    })),
  },
  {
    id: 'json-rpc/id-null',
    scenario:
      'An id that is null is an id: the request is answered with the id null (JSON-RPC 2.0, section 4).',
    steps: [
      {
        raw: request({ params: [], id: null }),
        expect: { ...refused(-32601), id: 'null' },
        tolerate: [
          {
            expect: { ...refused(-32600), id: 'null' },
            reason: 'it refuses the id null, which is discouraged',
          },
          {
            expect: { body: { $absent: true } },
            reason: 'it takes the id null for no id, as JSON-RPC 1.0 does',
          },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/notification',
    scenario: 'A request without an id is not answered, not even with an error (JSON-RPC 2.0, section 4.1).',
    steps: [
      {
        raw: request({ params: [] }),
        expect: { status: TAKEN, body: { $absent: true } },
        tolerate: [noNotifications],
      },
    ],
  },
  {
    id: 'json-rpc/batch',
    scenario:
      'A batch is answered by a list with one answer for each request, in any order (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [], id: 1 })},${request({ params: [], id: '2' })}]`,
        expect: { body: { $unordered: [unknown(1), unknown('2')] } },
        tolerate: [noBatches],
      },
    ],
  },
  {
    id: 'json-rpc/batch-of-one',
    scenario: 'A batch of one request is answered by a list of one (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [], id: 1 })}]`,
        expect: { body: { $unordered: [unknown(1)] } },
        tolerate: [noBatches],
      },
    ],
  },
  {
    id: 'json-rpc/batch-empty',
    scenario:
      'An empty batch is answered with one -32600 and the id null, not with a list (JSON-RPC 2.0, section 7).',
    steps: [{ raw: '[]', expect: { ...refused(-32600), id: 'null' } }],
  },
  {
    id: 'json-rpc/batch-of-invalid',
    scenario:
      'Each item of a batch that is no request is answered with -32600 and the id null (JSON-RPC 2.0, section 7).',
    steps: [
      { raw: '[1]', expect: { body: { $unordered: [invalid] } }, tolerate: [wholeRefused] },
      {
        raw: '[1,2,3]',
        expect: { body: { $unordered: [invalid, invalid, invalid] } },
        tolerate: [wholeRefused],
      },
    ],
  },
  {
    id: 'json-rpc/batch-apart',
    scenario: 'What is wrong with an item of a batch leaves the others alone (JSON-RPC 2.0, section 7).',
    steps: [
      {
        raw: `[${request({ params: [], id: 1 })},{"foo":"boo"},${request({ params: {}, id: 'b' })}]`,
        expect: { body: { $unordered: [unknown(1), invalid, unknown('b')] } },
        tolerate: [wholeRefused],
      },
    ],
  },
  {
    id: 'json-rpc/batch-with-notification',
    scenario: 'A notification in a batch has no answer there (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [] })},${request({ params: [], id: 1 })}]`,
        expect: { body: { $unordered: [unknown(1)] } },
        tolerate: [
          noBatches,
          {
            expect: { body: { $unordered: [invalid, unknown(1)] } },
            reason: 'it takes no notifications, and says so',
          },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/batch-of-notifications',
    scenario:
      'A batch of notifications alone is not answered, not even with an empty list (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [] })},${request({ params: {} })}]`,
        expect: { status: TAKEN, body: { $absent: true } },
        tolerate: [
          noBatches,
          {
            expect: { body: { $unordered: [invalid, invalid] } },
            reason: 'it takes no notifications, and says so',
          },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/discover',
    scenario: 'rpc.discover gives the service\'s OpenRPC document (OpenRPC, "Service Discovery Method").',
    steps: [
      {
        call: 'rpc.discover',
        params: [],
        expect: { result: { $has: { openrpc: { $pattern: '^1\\.' }, methods: { $type: 'array' } } } },
        tolerate: [
          { expect: refused(-32601), reason: 'it does not offer its document, which it need not' },
          { expect: { ...refused(-32600), id: 'null' }, reason: 'it refuses names that begin with rpc.' },
        ],
      },
    ],
  },
]
