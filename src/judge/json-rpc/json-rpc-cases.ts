import type { JsonObject, JsonValue } from '../../toolkit/contract/index.js'

/** Name of a nonexistent method. Most cases call it, so they have no side effects. */
const METHOD = 'concordatNoSuchMethod'

const request = (members: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', method: METHOD, ...members })
const refused = (code: JsonValue): JsonObject => ({ error: { code } })
const unknown = (id: JsonValue): JsonObject => ({ $has: { id, error: { $has: { code: -32601 } } } })
const invalid: JsonObject = { $has: { id: null, error: { $has: { code: -32600 } } } }

/** HTTP statuses of an answer without a body: the request was accepted. */
const ACCEPTED: JsonObject = { '$one-of': [200, 202, 204] }

/** Allows a service to reject all batches with one error. */
const noBatches: JsonObject = {
  expect: { body: { $has: { error: { $has: { code: { '$one-of': [-32600, -32601] } } } } } },
  reason: 'the service rejects batches with a single error',
}

/** Allows a service to reject a batch because of one invalid item. */
const wholeRefused: JsonObject = {
  expect: { body: { $has: { error: { $has: { code: { '$one-of': [-32600, -32601] } } } } } },
  reason: 'the service rejects the whole batch, or all batches',
}

/** Allows a service to reject requests without an id. */
const noNotifications: JsonObject = {
  expect: { body: { $has: { id: null, error: { $has: { code: -32600 } } } } },
  reason: 'the service rejects notifications with -32600',
}

/**
 * Requirements of JSON-RPC 2.0 for every service, in the form of scenario files. They call no existing
 * method. They check the HTTP status only for answers without a body, because JSON-RPC 2.0 does not define
 * it.
 */
export const jsonRpcCases: readonly JsonObject[] = [
  {
    id: 'json-rpc/parse-error',
    scenario: 'A body that is not JSON is answered with -32700 and id null (JSON-RPC 2.0, sections 5, 5.1).',
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
      'A batch that is not JSON is answered with a single -32700 and id null (JSON-RPC 2.0, section 7).',
    steps: [
      {
        raw: `[${request({ id: 1 })},{"jsonrpc":"2.0","method"]`,
        expect: { ...refused(-32700), id: 'null' },
      },
    ],
  },
  {
    id: 'json-rpc/no-object',
    scenario: 'JSON that is not a request is answered with -32600 and id null (JSON-RPC 2.0, section 5.1).',
    steps: ['1', '"a text"', 'null'].map((raw) => ({
      raw,
      expect: { ...refused(-32600), id: 'null' },
      tolerate: [
        {
          expect: { ...refused(-32700), id: 'null' },
          reason: 'the service treats JSON other than objects and lists as invalid JSON',
        },
      ],
    })),
  },
  {
    id: 'json-rpc/method-no-text',
    scenario: 'A request whose method is not a string is answered with -32600 (JSON-RPC 2.0, section 7).',
    steps: ['{"jsonrpc":"2.0","method":1,"params":[],"id":1}', '{"jsonrpc":"2.0","params":[],"id":1}'].map(
      (raw) => ({
        raw,
        expect: refused(-32600),
        tolerate: [
          { expect: refused(-32601), reason: 'the service treats an invalid method as an unknown method' },
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
          { expect: refused(-32602), reason: 'the service reports invalid parameters' },
          { expect: refused(-32601), reason: 'the service checks the method first' },
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
      tolerate: [{ expect: refused(-32601), reason: 'the service accepts requests without the version' }],
    })),
  },
  {
    id: 'json-rpc/unknown-method',
    scenario: 'An unknown method is answered with -32601 (JSON-RPC 2.0, section 5.1).',
    steps: [
      { call: METHOD, params: [], expect: refused(-32601) },
      { call: METHOD, params: {}, expect: refused(-32601) },
    ],
  },
  {
    id: 'json-rpc/id-number',
    scenario: 'A numeric id is echoed as the same number (JSON-RPC 2.0, section 5).',
    steps: ['0', '-7', '9007199254740991'].map((id) => ({
      call: METHOD,
      params: [],
      id,
      expect: refused(-32601),
    })),
  },
  {
    id: 'json-rpc/id-large',
    scenario: 'An id too large for a double is echoed with all its digits (JSON-RPC 2.0, section 5).',
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
          reason: 'the service reads numbers as doubles and loses digits',
        })),
      },
    ],
  },
  {
    id: 'json-rpc/id-text',
    scenario: 'A string id is echoed unchanged (JSON-RPC 2.0, section 5).',
    steps: ['"1"', '"550e8400-e29b-41d4-a716-446655440000"', '""'].map((id) => ({
      call: METHOD,
      params: [],
      id,
      expect: refused(-32601),
    })),
  },
  {
    id: 'json-rpc/id-null',
    scenario: 'A request with id null is answered with id null (JSON-RPC 2.0, section 4).',
    steps: [
      {
        raw: request({ params: [], id: null }),
        expect: { ...refused(-32601), id: 'null' },
        tolerate: [
          {
            expect: { ...refused(-32600), id: 'null' },
            reason: 'the service rejects id null, which the specification discourages',
          },
          {
            expect: { body: { $absent: true } },
            reason: 'the service treats id null as no id, like JSON-RPC 1.0',
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
        expect: { status: ACCEPTED, body: { $absent: true } },
        tolerate: [noNotifications],
      },
    ],
  },
  {
    id: 'json-rpc/batch',
    scenario:
      'A batch is answered with a list of one answer per request, in any order (JSON-RPC 2.0, section 6).',
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
    scenario: 'A batch of one request is answered with a list of one answer (JSON-RPC 2.0, section 6).',
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
      'An empty batch is answered with a single -32600 and id null, not with a list (JSON-RPC 2.0, section 7).',
    steps: [{ raw: '[]', expect: { ...refused(-32600), id: 'null' } }],
  },
  {
    id: 'json-rpc/batch-of-invalid',
    scenario: 'Each invalid item of a batch is answered with -32600 and id null (JSON-RPC 2.0, section 7).',
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
    scenario: 'An invalid item of a batch does not affect the other items (JSON-RPC 2.0, section 7).',
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
    scenario: 'A notification in a batch has no answer (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [] })},${request({ params: [], id: 1 })}]`,
        expect: { body: { $unordered: [unknown(1)] } },
        tolerate: [
          noBatches,
          {
            expect: { body: { $unordered: [invalid, unknown(1)] } },
            reason: 'the service rejects notifications',
          },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/batch-of-notifications',
    scenario:
      'A batch of only notifications is not answered, not even with an empty list (JSON-RPC 2.0, section 6).',
    steps: [
      {
        raw: `[${request({ params: [] })},${request({ params: {} })}]`,
        expect: { status: ACCEPTED, body: { $absent: true } },
        tolerate: [
          noBatches,
          {
            expect: { body: { $unordered: [invalid, invalid] } },
            reason: 'the service rejects notifications',
          },
        ],
      },
    ],
  },
  {
    id: 'json-rpc/discover',
    scenario: 'rpc.discover returns the OpenRPC document (OpenRPC, "Service Discovery Method").',
    steps: [
      {
        call: 'rpc.discover',
        params: [],
        expect: { result: { $has: { openrpc: { $pattern: '^1\\.' }, methods: { $type: 'array' } } } },
        tolerate: [
          { expect: refused(-32601), reason: 'the service does not offer its document, which is optional' },
          {
            expect: { ...refused(-32600), id: 'null' },
            reason: 'the service rejects names that start with rpc.',
          },
        ],
      },
    ],
  },
]
