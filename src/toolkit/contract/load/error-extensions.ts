import {
  arrayMember,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  objectMember,
  stringMember,
} from '../json.js'

/** An extension of error objects and its documentation. */
export interface ErrorExtension {
  readonly name: `x-${string}`
  readonly schema: JsonObject
  readonly words: string
  /** Its effect, in Markdown. */
  readonly does: string
  readonly example: JsonValue
}

/**
 * Built-in extensions of error objects. OpenRPC's meta-schema rejects undeclared extensions there, so they are declared
 * before a document is validated or published.
 */
export const errorExtensions: readonly ErrorExtension[] = [
  {
    name: 'x-data-schema',
    schema: { 'x-refers-to': 'json-schema' },
    words: 'a JSON Schema',
    does: "Types and checks of the error's `data`.",
    example: { type: 'object', required: ['limit'], properties: { limit: { type: 'integer' } } },
  },
  {
    name: 'x-data-optional',
    schema: { enum: [true, false] },
    words: 'true or false',
    does: '`data` may be missing.',
    example: true,
  },
  {
    name: 'x-http-status',
    schema: { type: 'integer', minimum: 200, maximum: 599 },
    words: 'an HTTP status, 200 to 599',
    does: 'The status of the answer to a single call; 200 without it.',
    example: 429,
  },
  {
    name: 'x-retry-after-seconds',
    schema: { type: 'integer', minimum: 0 },
    words: 'a whole number of seconds',
    does: '`Retry-After` of the answer to a single call, for which clients wait.',
    example: 60,
  },
]

/** Adds declarations of all built-in error extensions to a document. */
export function withErrorExtensions(document: JsonObject): JsonObject {
  return declaring(
    document,
    errorExtensions.map(({ name }) => name),
  )
}

/** Adds declarations of the built-in error extensions that a document uses. */
export function withUsedErrorExtensions(document: JsonObject): JsonObject {
  const shared = Object.values(objectMember(objectMember(document, 'components'), 'errors'))
  const methods = arrayMember(document, 'methods').filter(isObject)
  const errors = [...shared, ...methods.flatMap((method) => arrayMember(method, 'errors'))]
  const used = errors.flatMap((error) => (isObject(error) ? Object.keys(error) : []))
  return declaring(document, used)
}

/** Adds missing declarations of the named extensions. */
function declaring(document: JsonObject, names: readonly string[]): JsonObject {
  const stated = member(document, 'x-extensions') ?? []
  if (!isArray(stated)) return document
  const known = new Set(stated.map((item) => isObject(item) && stringMember(item, 'name')))
  const missing = errorExtensions.filter(({ name }) => names.includes(name) && !known.has(name))
  if (missing.length === 0) return document
  const declarations = missing.map(({ name, does }) => ({
    openrpcExtension: '0.0.0-development',
    name,
    version: '1.0.0',
    summary: does,
    restricted: ['errorObject'],
    schema: true,
  }))
  return { ...document, 'x-extensions': [...stated, ...declarations] }
}
