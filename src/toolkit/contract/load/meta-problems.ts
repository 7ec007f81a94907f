import { getDocumentExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { ContractProblem } from '../contract-error.js'
import { formats } from '../formats.js'
import { isArray, isObject, type JsonObject, type JsonValue } from '../json.js'
import { joinPath, joinPointer } from '../json-pointer.js'
import { withErrorExtensions } from './error-extensions.js'
import { jsonSchema, withRelativeServers } from './fetch-document.js'

/** OpenRPC's meta-schema uses both spellings of this name. */
const jsonSchemaIds = ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']
const draft7 = 'http://json-schema.org/draft-07/schema#'

const compositions: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'if', 'not', 'propertyNames'])

type MetaDocument = Parameters<typeof getDocumentExtendedMetaSchema>[0]

/**
 * Finds all violations of OpenRPC's meta-schema and of declared extensions.
 * @param document the parsed document
 * @returns the problems, each with its pointer
 * @throws Error when a declared extension cannot be applied to the meta-schema
 */
export function metaProblems(document: JsonObject): readonly ContractProblem[] {
  const validate = metaValidator(document)
  if (validate(document)) return []
  const errors = (validate.errors ?? []).filter((error) => !isOfReference(error))
  const telling = errors.filter((error) => !compositions.has(error.keyword) && !isOtherForm(error, errors))
  const problems = (telling.length > 0 ? telling : errors).map(problemOf)
  return problems.filter(
    (problem, at) =>
      problems.findIndex((p) => p.pointer === problem.pointer && p.message === problem.message) === at,
  )
}

/** Number of compiled meta-schemas that are kept. */
const mostCompiled = 8
/** The meta-schemas of the latest versions and extensions, the oldest first: compiling takes longer than validating. */
const compiled = new Map<string, ValidateFunction>()

/** Compiles OpenRPC's meta-schema with the extensions that a document declares. */
function metaValidator(given: JsonObject): ValidateFunction {
  const document = withErrorExtensions(given)
  const key = JSON.stringify([document['openrpc'], document['x-extensions']])
  const known = compiled.get(key)
  if (known !== undefined) return known
  // The validator sees one document, and optimizing takes a third of the time to compile.
  const code = { optimize: false }
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    formats: metaFormats,
    code,
  })
  for (const id of jsonSchemaIds) ajv.addSchema({ ...jsonSchema, $schema: draft7, $id: id })
  const extended = getDocumentExtendedMetaSchema(document as unknown as MetaDocument)
  const validate = ajv.compile(withRelativeServers(extended))
  const [oldest = ''] = compiled.keys()
  if (compiled.size >= mostCompiled) compiled.delete(oldest)
  compiled.set(key, validate)
  return validate
}

/** The formats of extensions, and lenient forms of the URIs that the meta-schema asks for. */
const metaFormats = {
  ...formats,
  uri: /^[a-z][a-z0-9+.-]*:\S*$/i,
  'uri-reference': /^[^\s\\#]*(#[^\s\\]*)?$/,
}

/**
 * True for errors of the `referenceObject` alternative. The meta-schema allows `oneOf(object, reference)`
 * everywhere, and the author wrote no reference.
 */
function isOfReference({ parentSchema }: ErrorObject): boolean {
  const { title, required } = parentSchema ?? {}
  return title === 'referenceObject' || (Array.isArray(required) && required.join() === '$ref')
}

/**
 * True for errors about the other form of a value, such as a boolean schema. They add nothing if the value
 * also has a specific error.
 */
function isOtherForm(error: ErrorObject, all: readonly ErrorObject[]): boolean {
  if (
    error.keyword === 'type' &&
    all.some((e) => e.keyword === 'enum' && e.instancePath === error.instancePath)
  ) {
    return true
  }
  if (error.parentSchema?.['title'] !== 'JSONSchemaBoolean') return false
  const { instancePath } = error
  return all.some(
    (other) =>
      other !== error &&
      !compositions.has(other.keyword) &&
      (other.instancePath === instancePath || other.instancePath.startsWith(`${instancePath}/`)),
  )
}

/** Returns the place and the message of an error that Ajv found in a document. */
export function problemOf({
  instancePath,
  keyword,
  message,
  params,
  data,
  propertyName,
}: ErrorObject): ContractProblem {
  const surplus = keyword === 'additionalProperties' ? String(params['additionalProperty']) : undefined
  const member = propertyName ?? surplus
  const pointer = joinPath('#', instancePath)
  const text = metaMessage({ keyword, message, params, data: data as JsonValue })
  return {
    pointer: member === undefined ? pointer : joinPointer(pointer, member),
    message: propertyName === undefined ? text : `the name "${propertyName}" ${text}`,
  }
}

/** Describes a violated keyword of the meta-schema for the author of the document. */
export function metaMessage({ keyword, message, params, data }: MetaFault): string {
  const detail = params ?? {}
  if (keyword === 'required') return `the member "${String(detail['missingProperty'])}" is missing`
  if (keyword === 'additionalProperties') return unknownMember(String(detail['additionalProperty']))
  if (keyword === 'format') return formatMessages[String(detail['format'])] ?? `must be a ${detail['format']}`
  if (keyword === 'type')
    return `must be ${typeWords(detail['type'])}${data === undefined ? '' : `, not ${shown(data)}`}`
  const allowed = detail['allowedValues']
  if (Array.isArray(allowed)) return `must be one of ${allowed.map(String).join(', ')}`
  return (message ?? 'violates the OpenRPC meta-schema').replace(/^should/, 'must')
}

function unknownMember(name: string): string {
  const advice = name.startsWith('x-')
    ? 'declare the extension in "x-extensions"'
    : 'correct its name or remove it'
  return `unknown member "${name}": ${advice}`
}

const formatMessages: Readonly<Record<string, string>> = {
  regex: 'is not a valid regular expression',
  uri: 'is not a URI such as "https://example.com/"',
  'uri-reference': 'is not a URI reference: write spaces as %20, and slashes instead of backslashes',
  email: 'is not an e-mail address',
}

/** Formats a type or a list of types with articles. */
export function typeWords(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',')
  const words = names.map((name) =>
    name === 'null' ? name : `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name.replace('array', 'list')}`,
  )
  return words.map((word) => (word === 'an list' ? 'a list' : word)).join(' or ')
}

/** Formats a value for a message. Objects and lists are named by kind, and long values are cut. */
function shown(value: JsonValue): string {
  if (typeof value === 'object') return kindOf(value)
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** Names the kind of a value with its article. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return `a ${typeof value}`
}

/** A violated keyword as a validator reports it. */
export interface MetaFault {
  readonly keyword: string
  readonly message?: string | undefined
  readonly params?: Readonly<Record<string, unknown>>
  /** The invalid value, if known. */
  readonly data?: JsonValue
}
