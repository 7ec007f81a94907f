import { isObject, type Method, stringMember } from '../contract/index.js'
import { schemaNotes } from './schema-notes.js'

type Doc = readonly (string | undefined)[]
type Descriptor = NonNullable<Method['result']>

/**
 * What the documentation of a method's implementation says: all that the contract says of it in words.
 * @param note what is to be said of it beside that
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

/** What the documentation of a method's parameters says: what the method is for, and each of them. */
export function paramsDoc(method: Method): Doc {
  return [method.summary ?? method.description, ...paramsWords(method), deprecation(method)]
}

/** What the documentation of a method's result says. */
export function resultDoc(method: Method): Doc {
  const { result, summary, description } = method
  const texts = result ? descriptorTexts(result) : []
  const notes = result ? schemaNotes(result.schema.schema) : []
  const says = texts.length > 0 ? texts : [summary ?? description ?? '']
  return [inOneParagraph([...says, ...notes]), deprecation(method)]
}

/** Summary and description, without a summary that the description only begins with again. */
export function methodWords({ summary, description }: Method): readonly string[] {
  const repeated = summary !== undefined && description?.startsWith(summary.replace(/\.$/, ''))
  return [repeated ? undefined : summary, description].filter((text) => text !== undefined)
}

/**
 * What a parameter or a result is, in the words of its descriptor and of its schema: many documents describe one in the
 * other's place. A schema that is only referred to has its words where it stands.
 */
export function descriptorTexts({ description, summary, schema }: Descriptor): readonly string[] {
  const own = description ?? summary ?? ''
  const inner = isObject(schema.schema) ? (stringMember(schema.schema, 'description') ?? '') : ''
  return [own, own.includes(inner) ? '' : inner].filter((text) => text.trim() !== '')
}

/** Each parameter with what its type cannot say. */
function paramsWords({ params }: Method): Doc {
  return params.map((param) => {
    const words = descriptorWords(param)
    return words === undefined ? undefined : `- ${param.name}: ${words}`
  })
}

function resultWords({ result }: Method): string | undefined {
  return result && descriptorWords(result)
}

/** What a descriptor is, and what its type cannot say of it. */
function descriptorWords(descriptor: Descriptor): string | undefined {
  const words = [...descriptorTexts(descriptor), ...schemaNotes(descriptor.schema.schema)]
  return words.length === 0 ? undefined : inOneParagraph(words)
}

/** Texts behind one another, each of which ends before the next one begins. */
function inOneParagraph(texts: readonly string[]): string {
  const shown = texts.map((text) => text.trim()).filter((text) => text !== '')
  const ended = (text: string) =>
    /[\p{L}\p{N})\]"'`]$/u.test(text) && !/`{3}$/.test(text) ? `${text}.` : text
  return shown.map((text, at) => (at === shown.length - 1 ? text : ended(text))).join(' ')
}

function deprecation({ deprecated }: Method): string | undefined {
  return deprecated ? '@deprecated' : undefined
}
