/**
 * Emits an OpenAPI 3.1 document. JSON-RPC has one address, so there is one operation, and its body is a request of any
 * method. The schemas of the contract stay as they are, in JSON Schema draft-07.
 * @type {import('concordat/codegen').Emit}
 */
export function emit(contract, options) {
  const schemas = schemasOf(contract)
  const requests = contract.methods.map((method) =>
    schemas.add(`${method.name}.request`, request(method, schemas)),
  )
  const responses = contract.methods
    .filter(({ result }) => result)
    .map((method) => schemas.add(`${method.name}.response`, response(schemas.within(method.result.schema))))
  responses.push(schemas.add('error.response', errorResponse))
  const document = {
    openapi: '3.1.0',
    info: { title: contract.title, version: contract.version, ...described(contract) },
    jsonSchemaDialect: 'http://json-schema.org/draft-07/schema#',
    servers: [{ url: options.url ?? '/' }],
    paths: {
      '/': {
        post: {
          operationId: 'call',
          requestBody: { required: true, content: json({ anyOf: [...requests, batch(requests)] }) },
          responses: {
            200: {
              description: 'The result or the error of each call.',
              content: json({ anyOf: [...responses, batch(responses)] }),
            },
            204: { description: 'All calls were notifications.' },
          },
        },
      },
    },
    components: { schemas: schemas.all() },
  }
  return [{ path: options.path ?? 'openapi.json', content: JSON.stringify(document) }]
}

const id = { type: ['string', 'number', 'null'] }
const version = { const: '2.0' }

const errorResponse = {
  type: 'object',
  required: ['jsonrpc', 'id', 'error'],
  properties: {
    jsonrpc: version,
    id,
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: { type: 'string' }, data: {} },
    },
  },
}

function request(method, schemas) {
  const { params, paramStructure } = method
  const named = {
    type: 'object',
    properties: Object.fromEntries(params.map(({ name, schema }) => [name, schemas.within(schema)])),
    required: params.filter(({ required }) => required).map(({ name }) => name),
  }
  const listed = {
    type: 'array',
    minItems: params.findLastIndex(({ required }) => required) + 1,
    maxItems: params.length,
    ...(params.length > 0 && { items: params.map(({ schema }) => schemas.within(schema)) }),
  }
  const forms = { 'by-name': [named], 'by-position': [listed], either: [listed, named] }[paramStructure]
  return {
    type: 'object',
    ...described(method),
    required: ['jsonrpc', 'method', ...(params.some(({ required }) => required) ? ['params'] : [])],
    properties: { jsonrpc: version, id, method: { const: method.name }, params: { anyOf: forms } },
  }
}

function response(result) {
  return {
    type: 'object',
    required: ['jsonrpc', 'id', 'result'],
    properties: { jsonrpc: version, id, result },
  }
}

function batch(items) {
  return { type: 'array', minItems: 1, items: { anyOf: items } }
}

function json(schema) {
  return { 'application/json': { schema } }
}

function described({ summary, description }) {
  return { ...(summary && { title: summary }), ...(description && { description }) }
}

/** Collects schemas as components. References, also those to other files and places, become references to them. */
function schemasOf(contract) {
  const components = {}
  const keys = new Map()

  function keyFor(wanted) {
    const plain = wanted.replaceAll(/[^A-Za-z0-9._-]/g, '_') || 'schema'
    for (let at = 1; ; at++) {
      const key = at === 1 ? plain : `${plain}_${at}`
      if (!Object.hasOwn(components, key)) return key
    }
  }

  function add(wanted, schema) {
    const key = keyFor(wanted)
    components[key] = schema
    return { $ref: `#/components/schemas/${key}` }
  }

  function within({ pointer, schema }) {
    return rewritten(schema, pointer)
  }

  function rewritten(schema, pointer) {
    if (typeof schema !== 'object' || schema === null) return schema
    if (Array.isArray(schema)) return schema.map((item) => rewritten(item, pointer))
    const isReference = typeof schema.$ref === 'string'
    const { $id, $schema, definitions, $defs, ...own } = schema
    const members = Object.entries(own).map(([name, value]) => [name, keywordValue(name, value, pointer)])
    return { ...Object.fromEntries(members), ...(isReference && { $ref: target(schema.$ref, pointer) }) }
  }

  function keywordValue(keyword, value, pointer) {
    if (['const', 'enum', 'default', 'examples', 'required', 'type'].includes(keyword)) return value
    if (!['properties', 'patternProperties', 'dependencies'].includes(keyword))
      return rewritten(value, pointer)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rewritten(item, pointer)]))
  }

  function target(reference, from) {
    const found = contract.resolve(reference, from)
    const known = keys.get(found.pointer)
    if (known !== undefined) return known
    const key = keyFor(found.pointer.split('/').at(-1) ?? '')
    const made = `#/components/schemas/${key}`
    keys.set(found.pointer, made)
    components[key] = true
    components[key] = within(found)
    return made
  }

  return { add, within, all: () => components }
}
