import {
  isArray,
  isObject,
  isValidatedFormat,
  type JsonObject,
  type JsonValue,
  member,
  type Schema,
  tupleKeywords,
} from '../../contract/index.js'
import { oneLine } from '../text.js'

/**
 * Describes the constraints of a schema that its type cannot express (JSON Schema draft-07 validation,
 * section 6). Referenced schemas are described at their own place.
 */
export function schemaNotes(schema: Schema): readonly string[] {
  if (!isObject(schema)) return []
  const value = (name: string) => member(schema, name)
  const notes = [...valueNotes(value), ...structureNotes(value), ...annotations(value), ...innerNotes(schema)]
  return notes.filter((note, at) => note !== '' && notes.indexOf(note) === at)
}

type Keyword = (name: string) => JsonValue | undefined

/** Returns the constraints of types, numbers, strings, lists and objects. */
function valueNotes(value: Keyword): readonly string[] {
  const has = (name: string) => value(name) !== undefined
  const format = value('format')
  const types = value('type')
  const isInteger = types === 'integer' || (isArray(types) && types.includes('integer'))
  return [
    isInteger && !has('enum') && !has('const') ? 'A whole number.' : '',
    has('format')
      ? `Format: ${code(String(format))}${isValidatedFormat(format) ? '' : ', not validated'}.`
      : '',
    has('pattern') ? `Pattern: ${code(String(value('pattern')))}.` : '',
    range('Length', value('minLength'), value('maxLength')),
    range('Value', value('minimum'), value('maximum')),
    has('exclusiveMinimum') ? `More than ${value('exclusiveMinimum')}.` : '',
    has('exclusiveMaximum') ? `Less than ${value('exclusiveMaximum')}.` : '',
    has('multipleOf') ? `A multiple of ${value('multipleOf')}.` : '',
    range('Items', value('minItems'), value('maxItems')),
    value('uniqueItems') === true ? 'Items are unique.' : '',
    has('contains') ? 'At least one item must match a given schema.' : '',
    range('Members', value('minProperties'), value('maxProperties')),
    has('propertyNames') ? 'The names of members are validated.' : '',
  ]
}

function structureNotes(value: Keyword): readonly string[] {
  const forbidden = value('not')
  const why = isObject(forbidden)
    ? (member(forbidden, 'description') ?? member(forbidden, 'title'))
    : undefined
  const oneOf = value('oneOf')
  const patterns = value('patternProperties')
  const isClosed = value('additionalProperties') === false || value('unevaluatedProperties') === false
  return [
    forbidden === undefined ? '' : why === undefined ? 'Some values are refused.' : `Refused: ${String(why)}`,
    value('if') === undefined ? '' : 'Further conditions apply.',
    ...dependencyNotes(value('dependencies')),
    ...dependencyNotes(value('dependentRequired')),
    value('dependentSchemas') === undefined ? '' : 'Further conditions apply.',
    ...(isObject(patterns) ? Object.keys(patterns) : []).map(
      (pattern) => `Members whose name matches ${code(pattern)} have a separate schema.`,
    ),
    isClosed && (isObject(value('properties')) || isObject(patterns)) ? 'No further members.' : '',
    value('unevaluatedItems') === false ? 'No further items.' : '',
    isArray(oneOf) && oneOf.filter((form) => !isNull(form)).length > 1 ? 'Must match exactly one form.' : '',
  ]
}

/** Returns annotations without a constraint, and extensions of JSON Schema. */
function annotations(value: Keyword): readonly string[] {
  const content = ['contentEncoding', 'contentMediaType'].flatMap((name) => {
    const text = value(name)
    return typeof text === 'string' ? [code(text)] : []
  })
  return [
    content.length > 0 ? `Content: ${content.join(', ')}, not validated.` : '',
    value('readOnly') === true ? 'Read only.' : '',
    value('writeOnly') === true ? 'Write only.' : '',
    value('nullable') === true ? "Null is also accepted (OpenAPI's `nullable`)." : '',
    value('default') === undefined ? '' : `Default: ${code(JSON.stringify(value('default')))}.`,
  ]
}

/** Returns the constraints of nested schemas that have no description of their own. */
function innerNotes(schema: JsonObject): readonly string[] {
  const inner = (name: string) => listed(member(schema, name)).map(schemaNotes)
  const tuple = tupleKeywords(schema)
  const forms = [...inner('anyOf'), ...inner('oneOf')].filter((notes) => notes.length > 0)
  const alternatives = [...listed(member(schema, 'anyOf')), ...listed(member(schema, 'oneOf'))]
  const isOne = alternatives.filter((form) => !isNull(form)).length === 1
  return [
    ...inner('allOf').flat(),
    ...(isOne ? forms.flat() : forms.map((notes) => within('One form', notes))),
    ...(tuple
      ? inner(tuple.first).map((notes, at) => within(`Item ${at}`, notes))
      : [within('Each item', notesOf(member(schema, 'items')))]),
    within('Each further item', tuple ? notesOf(member(schema, tuple.others)) : []),
    within('Each further member', notesOf(member(schema, 'additionalProperties'))),
  ]
}

function notesOf(schema: JsonValue | undefined): readonly string[] {
  return isObject(schema) ? schemaNotes(schema) : []
}

function listed(schemas: JsonValue | undefined): readonly JsonObject[] {
  return isArray(schemas) ? schemas.map((schema) => (isObject(schema) ? schema : {})) : []
}

/** Joins notes to one sentence about a part: "Each item: length: 3, pattern: …". */
function within(part: string, notes: readonly string[]): string {
  const phrases = notes.map((note) =>
    note.replace(/\.$/, '').replace(/^[A-Z]/, (letter) => letter.toLowerCase()),
  )
  return phrases.length === 0 ? '' : `${part}: ${phrases.join(', ')}.`
}

function isNull(schema: JsonValue): boolean {
  return isObject(schema) && member(schema, 'type') === 'null'
}

function dependencyNotes(value: JsonValue | undefined): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).map(([name, wanted]) => {
    if (isArray(wanted))
      return `${code(name)} requires ${wanted.map((item) => code(String(item))).join(', ')}.`
    return `Further conditions apply if ${code(name)} is present.`
  })
}

function range(what: string, least: JsonValue | undefined, most: JsonValue | undefined): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `${what}: at most ${most}.`
  if (most === undefined) return `${what}: at least ${least}.`
  return least === most ? `${what}: ${least}.` : `${what}: ${least} to ${most}.`
}

/** Formats text as a code span. The delimiter is longer than any run of backticks in the text. */
export function code(text: string): string {
  const line = oneLine(text)
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `\`${line}\``
}
