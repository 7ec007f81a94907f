import { isObject, type Method, stringMember } from '../../contract/index.js'
import { oneLine } from '../text.js'
import { schemaNotes } from '../types/schema-notes.js'
import { useDoc } from '../types/schema-type.js'
import type { TypeWriter } from '../types/type-writer.js'

type Doc = readonly (string | undefined)[]
type Descriptor = NonNullable<Method['result']>

/**
 * Returns the doc comment of a method's implementation.
 * @param note additional text
 */
export function methodDoc(writer: TypeWriter, method: Method, note?: string): Doc {
  const returns = method.result && descriptorWords(writer, method.result)
  return [
    ...methodWords(method),
    note,
    ...paramsWords(writer, method),
    returns === undefined ? undefined : `@returns ${returns}`,
    deprecation(method),
  ]
}

/** Returns the doc comment of the type of a method's parameters. The method itself is described where it is called. */
export function paramsDoc(writer: TypeWriter, method: Method): Doc {
  return [`Parameters of \`${oneLine(method.name)}\`.`, ...paramsWords(writer, method), deprecation(method)]
}

/** Returns the doc comment of a method's result. */
export function resultDoc(writer: TypeWriter, method: Method): Doc {
  return [method.result && descriptorWords(writer, method.result), deprecation(method)]
}

/** Returns summary and description. The summary is dropped if the description starts with it. */
export function methodWords({ summary, description }: Method): readonly string[] {
  const repeated = summary !== undefined && description?.startsWith(summary.replace(/\.$/, ''))
  return [repeated ? undefined : summary, description].filter((text) => text !== undefined)
}

/**
 * Returns the texts of a descriptor and of its inline schema, because many documents describe one in place of
 * the other. A referenced schema documents itself.
 */
export function descriptorTexts({ description, summary, schema }: Descriptor): readonly string[] {
  const own = description ?? summary ?? ''
  const inner = isObject(schema.schema) ? (stringMember(schema.schema, 'description') ?? '') : ''
  return [own, own.includes(inner) ? '' : inner].filter((text) => text.trim() !== '')
}

/** Returns a line for each parameter with the constraints that its type cannot express. */
function paramsWords(writer: TypeWriter, { params }: Method): Doc {
  return params.map((param) => {
    const words = descriptorWords(writer, param)
    return words === undefined ? undefined : `- ${param.name}: ${words}`
  })
}

/** Returns a descriptor's description and the constraints that its type cannot express. */
function descriptorWords(writer: TypeWriter, descriptor: Descriptor): string | undefined {
  const { texts, notes } = descriptorParts(writer, descriptor)
  return texts.length + notes.length === 0 ? undefined : inOneParagraph([...texts, ...notes])
}

/** Returns what a descriptor says, without what the doc comment of its schema's name says. */
function descriptorParts(
  writer: TypeWriter,
  descriptor: Descriptor,
): { readonly texts: readonly string[]; readonly notes: readonly string[] } {
  const { schema } = descriptor
  if (!writer.names.inline.has(schema.pointer))
    return { texts: descriptorTexts(descriptor), notes: schemaNotes(schema.schema) }
  const [inner] = useDoc(writer, schema)
  const own = descriptor.description ?? descriptor.summary ?? ''
  return { texts: [own, inner ?? ''].filter((text) => text.trim() !== ''), notes: [] }
}

/** Joins texts into one paragraph. Each text is ended with a full stop if it lacks one. */
export function inOneParagraph(texts: readonly string[]): string {
  const shown = texts.map((text) => text.trim()).filter((text) => text !== '')
  const ended = (text: string) =>
    /[\p{L}\p{N})\]"'`]$/u.test(text) && !/`{3}$/.test(text) ? `${text}.` : text
  return shown.map((text, at) => (at === shown.length - 1 ? text : ended(text))).join(' ')
}

function deprecation({ deprecated }: Method): string | undefined {
  return deprecated ? '@deprecated' : undefined
}
