import {
  arrayMember,
  isArray,
  isObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  stringMember,
} from '../../contract/index.js'
import { oneLine } from '../../text/index.js'
import type { Source } from '../generated-file.js'
import { access, group, literal } from '../text.js'
import { uniqueLabels } from '../types/identifiers.js'
import { schemaNotes } from '../types/schema-notes.js'
import { useDoc } from '../types/schema-type.js'
import type { TypeWriter } from '../types/type-writer.js'
import { commonErrors, ownErrorKeys } from './common-errors.js'
import type { ExampleJudge, ValidExample } from './judge-examples.js'
import { pathOf, wireNote } from './member-paths.js'

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

/** Returns summary, description and scopes. The summary is dropped if the description starts with it. */
export function methodWords({ summary, description, extensions }: Method): readonly string[] {
  const repeated = summary !== undefined && description?.startsWith(summary.replace(/\.$/, ''))
  const scopes = arrayMember(extensions, 'x-scopes').map((scope) => `\`${oneLine(String(scope))}\``)
  const noun = scopes.length === 1 ? 'scope' : 'scopes'
  const needs = scopes.length === 0 ? undefined : `Callers need the ${noun} ${scopes.join(', ')}.`
  return [repeated ? undefined : summary, description, needs].filter((text) => text !== undefined)
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
function inOneParagraph(texts: readonly string[]): string {
  const shown = texts.map((text) => text.trim()).filter((text) => text !== '')
  const ended = (text: string) =>
    /[\p{L}\p{N})\]"'`]$/u.test(text) && !/`{3}$/.test(text) ? `${text}.` : text
  return shown.map((text, at) => (at === shown.length - 1 ? text : ended(text))).join(' ')
}

function deprecation({ deprecated }: Method): string | undefined {
  return deprecated ? '@deprecated' : undefined
}

/** Maximum length of a line of an example. */
const mostShown = 100
/** Maximum length of a text in the call of an example. */
const mostText = 70

/**
 * Returns the doc comment of a client's function: the description, each parameter with its constraints and its
 * default, the result, the errors of the method, and an example of the contract.
 * @param judge judges the examples. Without it, no example is shown: examples have values of the wire
 */
export function clientDoc(
  source: Source,
  method: Method,
  judge: ExampleJudge | undefined,
): readonly (string | undefined)[] {
  const { deprecated, result } = method
  const returns = result && words(source, result.schema, descriptorTexts(result))
  return [
    ...methodWords(method),
    wireNote(source.paths, method),
    ...paramTags(source, method),
    returns === undefined || returns === '' ? undefined : `@returns ${oneLine(returns)}`,
    throwsTag(source, method),
    judge && exampleTag(source, method, judge),
    deprecated ? '@deprecated' : undefined,
  ]
}

/** Returns the tag `@throws` of a method. Errors that every method declares are named once, as `CommonErrorName`. */
function throwsTag({ contract }: Source, method: Method): string | undefined {
  if (method.errors.length === 0) return undefined
  const common = commonErrors(contract.methods)
  const own = ownErrorKeys(method, common)
  const codes = method.errors
    .filter(({ key }) => own.includes(key))
    .map(({ key, code }) => `\`${key}\` (${code})`)
  return `@throws {ServiceError} ${[...codes, ...(common.length > 0 ? ['`CommonErrorName`'] : [])].join(', ')}`
}

function paramTags(source: Source, { params, paramStructure }: Method): readonly string[] {
  const labels =
    paramStructure === 'by-name' ? params.map(({ name }) => `params.${name}`) : uniqueLabels(params)
  return params.map((param, at) =>
    `@param ${oneLine(labels[at] ?? '')} ${oneLine(words(source, param.schema, descriptorTexts(param)))}`.trim(),
  )
}

/** Returns a description with the constraints of the schema, and the form of the values if it is a component. */
function words({ contract }: Source, located: LocatedSchema, texts: readonly string[]): string {
  const reference = isObject(located.schema) ? stringMember(located.schema, '$ref') : undefined
  const target = reference === undefined ? undefined : contract.resolve(reference, located.pointer)
  const form = target && isObject(target.schema) ? (stringMember(target.schema, 'description') ?? '') : ''
  const said = texts.join(' ')
  return inOneParagraph([...texts, ...(said.includes(form) ? [] : [form]), ...schemaNotes(located.schema)])
}

/** Returns the first valid example of the contract as code, unless it is long. */
function exampleTag(source: Source, method: Method, judge: ExampleJudge): string | undefined {
  const judged = method.examples.map((example) => judge(method, example))
  const valid = judged.filter((one): one is ValidExample => 'example' in one)
  const shown = valid.find(({ error }) => error === undefined) ?? valid[0]
  if (!shown) return undefined
  const path = pathOf(source.paths, method).map(access).join('')
  const call = callText(`await client${path}`, method, shortTexts(shown.params))
  const outcome = shown.example.result?.value
  if (call.length > 6 * mostShown) return undefined
  const answer = outcome === undefined ? '' : `\n// ${shortened(inOneLine(literal(outcome)))}`
  return `@example\n\`\`\`ts\n${call}${answer}\n\`\`\``
}

function inOneLine(code: string): string {
  return oneLine(code)
    .replaceAll(/,? ([}\]])/g, ' $1')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')
}

/** Returns a call, on one line if it fits. */
function callText(callee: string, { paramStructure }: Method, params: JsonValue): string {
  const given = paramStructure === 'by-name' || !isArray(params) ? [params] : params
  const texts = given.map((item) => literal(item))
  const line = `${callee}(${texts.map(inOneLine).join(', ')})`
  return line.length <= mostShown ? line : `${callee}${group('(', texts, ')', 0)}`
}

/** Returns a value with long texts shortened: they are hexadecimal data, and show nothing more. */
function shortTexts(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.length > mostText ? `${value.slice(0, mostText)}…` : value
  if (isArray(value)) return value.map(shortTexts)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item = null]) => [name, shortTexts(item)]))
}

function shortened(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text
}
