import { followed, isArray, isObject, type LocatedSchema, member, schemaMap } from '../contract/index.js'
import type { Source } from './generated-file.js'
import { anchor, prose, proseLine, table } from './markdown.js'
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
  const members = memberRows(writer, schema)
  const type = members.length > 0 ? '' : typeCell(writer, schema)
  const parts = [
    typeof description === 'string' ? `${prose(description).trim()}\n` : '',
    [type === '' ? '' : `Type: ${type}.`, proseLine(schemaNotes(value).join(' '))]
      .filter((text) => text !== '')
      .join(' '),
    table(['Member', 'Type', 'Required', 'Description'], members),
  ]
  return parts
    .filter((part) => part !== '')
    .map((part) => (part.endsWith('\n') ? part : `${part}\n`))
    .join('\n')
}

function memberRows(writer: TypeWriter, located: LocatedSchema): readonly (readonly string[])[] {
  const { schema } = located
  const required = isObject(schema) ? member(schema, 'required') : undefined
  return schemaMap(located, 'properties').map(([name, property]) => {
    const says = isObject(property.schema) ? member(property.schema, 'description') : undefined
    const words = [typeof says === 'string' ? says : '', schemaNotes(property.schema).join(' ')].map(
      proseLine,
    )
    return [
      code(name),
      typeCell(writer, property),
      isArray(required) && required.includes(name) ? 'yes' : 'no',
      words.filter((word) => word !== '').join(' '),
    ]
  })
}

/** A schema's type for a table: a link where it is a component, a word where it is too long to be read there. */
export function typeCell(writer: TypeWriter, located: LocatedSchema): string {
  const target = followed(located, writer.contract)
  const name = target && writer.names.get(target.pointer)
  const text = typeOf(writer, located).text
  if (name !== undefined && text === name) return `[${code(name)}](#${anchor(name)})`
  const plain = text
    .replaceAll(/\/\*\*.*?\*\/\s*/gs, '')
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/(?<=[^\s{(|&,;])\n\s*(?=(?:[\w$]+|'(?:[^'\\]|\\.)*'|\[[^\]]*\])\??:)/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (plain.length <= 60) return linked(writer, plain)
  return plain.startsWith('{') ? 'an object' : code(`${plain.slice(0, 57)}…`)
}

/** `Hash[] | null` with the names of components as links. */
function linked(writer: TypeWriter, type: string): string {
  const names = new Set(writer.names.values())
  const parts = type.split(' | ')
  const link = (part: string) => {
    const name = part.replace(/\[\]$/, '')
    return names.has(name) ? `[${code(part)}](#${anchor(name)})` : code(part)
  }
  return parts.map(link).join(' or ')
}
