import { isArray, isObject, type JsonValue, member, type Schema } from '../contract/index.js'
import { oneLine } from './text.js'

/** What a schema demands beyond its type, in words; it is validated all the same (draft-07 validation, section 6). */
export function schemaNotes(schema: Schema): readonly string[] {
  if (!isObject(schema)) return []
  const value = (name: string) => member(schema, name)
  const has = (name: string) => value(name) !== undefined
  return [
    has('format') ? `Format: ${code(String(value('format')))}.` : '',
    has('pattern') ? `Pattern: ${code(String(value('pattern')))}.` : '',
    range('Length', value('minLength'), value('maxLength')),
    range('Value', value('minimum'), value('maximum')),
    has('exclusiveMinimum') ? `More than ${value('exclusiveMinimum')}.` : '',
    has('exclusiveMaximum') ? `Less than ${value('exclusiveMaximum')}.` : '',
    has('multipleOf') ? `A multiple of ${value('multipleOf')}.` : '',
    range('Items', value('minItems'), value('maxItems')),
    value('uniqueItems') === true ? 'No item twice.' : '',
    has('contains') ? 'At least one item of a certain form is validated.' : '',
    range('Members', value('minProperties'), value('maxProperties')),
    has('propertyNames') ? 'The names of members are validated.' : '',
    ...structureNotes(value),
    has('default') ? `Default: ${code(JSON.stringify(value('default')))}.` : '',
  ].filter((note) => note !== '')
}

function structureNotes(value: (name: string) => JsonValue | undefined): readonly string[] {
  const forbidden = value('not')
  const why = isObject(forbidden)
    ? (member(forbidden, 'description') ?? member(forbidden, 'title'))
    : undefined
  const oneOf = value('oneOf')
  return [
    forbidden === undefined ? '' : why === undefined ? 'Some forms are refused.' : `Refused: ${String(why)}`,
    value('if') === undefined ? '' : 'Further conditions are validated.',
    ...dependencyNotes(value('dependencies')),
    ...dependencyNotes(value('dependentRequired')),
    value('dependentSchemas') === undefined ? '' : 'Further conditions are validated.',
    value('unevaluatedProperties') === false ? 'No further members.' : '',
    isArray(oneOf) && oneOf.filter((form) => !isNull(form)).length > 1 ? 'Exactly one of the forms.' : '',
  ]
}

function isNull(schema: JsonValue): boolean {
  return isObject(schema) && member(schema, 'type') === 'null'
}

function dependencyNotes(value: JsonValue | undefined): readonly string[] {
  if (!isObject(value)) return []
  return Object.entries(value).map(([name, wanted]) => {
    if (isArray(wanted))
      return `With ${code(name)} goes ${wanted.map((item) => code(String(item))).join(', ')}.`
    return `With ${code(name)} further conditions are validated.`
  })
}

function range(what: string, least: JsonValue | undefined, most: JsonValue | undefined): string {
  if (least === undefined && most === undefined) return ''
  if (least === undefined) return `${what}: at most ${most}.`
  if (most === undefined) return `${what}: at least ${least}.`
  return least === most ? `${what}: ${least}.` : `${what}: ${least} to ${most}.`
}

/** Text as Markdown code; the fence is longer than any run of backticks in it. */
export function code(text: string): string {
  const line = oneLine(text)
  const runs = line.match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(0, ...runs.map((run) => run.length)) + 1)
  return fence.length > 1 ? `${fence} ${line} ${fence}` : `\`${line}\``
}
