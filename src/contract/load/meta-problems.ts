import * as metaSchema from '@json-schema-tools/meta-schema'
import { getDocumentExtendedMetaSchema } from '@open-rpc/schema-utils-js'
import { Ajv, type ErrorObject } from 'ajv'
import type { ContractProblem } from '../contract-error.js'
import { isArray, isObject, type JsonObject, type JsonValue } from '../json.js'
import { joinPath, joinPointer } from '../json-pointer.js'

/** The meta-schema of JSON Schema that OpenRPC's refers to; the package's types leave it out. */
const { jsonSchema } = metaSchema as unknown as { readonly jsonSchema: JsonObject }

/** OpenRPC's meta-schema spells its name both ways. */
const jsonSchemaIds = ['https://meta.json-schema.tools', 'https://meta.json-schema.tools/']
const draft7 = 'http://json-schema.org/draft-07/schema#'

const compositions: ReadonlySet<string> = new Set(['oneOf', 'anyOf', 'allOf', 'if', 'not', 'propertyNames'])

type MetaDocument = Parameters<typeof getDocumentExtendedMetaSchema>[0]

/**
 * Everything in which a document breaks OpenRPC's meta-schema and its declared extensions, in words. The validator
 * that decides stops at the first place; this one goes on.
 */
export function metaProblems(document: JsonObject): readonly ContractProblem[] {
  const ajv = new Ajv({
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    formats: { regex: isPattern },
  })
  for (const id of jsonSchemaIds) ajv.addSchema({ ...jsonSchema, $schema: draft7, $id: id })
  ajv.validate(getDocumentExtendedMetaSchema(document as unknown as MetaDocument), document)
  const errors = (ajv.errors ?? []).filter((error) => !isOfReference(error))
  const telling = errors.filter((error) => !compositions.has(error.keyword) && !isOtherForm(error, errors))
  const problems = (telling.length > 0 ? telling : errors).map(problemOf)
  return problems.filter(
    (problem, at) =>
      problems.findIndex((p) => p.pointer === problem.pointer && p.message === problem.message) === at,
  )
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}

/** The meta-schema says `oneOf(thing, reference)` at every level: whoever wrote no reference meant the thing. */
function isOfReference({ parentSchema }: ErrorObject): boolean {
  const { title, required } = parentSchema ?? {}
  return title === 'referenceObject' || (Array.isArray(required) && required.join() === '$ref')
}

/**
 * A schema is an object or a boolean, its type one of seven or a list: that a value is not of the other form says
 * nothing beside what is wrong with it.
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

function problemOf({
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

/** A broken keyword of the meta-schema, as the person who wrote the document would say it. */
export function metaMessage({ keyword, message, params, data }: MetaFault): string {
  const detail = params ?? {}
  if (keyword === 'required') return `the member "${String(detail['missingProperty'])}" is missing`
  if (keyword === 'additionalProperties') return unknownMember(String(detail['additionalProperty']))
  if (keyword === 'format') return formatMessages[String(detail['format'])] ?? `must be a ${detail['format']}`
  if (keyword === 'type')
    return `must be ${typeWords(detail['type'])}${data === undefined ? '' : `, not ${shown(data)}`}`
  const allowed = detail['allowedValues']
  if (Array.isArray(allowed)) return `must be one of ${allowed.map(String).join(', ')}`
  return (message ?? 'breaks the OpenRPC meta-schema').replace(/^should/, 'must')
}

function unknownMember(name: string): string {
  const advice = name.startsWith('x-')
    ? 'this object takes an extension only where "x-extensions" declares it'
    : 'correct its name, or remove it'
  return `the member "${name}" is not known here: ${advice}`
}

const formatMessages: Readonly<Record<string, string>> = {
  regex: 'is no regular expression',
  uri: 'is no URI such as "https://example.com/"',
  'uri-reference': 'is no reference: write a space as %20, and a slash in place of a backslash',
  email: 'is no e-mail address',
}

/** A type, or a list of them, with its article. */
export function typeWords(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',')
  const words = names.map((name) =>
    name === 'null' ? name : `${/^[aeio]/.test(name) ? 'an' : 'a'} ${name.replace('array', 'list')}`,
  )
  return words.map((word) => (word === 'an list' ? 'a list' : word)).join(' or ')
}

/** A value in an error: small ones as they stand, others by what they are. */
function shown(value: JsonValue): string {
  if (typeof value === 'object') return kindOf(value)
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** What kind of value it is, in words. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  if (isArray(value)) return 'a list'
  if (isObject(value)) return 'an object'
  return `a ${typeof value === 'string' ? 'text' : typeof value}`
}

/** What a validator says of one broken keyword. */
export interface MetaFault {
  readonly keyword: string
  readonly message?: string | undefined
  readonly params?: Readonly<Record<string, unknown>>
  /** The value that breaks it, where it is known. */
  readonly data?: JsonValue
}
