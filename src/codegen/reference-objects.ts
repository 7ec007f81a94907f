import { isArray, isObject, type LocatedSchema, member, schemaMap } from '../contract/index.js'
import type { Source } from './generated-file.js'
import { anchor, codeBlock, prose, proseLine, table } from './markdown.js'
import { code, schemaNotes } from './schema-notes.js'
import { createTypeWriter, type TypeWriter, typeOf } from './schema-type.js'
import { namedSchemas } from './type-names.js'

/** The schemas that have a name: scalars and unions with what they demand, objects with a table of their members. */
export function objectSections({ contract, names }: Source): string {
  const writer = createTypeWriter(contract, names)
  return namedSchemas(contract, names)
    .map((schema) => `### ${proseLine(schema.name)}\n\n${objectText(writer, schema)}`)
    .join('\n')
}

/** What the contract says of one schema that has a name. */
export function objectText(writer: TypeWriter, schema: LocatedSchema): string {
  const value = schema.schema
  const description = isObject(value) ? member(value, 'description') : undefined
  const properties = schemaMap(schema, 'properties')
  // Members tell what the type is, unless it is composed of others beside them.
  const isTold =
    properties.length > 0 && !['allOf', 'anyOf', 'oneOf', '$ref'].some((word) => has(value, word))
  const notes = proseLine(schemaNotes(value).join(' '))
  const type = isTold ? '' : `Type: ${typeCell(writer, schema)}.`
  const members = table(['Member', 'Type', 'Required', 'Description'], memberRows(writer, schema))
  return [
    typeof description === 'string' ? `${prose(description).trim()}\n` : '',
    type === '' && notes === '' ? '' : `${[type, notes].filter((text) => text !== '').join(' ')}\n`,
    isTold ? '' : typeDetails(writer, [['', schema]]),
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

/** Texts in one line, each of which ends before the next one begins. */
export function sentences(texts: readonly string[]): string {
  const lines = texts.map((text) => proseLine(text).trim()).filter((line) => line !== '')
  return lines
    .map((line, at) => (at === lines.length - 1 || /[.!?:;]$/.test(line) ? line : `${line}.`))
    .join(' ')
}

/** How many characters of a type stand in a table, and how many of each type that it chooses from. */
const typeCharacters = { cell: 60, choice: 40 }

/** A schema's type for a table: links where it is of components, words where `typeDetails` tells the rest. */
export function typeCell(writer: TypeWriter, located: LocatedSchema): string {
  const { text } = typeOf(writer, located)
  if (isShort(text)) return linked(writer, inOneLine(text))
  return choices(text).length === 1 && text.startsWith('{') && text.endsWith('}')
    ? 'an object'
    : 'as written below'
}

/** The whole types that are too much for a table, as TypeScript writes them, each under the name of what has it. */
export function typeDetails(
  writer: TypeWriter,
  schemas: readonly (readonly [name: string, schema: LocatedSchema])[],
): string {
  return schemas
    .map(([name, schema]) => [name, typeOf(writer, schema).text] as const)
    .filter(([, text]) => !isShort(text))
    .map(
      ([name, text]) => `${name === '' ? '' : `${code(name)}:\n\n`}${codeBlock('ts', withoutReadonly(text))}`,
    )
    .join('\n')
}

/** False for a long type, and for one that has words of its own to say. */
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

/** Who reads of a value does not write to it. */
function withoutReadonly(type: string): string {
  return type.replaceAll(/\breadonly (?=[\w'"[])/g, '')
}

/** `Hash[] | null` with the names of components as links. */
function linked(writer: TypeWriter, type: string): string {
  const names = new Set(writer.names.values())
  const link = (part: string) => {
    const name = part.replace(/(?:\[\])+$/, '')
    return names.has(name) ? `[${code(part)}](#${anchor(name)})` : code(part)
  }
  return choices(type).map(link).join(' or ')
}

/** What a type chooses from: the parts between the bars that stand in no bracket and no text. */
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
