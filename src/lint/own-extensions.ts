import { type ExtensionDeclaration, errorExtensions, type JsonObject } from '../contract/index.js'

/** An extension that the tools of this project read, and a description of its form. */
export interface OwnExtension extends ExtensionDeclaration {
  readonly words: string
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

const own = (
  name: `x-${string}`,
  kinds: readonly string[],
  schema: JsonObject,
  words = enumWords(schema),
): OwnExtension => ({ name, kinds, schema, words, summary: '', pointer: '', isRequired: false })

/**
 * The extensions that the tools of this project read in any contract, one entry for each kind of object. A
 * declaration in the contract takes precedence.
 */
export const ownExtensions: readonly OwnExtension[] = [
  own(
    'x-rules',
    ['infoObject'],
    listOf(ruleObject),
    'a list of {id, text, level: "mandatory" (the default) or "advisory", scope: "service" or "method"}',
  ),
  own('x-rules', ['methodObject', 'examplePairingObject'], listOf(referring('rule')), 'a list of rule ids'),
  own('x-effect', ['methodObject'], { enum: ['read', 'write'] }),
  own('x-batchable', ['methodObject'], flag),
  // The rule "law" reports mistakes within laws.
  own('x-laws', ['methodObject'], { type: 'array' }, 'a list of laws, such as {law: "sorted", list, by}'),
  own(
    'x-beyond-schemas',
    ['methodObject'],
    listOf({ anyOf: [{ pattern: ' ' }, referring('rule')] }),
    'a list of rule ids or sentences',
  ),
  own(
    'x-latency',
    ['infoObject', 'methodObject'],
    latency,
    'an object of maximum latencies in milliseconds: {p50, p90, p99, max}',
  ),
  own('x-lookup', ['methodObject'], flag),
  own('x-cost', ['methodObject'], { type: 'integer', minimum: 1 }, 'a positive integer'),
  own(
    'x-volatile',
    ['methodObject'],
    listOf({ ...referring('result-pointer'), pattern: '^(/.*)?$' }),
    'a list of JSON pointers into the result, such as "/number", or "" for the whole result',
  ),
  own(
    'x-result-when',
    ['methodObject'],
    listOf(
      objectOf({
        param: referring('parameter'),
        matches: { 'x-refers-to': 'json-schema' },
        schema: { 'x-refers-to': 'json-schema' },
      }),
    ),
    'a list of {param, value, schema}',
  ),
  ...errorExtensions.map(({ name, schema, words }) => own(name, ['errorObject'], schema, words)),
  own(
    'x-scopes',
    ['infoObject'],
    { type: 'object', additionalProperties: text },
    'an object with a description for each scope',
  ),
  own('x-scopes', ['methodObject'], listOf(referring('scope')), 'a list of scopes of the info object'),
  own('x-replay', ['examplePairingObject'], { const: 'exact' }, '"exact", or absent'),
  own('x-direction', ['methodObject'], { enum: ['clientToServer', 'serverToClient', 'both'] }),
  own(
    'x-subscription',
    ['methodObject'],
    {
      ...objectOf({
        notification: referring('method'),
        unsubscribe: referring('method'),
        end: referring('method'),
      }),
      required: ['notification', 'unsubscribe'],
    },
    'an object of method names: {notification, unsubscribe, end}',
  ),
  own(
    'x-result-order',
    ['methodObject'],
    listOf(objectOf({ list: referring('result-pointer') })),
    'a list of {list, by}',
  ),
  own(
    'x-limits',
    ['infoObject'],
    {
      type: 'object',
      additionalProperties: { ...objectOf({ value: { type: 'number' } }), required: ['value'] },
    },
    'limits by name: {value, unit, description}',
  ),
  own('x-networks', ['infoObject'], { type: 'object' }, 'networks by name'),
  own('x-http', ['infoObject'], { type: 'object' }, 'an object {paths, contentType, cors}'),
  own(
    'x-method-defaults',
    ['infoObject'],
    { type: 'object' },
    'an object of members of methods, such as "errors"',
  ),
  own(
    'x-head',
    ['infoObject'],
    objectOf({ method: referring('method'), cachedFor: referring('limit') }),
    'an object {method, params, number, hash}',
  ),
  own(
    'x-envelope',
    ['infoObject'],
    objectOf({
      response: { 'x-refers-to': 'json-schema' },
      nullIsAbsent: flag,
    }),
    'an object {response, idRequired, idPattern, stringIds, nullIsAbsent}',
  ),
  own(
    'x-session',
    ['infoObject'],
    {
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
    'an object {framing: "newline" or "content-length", open: a list of {method, params}}',
  ),
  own(
    'x-spellings',
    ['schemaObject'],
    {
      ...objectOf({
        values: { ...listOf({ type: ['string', 'object'] }), minItems: 2 },
        rules: listOf(referring('rule')),
      }),
      required: ['values'],
      additionalProperties: false,
    },
    'an object {values: a list of templates over number and hash or tags, rules: a list of rule ids}',
  ),
  own(
    'x-derived-rules',
    ['infoObject'],
    listOf(objectOf({ rule: referring('rule'), schemas: listOf(referring('schema')) })),
    'a list of {rule, mistakes, schemas}',
  ),
  own(
    'x-failures',
    ['infoObject'],
    { type: 'object', additionalProperties: objectOf({ error: referring('error'), message: text }) },
    'failures by name',
  ),
]

/** `"read" or "write"`. */
function enumWords({ enum: values }: JsonObject): string {
  return Array.isArray(values) ? values.map((value) => JSON.stringify(value)).join(' or ') : ''
}
