import { isObject, type Method, stringMember } from '../../contract/index.js'
import { schemaNotes } from '../types/schema-notes.js'

type Doc = readonly (string | undefined)[]
type Descriptor = NonNullable<Method['result']>

/**
 * Returns the doc comment of a method's implementation.
 * @param note additional text
 */
export function methodDoc(method: Method, note?: string): Doc {
  const returns = resultWords(method)
  return [
    ...methodWords(method),
    note,
    ...paramsWords(method),
    returns === undefined ? undefined : `@returns ${returns}`,
    deprecation(method),
  ]
}

/** Returns the doc comment of a method's parameters: the method's purpose and each parameter. */
export function paramsDoc(method: Method): Doc {
  return [method.summary ?? method.description, ...paramsWords(method), deprecation(method)]
}

/** Returns the doc comment of a method's result. */
export function resultDoc(method: Method): Doc {
  const { result, summary, description } = method
  const texts = result ? descriptorTexts(result) : []
  const notes = result ? schemaNotes(result.schema.schema) : []
  const says = texts.length > 0 ? texts : [summary ?? description ?? '']
  return [inOneParagraph([...says, ...notes]), deprecation(method)]
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
function paramsWords({ params }: Method): Doc {
  return params.map((param) => {
    const words = descriptorWords(param)
    return words === undefined ? undefined : `- ${param.name}: ${words}`
  })
}

function resultWords({ result }: Method): string | undefined {
  return result && descriptorWords(result)
}

/** Returns a descriptor's description and the constraints that its type cannot express. */
function descriptorWords(descriptor: Descriptor): string | undefined {
  const words = [...descriptorTexts(descriptor), ...schemaNotes(descriptor.schema.schema)]
  return words.length === 0 ? undefined : inOneParagraph(words)
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
