import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  type Schema,
  tupleKeywords,
} from '../../contract/index.js'
import { annotationNotes } from './keywords/annotations.js'
import { typeNotes } from './keywords/any-type.js'
import { arrayNotes } from './keywords/arrays.js'
import { formNotes, isNull, refusalNotes } from './keywords/boolean-logic.js'
import { conditionNotes } from './keywords/conditions.js'
import { dependencyNotes } from './keywords/dependencies.js'
import { formatNotes } from './keywords/formats.js'
import { numberNotes } from './keywords/numbers.js'
import { memberNotes, sizeNotes } from './keywords/objects.js'
import { stringNotes } from './keywords/strings.js'
import { unevaluatedNotes } from './keywords/unevaluated.js'

/** The notes of each group of keywords, in the order of a description. */
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
