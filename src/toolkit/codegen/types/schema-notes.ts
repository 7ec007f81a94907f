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
import { typeNotes } from './keywords/any-type.js'
import { arrayNotes, unevaluatedNotes } from './keywords/arrays.js'
import { formNotes, isNull, refusalNotes } from './keywords/boolean-logic.js'
import { conditionNotes } from './keywords/conditions.js'
import { dependencyNotes } from './keywords/dependencies.js'
import { memberNotes, sizeNotes } from './keywords/objects.js'
import { stringNotes } from './keywords/strings.js'
import { code, type Keyword, range } from './note-text.js'

/**
 * The notes of each group of keywords, in the order of a description. Those of keywords that no type expresses are below.
 */
const notesByKeyword = [
  typeNotes,
  formatNotes,
  stringNotes,
  numberNotes,
  arrayNotes,
  sizeNotes,
  refusalNotes,
  conditionNotes,
  dependencyNotes,
  memberNotes,
  unevaluatedNotes,
  formNotes,
  annotationNotes,
]

/**
 * Describes the constraints of a schema that its type cannot express (JSON Schema draft-07 validation,
 * section 6). Referenced schemas are described at their own place.
 */
export function schemaNotes(schema: Schema): readonly string[] {
  if (!isObject(schema)) return []
  const value = (name: string) => member(schema, name)
  const notes = [...notesByKeyword.flatMap((notesOfGroup) => notesOfGroup(value)), ...innerNotes(schema)]
  return notes.filter((note, at) => note !== '' && notes.indexOf(note) === at)
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

/**
 * Names the format, and says whether it is validated (`format`: draft-07 validation, section 7; 2020-12 validation,
 * section 7).
 */
function formatNotes(value: Keyword): readonly string[] {
  const format = value('format')
  if (format === undefined) return []
  return [`Format: ${code(String(format))}${isValidatedFormat(format) ? '' : ', not validated'}.`]
}

/** Describes the constraints of numbers (draft-07 validation, section 6.2; 2020-12 validation, section 6.2). */
function numberNotes(value: Keyword): readonly string[] {
  const note = (name: string, words: string) => (value(name) === undefined ? '' : `${words} ${value(name)}.`)
  return [
    range('Value', value('minimum'), value('maximum')),
    note('exclusiveMinimum', 'More than'),
    note('exclusiveMaximum', 'Less than'),
    note('multipleOf', 'A multiple of'),
  ]
}

/**
 * Describes keywords without constraints: `contentEncoding` and `contentMediaType` (draft-07 validation, section 8;
 * 2020-12 validation, section 8), `readOnly`, `writeOnly` and `default` (draft-07 validation, section 10; 2020-12
 * validation, section 9), and `nullable` of OpenAPI.
 */
function annotationNotes(value: Keyword): readonly string[] {
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
