import { isArray, isObject, type LocatedSchema, member, schemaMap } from '../../contract/index.js'
import type { Source } from '../generated-file.js'
import { code } from '../types/note-text.js'
import { schemaNotes } from '../types/schema-notes.js'
import { bodyOf, typeOf } from '../types/schema-type.js'
import { namedSchemas } from '../types/type-names.js'
import { createTypeWriter, jsonTypes, type TypeWriter } from '../types/type-writer.js'
import { anchor, codeBlock, prose, proseLine, table } from './markdown.js'

/**
 * Describes the named schemas: scalars and unions with their constraints, objects with a table of their
 * members.
 */
export function objectSections({ contract, names }: Source): string {
  const writer = createTypeWriter(contract, names)
  return namedSchemas(contract, names)
    .map((schema) => `### ${proseLine(schema.name)}\n\n${objectText(writer, schema)}`)
    .join('\n')
}

/** Describes one named schema. */
function objectText(writer: TypeWriter, schema: LocatedSchema): string {
  const value = schema.schema
  const description = isObject(value) ? member(value, 'description') : undefined
  const properties = schemaMap(schema, 'properties')
  // The table of members replaces the type, unless the schema is also composed of others.
  const hasMemberTable =
    properties.length > 0 && !['allOf', 'anyOf', 'oneOf', '$ref'].some((word) => has(value, word))
  const notes = proseLine(schemaNotes(value).join(' '))
  const type = hasMemberTable ? '' : `Type: ${cellOf(writer, bodyOf(writer, schema).text)}.`
  const members = table(['Member', 'Type', 'Required', 'Description'], memberRows(writer, schema))
  return [
    typeof description === 'string' ? `${prose(description).trim()}\n` : '',
    type === '' && notes === '' ? '' : `${[type, notes].filter((text) => text !== '').join(' ')}\n`,
    hasMemberTable ? '' : detailsOf('', bodyOf(writer, schema).text),
    members,
    typeDetails(writer, properties),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

const has = (schema: LocatedSchema['schema'], word: string) => isObject(schema) && Object.hasOwn(schema, word)

function memberRows(writer: TypeWriter, located: LocatedSchema): readonly (readonly string[])[] {
  const { schema } = located
  const required = isObject(schema) ? member(schema, 'required') : undefined
  return schemaMap(located, 'properties').map(([name, property]) => {
    const says = isObject(property.schema) ? member(property.schema, 'description') : undefined
    return [
      code(name),
      typeCell(writer, property),
      isArray(required) && required.includes(name) ? 'yes' : 'no',
      sentences([typeof says === 'string' ? says : '', ...schemaNotes(property.schema)]),
    ]
  })
}

/** Joins texts on one line. Each text is ended with a full stop if it lacks punctuation. */
export function sentences(texts: readonly string[]): string {
  const lines = texts.map((text) => proseLine(text).trim()).filter((line) => line !== '')
  return lines
    .map((line, at) => (at === lines.length - 1 || /[.!?:;]$/.test(line) ? line : `${line}.`))
    .join(' ')
}

/** Maximum length of a type in a table cell, and of each member of a union, in characters. */
const typeCharacters = { cell: 60, choice: 40 }

/**
 * Formats a type for a table cell, with links to components. A long type is replaced by a reference to
 * `typeDetails`.
 */
export function typeCell(writer: TypeWriter, located: LocatedSchema): string {
  return cellOf(writer, typeOf(writer, located).text)
}

function cellOf(writer: TypeWriter, text: string): string {
  if (isShort(text)) return linked(writer, inOneLine(text))
  return choices(text).length === 1 && text.startsWith('{') && text.endsWith('}')
    ? 'an object'
    : 'as written below'
}

/** Shows types that are too long for a table as TypeScript code, each under its name. */
export function typeDetails(
  writer: TypeWriter,
  schemas: readonly (readonly [name: string, schema: LocatedSchema])[],
): string {
  return schemas
    .map(([name, schema]) => detailsOf(name, typeOf(writer, schema).text))
    .filter((text) => text !== '')
    .join('\n')
}

function detailsOf(name: string, text: string): string {
  if (isShort(text)) return ''
  return `${name === '' ? '' : `${code(name)}:\n\n`}${codeBlock('ts', withoutReadonly(text))}`
}

/** Returns false for a long type and for one with doc comments. */
function isShort(type: string): boolean {
  if (type.includes('/**')) return false
  const line = inOneLine(type)
  return (
    line.length <= typeCharacters.cell || choices(line).every(({ length }) => length <= typeCharacters.choice)
  )
}

function inOneLine(type: string): string {
  return withoutReadonly(type)
    .replaceAll(/(?<=[^\s{(|&,;])\n\s*(?=(?:[\w$]+|'(?:[^'\\]|\\.)*'|\[[^\]]*\])\??:)/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Removes `readonly`, which is noise in documentation. */
function withoutReadonly(type: string): string {
  return type.replaceAll(/\breadonly (?=[\w'"[])/g, '')
}

/** Formats a type such as `Hash[] | null` with links to its components. */
function linked(writer: TypeWriter, type: string): string {
  const link = (part: string) => {
    const name = part.replace(/(?:\[\])+$/, '')
    return writer.known.has(name) && !jsonTypes.has(name) ? `[${code(part)}](#${anchor(name)})` : code(part)
  }
  return choices(type).map(link).join(' or ')
}

/** Splits a union type at its top-level bars. */
function choices(type: string): readonly string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const [token] of type.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"| \| |./gs)) {
    if ('{[(<'.includes(token)) depth += 1
    if ('}])>'.includes(token)) depth -= 1
    if (token === ' | ' && depth === 0) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${token}`)
  }
  return parts
}
