import {
  type ErrorExtension,
  type ExtensionDeclaration,
  errorExtensions,
  type JsonObject,
  type JsonValue,
} from '../contract/index.js'

/** A built-in extension for certain kinds of objects. */
export interface OwnExtension extends ExtensionDeclaration {
  /** Its form in words. */
  readonly words: string
  /** Its effect, in Markdown with links relative to `docs/`. */
  readonly does: string
  readonly example: JsonValue
}

interface Meaning {
  readonly schema: JsonObject
  readonly does: string
  readonly example: JsonValue
  /** Its form in words. Default: the values of `enum`. */
  readonly words?: string
}

const text = { type: 'string' }
const referring = (kind: string) => ({ type: 'string', 'x-refers-to': kind })
const listOf = (items: JsonObject) => ({ type: 'array', items })
const objectOf = (properties: JsonObject) => ({ type: 'object', properties })
const flag = { enum: [true, false] }

const milliseconds = { type: 'number', exclusiveMinimum: 0 }
const latency = {
  ...objectOf({ p50: milliseconds, p90: milliseconds, p99: milliseconds, max: milliseconds }),
  additionalProperties: false,
}

const ruleObject = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'string', minLength: 1 },
    level: { enum: ['mandatory', 'advisory'] },
    scope: { enum: ['service', 'method'] },
  },
}

function own(
  name: `x-${string}`,
  kinds: readonly string[],
  { schema, words = enumWords(schema), does, example }: Meaning,
): OwnExtension {
  return { name, kinds, schema, words, does, example, summary: '', pointer: '', isRequired: false }
}

const ofError = ({ name, ...meaning }: ErrorExtension) => own(name, ['errorObject'], meaning)

const ofMethods: readonly OwnExtension[] = [
  own('x-effect', ['methodObject'], {
    schema: { enum: ['read', 'write'] },
    does: 'Clients repeat failed reads. `conform` sends writes only with `--allow write`.',
    example: 'read',
  }),
  own('x-batchable', ['methodObject'], {
    schema: flag,
    does: 'Clients may send the call in a batch. `conform` never puts a call with `false` into one, unless a case is written so.',
    example: true,
  }),
  own('x-cost', ['methodObject'], {
    schema: { type: 'integer', minimum: 1 },
    words: 'a positive integer',
    does: 'The requests that a call counts for.',
    example: 5,
  }),
  own('x-scopes', ['methodObject'], {
    schema: listOf(referring('scope')),
    words: 'a list of scopes of the info object',
    does: 'The permissions that callers need. The server refuses calls without them ([Scopes](backend.md#errors-of-every-method-and-scopes)).',
    example: ['orders:write'],
  }),
  own('x-lookup', ['methodObject'], {
    schema: flag,
    does: 'Null means "not found", so `conform` expects it for what does not exist.',
    example: true,
  }),
  own('x-volatile', ['methodObject'], {
    schema: listOf({ ...referring('result-pointer'), pattern: '^(/.*)?$' }),
    words: 'a list of JSON pointers into the result, such as "/number", or "" for the whole result',
    does: 'Members that may differ between two calls. `conform` and `compare` leave them out.',
    example: ['/updatedAt'],
  }),
  own('x-beyond-schemas', ['methodObject'], {
    schema: listOf({ anyOf: [{ pattern: ' ' }, { ...referring('rule'), pattern: '^\\S+$' }] }),
    words: 'a list of rule ids or sentences',
    does: 'Rules that parameters must meet besides their schemas. Without it, `conform` fails for a valid call that is refused.',
    example: ['The end is after the start.'],
  }),
  // The rule "law" reports mistakes within laws.
  own('x-laws', ['methodObject'], {
    schema: { type: 'array' },
    words: 'a list of laws, such as {law: "sorted", list, by}',
    does: 'Laws that `conform` checks: sorted lists, pages and ranges that join, totals, answers that match their request, calls that undo others ([Laws](qa.md#laws-of-a-contract)).',
    example: [
      { law: 'sorted', list: '/orders', by: ['price'] },
      { law: 'subset-by', list: '/orders', members: { side: 'side' } },
    ],
  }),
  own('x-result-order', ['methodObject'], {
    schema: listOf(objectOf({ list: referring('result-pointer') })),
    words: 'a list of {list, by}',
    does: 'The order of a list in the result.',
    example: [{ list: '', by: ['createdAt', 'id'] }],
  }),
  own('x-result-when', ['methodObject'], {
    schema: listOf(
      objectOf({
        param: referring('parameter'),
        matches: { 'x-refers-to': 'json-schema' },
        schema: { 'x-refers-to': 'json-schema' },
      }),
    ),
    words: 'a list of {param, value, schema}',
    does: "The result's schema for a value of a parameter. Types of the client follow it.",
    example: [{ param: 'full', value: true, schema: { type: 'object' } }],
  }),
  own('x-direction', ['methodObject'], {
    schema: { enum: ['clientToServer', 'serverToClient', 'both'] },
    does: 'Who calls the method ([Subscriptions](backend.md#subscriptions-and-calls-to-the-client)).',
    example: 'serverToClient',
  }),
  own('x-subscription', ['methodObject'], {
    schema: {
      ...objectOf({
        notification: referring('method'),
        unsubscribe: referring('method'),
        end: referring('method'),
      }),
      required: ['notification', 'unsubscribe'],
    },
    words: 'an object of method names: {notification, unsubscribe, end}',
    does: 'The method starts a subscription ([Subscriptions](backend.md#subscriptions-and-calls-to-the-client)).',
    example: { notification: 'orders.changed', unsubscribe: 'orders.unwatch' },
  }),
  own('x-cancels', ['methodObject'], {
    schema: {
      ...objectOf({ id: referring('parameter'), answer: { enum: ['error', 'none'] } }),
      required: ['id'],
      additionalProperties: false,
    },
    words: 'an object {id: the parameter with the id of a call, answer: "error" (the default) or "none"}',
    does: 'The notification cancels a call on a connection: the `signal` of its handler fires. With `"error"`, a call whose handler then rejects is answered with the failure `cancelled`. With `"none"`, it is never answered ([Cancelled calls](backend.md#cancelled-calls)).',
    example: { id: 'requestId', answer: 'none' },
  }),
  own('x-rules', ['methodObject', 'examplePairingObject'], {
    schema: listOf(referring('rule')),
    words: 'a list of rule ids',
    does: 'The rules that the method or the example is about.',
    example: ['orders.sorted'],
  }),
  own('x-replay', ['examplePairingObject'], {
    schema: { enum: ['exact', 'shape'] },
    words: '"exact", "shape", or absent',
    does: '`conform` expects exactly the result of the example (`exact`), or only one of its schema (`shape`). Without it, examples are exact for a program that `conform` starts, because it begins each run in the same state, and show the form for a service with a URL.',
    example: 'exact',
  }),
  ...errorExtensions.map(ofError),
  own('x-spellings', ['schemaObject'], {
    schema: {
      ...objectOf({
        values: { ...listOf({ type: ['string', 'object'] }), minItems: 2 },
        rules: listOf(referring('rule')),
      }),
      required: ['values'],
      additionalProperties: false,
    },
    words: 'an object {values: a list of templates over number and hash or tags, rules: a list of rule ids}',
    does: 'Values of a parameter that mean the same. Templates contain `number` and `hash` of `x-head`. `conform` sends calls in each spelling.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the contract
    example: { values: ['${number}', 'latest'] },
  }),
]

const ofInfo: readonly OwnExtension[] = [
  own('x-method-defaults', ['infoObject'], {
    schema: { type: 'object' },
    words: 'an object of members of methods, such as "errors"',
    does: 'Errors that all methods have, and members of methods that lack them.',
    example: { errors: [{ $ref: '#/components/errors/unauthorized' }], 'x-cost': 1 },
  }),
  own('x-limits', ['infoObject'], {
    schema: {
      type: 'object',
      additionalProperties: {
        ...objectOf({ value: { type: 'number' }, from: { type: 'string', pattern: '^#/' } }),
        anyOf: [{ required: ['value'] }, { required: ['from'] }],
      },
    },
    words:
      'limits by name: {value, unit, description}, with {from, prefix, each} in place of a value that a schema states',
    does: 'Limits by name. Servers apply those that they know ([Handlers](backend.md#handlers)). Where a text has the name of a limit as code, the reference shows the value. `from` is the JSON pointer of a keyword that states the number; of a length, `prefix` is subtracted and the rest divided by `each`.',
    example: {
      bodyBytes: { value: 1_000_000, unit: 'bytes' },
      linesPerOrder: { from: '#/components/schemas/Lines/maxItems', unit: 'lines' },
    },
  }),
  own('x-failures', ['infoObject'], {
    schema: { type: 'object', additionalProperties: objectOf({ error: referring('error'), message: text }) },
    words: 'failures by name',
    does: 'The error of each failure that the server finds itself, such as `bodyTooLarge`, with its HTTP status and message.',
    example: { bodyTooLarge: { error: 'invalidRequest', httpStatus: 413, message: 'The body is too large' } },
  }),
  own('x-scopes', ['infoObject'], {
    schema: { type: 'object', additionalProperties: text },
    words: 'an object with a description for each scope',
    does: 'The permissions that methods can need ([Scopes](backend.md#errors-of-every-method-and-scopes)).',
    example: { 'orders:write': 'Create and cancel orders' },
  }),
  own('x-envelope', ['infoObject'], {
    schema: objectOf({ response: { 'x-refers-to': 'json-schema' }, nullIsAbsent: flag }),
    words: 'an object {response, idRequired, idPattern, stringIds, nullIsAbsent}',
    does: 'The schema of answers, and which ids and nulls requests may have.',
    example: { idRequired: true, stringIds: false },
  }),
  own('x-http', ['infoObject'], {
    schema: { type: 'object' },
    words: 'an object {paths, contentType, cors, rules}',
    does: 'Paths and headers of the service. With `rules.batchOrder`, `conform` expects the answers of a batch in the order of its calls.',
    example: { paths: ['/rpc'], contentType: 'application/json', cors: { allowOrigin: '*' } },
  }),
  own('x-session', ['infoObject'], {
    schema: {
      ...objectOf({
        framing: { enum: ['newline', 'content-length'] },
        open: listOf({
          ...objectOf({ method: referring('method'), params: { type: ['array', 'object'] } }),
          required: ['method'],
          additionalProperties: false,
        }),
      }),
      additionalProperties: false,
    },
    words: 'an object {framing: "newline" or "content-length", open: a list of {method, params}}',
    does: 'How messages are separated on standard input and output, and the messages with which a client opens a connection.',
    example: { framing: 'content-length', open: [{ method: 'initialize', params: { capabilities: {} } }] },
  }),
  own('x-rules', ['infoObject'], {
    schema: listOf(ruleObject),
    words:
      'a list of {id, text, level: "mandatory" (the default) or "advisory", scope: "service" or "method"}',
    does: 'Rules in words, for methods, cases and reports.',
    example: [{ id: 'orders.sorted', text: 'Orders are sorted by price.', scope: 'method' }],
  }),
  own('x-derived-rules', ['infoObject'], {
    schema: listOf(objectOf({ rule: referring('rule'), schemas: listOf(referring('schema')) })),
    words: 'a list of {rule, mistakes, schemas}',
    does: 'The rule that a derived case is about.',
    example: [{ rule: 'params.required', mistakes: ['missing'] }],
  }),
  own('x-latency', ['infoObject', 'methodObject'], {
    schema: latency,
    words: 'an object of maximum latencies in milliseconds: {p50, p90, p99, max}',
    does: 'Maxima for `conform --latency fail`.',
    example: { p50: 20, max: 1_000 },
  }),
  own('x-head', ['infoObject'], {
    schema: objectOf({ method: referring('method'), cachedFor: referring('limit') }),
    words: 'an object {method, params, number, hash}',
    does: 'The head of the data that a service serves, such as the newest block, which moves during a run.',
    example: {
      ...{ method: 'blocks.get', params: ['latest'] },
      ...{ number: '$.result.number', hash: '$.result.hash', moving: ['latest'] },
    },
  }),
  own('x-networks', ['infoObject'], {
    schema: { type: 'object' },
    words: 'networks by name',
    does: 'The networks that the service serves.',
    example: { test: { title: 'Test network', chainId: '0x1f' } },
  }),
]

/**
 * All built-in extensions, one entry per schema. Declarations in a contract take precedence.
 */
export const ownExtensions: readonly OwnExtension[] = [...ofMethods, ...ofInfo]

/** `"read" or "write"`. */
function enumWords({ enum: values }: JsonObject): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(' or ') : ''
}
