import {
  isObject,
  type LocatedSchema,
  type Method,
  member,
  type Param,
  schemaList,
} from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, group, indent, memberName, objectType } from '../text.js'
import { labelName, pascalName } from '../types/identifiers.js'
import { optionalType } from '../types/keywords/objects.js'
import { decidingParams, sentResult } from '../types/result-types.js'
import { bodyOf, hasConditions, interfaceBody, schemaDoc, typeOf } from '../types/schema-type.js'
import { namedSchemas, type TypedSchema } from '../types/type-names.js'
import {
  createTypeWriter,
  declared,
  type TypeText,
  type TypeWriter,
  tight,
  union,
} from '../types/type-writer.js'
import { paramsDoc, resultDoc } from './method-doc.js'

/** Emits types.ts: a type for each component schema, and the parameter and result types of each method. */
export const emitTypes: Emitter = (source) => {
  const { contract, names } = source
  const writer = createTypeWriter(contract, names)
  const schemas = namedSchemas(contract, names).map((schema) => namedType(writer, schema))
  const params = contract.methods.map((method) => paramsDeclaration(writer, method))
  const methods = methodTables(source, writer)
  const aliases = aliasDeclarations(writer, [...names.aliases])
  const imports = ['JsonObject', 'JsonValue'].filter((name) => writer.used.has(name))
  const importLine =
    imports.length > 0 ? `import type { ${imports.join(', ')} } from '@concordat/rpc'\n\n` : ''
  const content =
    codeHeader(source) +
    importLine +
    [...schemas, aliases, ...params, methods].filter((text) => text !== '').join('\n')
  return { path: 'types.ts', content }
}

/**
 * Returns the declarations of aliases. An alias keeps the name of a place's type after an equal schema is added to the
 * contract.
 */
export function aliasDeclarations(
  writer: TypeWriter,
  aliases: readonly (readonly [alias: string, name: string])[],
): string {
  if (aliases.length === 0) return ''
  for (const [, name] of aliases) writer.used.add(name)
  const lines = aliases.map(([alias, name]) => `export type ${alias} = ${name}\n`)
  return `// Schemas that are equal to one of those above.\n${lines.join('')}`
}

/**
 * Returns the declaration of the type of a method's parameters, or an empty string if it has none. Decoded types
 * do not repeat the doc comments of the types as sent.
 */
export function paramsDeclaration(writer: TypeWriter, method: Method): string {
  const name = writer.names.params.get(method.name)
  if (name === undefined) return ''
  const doc = writer.isDecoded ? '' : docComment(paramsDoc(writer, method))
  return `${doc}export type ${name} =${declared(paramsType(writer, method, 94 - name.length), 90 - name.length)}\n`
}

/** Returns the interfaces `Params` and `Results`, and the types of results by parameters. */
export function methodTables(source: Source, writer: TypeWriter): string {
  const params = methodTable(
    source,
    'Params',
    `The parameters of each method, ${writer.isDecoded ? 'decoded' : 'as sent'}.`,
    () => [],
    (method) => tight(writer.names.params.get(method.name) ?? paramsType(writer, method).text),
  )
  const results = methodTable(
    source,
    'Results',
    'The result of each method.',
    (method) => (writer.isDecoded ? [] : resultDoc(writer, method)),
    ({ result }) => (result ? typeOf(writer, result.schema) : tight('void')),
  )
  return [params, results, resultOf(writer)].join('\n')
}

/** Returns the declaration of a named schema. */
export function namedType(writer: TypeWriter, located: TypedSchema): string {
  const { schema, pointer, name } = located
  const isInline = writer.names.inline.has(pointer)
  const open = isObject(schema) && member(schema, 'additionalProperties') === true
  const more = open ? 'Additional members may be present.' : undefined
  const says = schemaDoc(schema).filter(
    (text) => text !== name && (!isInline || pascalName(text ?? '') !== name),
  )
  const doc = docComment([...says, more, isInline ? undefined : `@see ${pointer}`])
  if (isInterface(writer, located))
    return `${doc}export interface ${name} ${interfaceBody(writer, located)}\n`
  const text = declared(bodyOf(writer, located), 90 - name.length)
  return `${doc}export type ${name} =${text}\n`
}

/**
 * Returns true if the schema can be emitted as an interface, which can refer to itself. Only plain object
 * schemas qualify.
 */
function isInterface(writer: TypeWriter, located: LocatedSchema): boolean {
  const { schema } = located
  if (!isObject(schema) || [member(schema, 'type')].flat().join() !== 'object') return false
  const composed = ['allOf', 'anyOf', 'oneOf'].some((keyword) => schemaList(located, keyword).length > 0)
  const other = ['$ref', 'enum', 'const', 'nullable'].some((keyword) => member(schema, keyword) !== undefined)
  const members = ['properties', 'required'].some((keyword) => member(schema, keyword) !== undefined)
  return members && !composed && !other && !hasConditions(writer, located)
}

function methodTable(
  { contract }: Source,
  name: string,
  says: string,
  doc: (method: Method) => readonly (string | undefined)[],
  type: (method: Method) => TypeText,
): string {
  const members = contract.methods.map(
    (method) => `${docComment(doc(method))}readonly ${memberName(method.name)}: ${type(method).text}`,
  )
  return `/** ${says} */\nexport interface ${name} {\n${members.map((text) => `${indent(text)}\n`).join('')}}\n`
}

/** Returns `ResultOf`, and the results of methods whose parameters decide the type of the result. */
function resultOf(writer: TypeWriter): string {
  const { contract } = writer
  const members = contract.methods.flatMap((method) => {
    const deciding = decidingParams(contract, method)
    if (deciding.length === 0) return []
    const type = sentResult(writer, method, deciding).text
    return [`${docComment(resultDoc(writer, method))}readonly ${memberName(method.name)}: ${type}\n`]
  })
  const given = members.length === 0 ? '_SentParams' : 'SentParams'
  return `/** The results that depend on the parameters sent, of type \`SentParams\`. */
export interface SentResults<${given}> {
${members.map(indent).join('')}}

/** The argument at a position of a list, or with a name. */
export type ArgumentOf<Sent, At extends string, Name extends string> = Sent extends readonly unknown[]
  ? At extends keyof Sent
    ? Sent[At]
    : undefined
  : Name extends keyof Sent
    ? Sent[Name]
    : undefined

/** The result of a method for the parameters sent. */
export type ResultOf<Method extends keyof Results, Sent = Params[Method]> =
  Method extends keyof SentResults<unknown> ? SentResults<Sent>[Method] : Results[Method]
`
}

/** Returns the parameter type: a tuple, an object, or a union of both, depending on `paramStructure`. */
function paramsType(writer: TypeWriter, { params, paramStructure }: Method, width?: number): TypeText {
  const byPosition = tight(`readonly ${group('[', tupleItems(writer, params), ']', width)}`)
  const byName = namedParams(writer, params)
  if (paramStructure === 'by-position') return byPosition
  return paramStructure === 'by-name' ? byName : union([byPosition, byName])
}

/**
 * Returns the tuple elements. A tuple can only omit trailing elements, so an optional parameter before a
 * required one must be sent.
 */
function tupleItems(writer: TypeWriter, params: readonly Param[]): readonly string[] {
  const lastRequired = params.findLastIndex(({ required }) => required)
  return params.map(({ name, schema }, at) => {
    return `${labelName(name)}${at > lastRequired ? '?' : ''}: ${typeOf(writer, schema).text}`
  })
}

function namedParams(writer: TypeWriter, params: readonly Param[]): TypeText {
  if (params.length === 0) return tight('Record<string, never>')
  const members = params.map(({ name, required, schema }) => {
    const type = typeOf(writer, schema)
    return required
      ? `readonly ${memberName(name)}: ${type.text}`
      : `readonly ${memberName(name)}?: ${optionalType(name, type).text}`
  })
  return tight(objectType(members))
}
