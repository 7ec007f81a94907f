import {
  isObject,
  type JsonValue,
  type LocatedSchema,
  type Method,
  stringMember,
} from '../../contract/index.js'
import type { Source } from '../generated-file.js'
import { access, literal, oneLine } from '../text.js'
import { schemaNotes } from '../types/schema-notes.js'
import { uniqueLabels } from './client-signatures.js'
import type { ExampleJudge, ValidExample } from './judge-examples.js'
import { pathOf, wireNote } from './member-paths.js'
import { descriptorTexts, inOneParagraph, methodWords } from './method-doc.js'

/** Maximum length of the call and of the result that an example shows. */
const mostShown = 160

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
  const { errors, deprecated, result } = method
  const returns = result && words(source, result.schema, descriptorTexts(result))
  const codes = errors.map(({ key, code }) => `\`${key}\` (${code})`)
  return [
    ...methodWords(method),
    wireNote(source.paths, method),
    ...paramTags(source, method),
    returns === undefined || returns === '' ? undefined : `@returns ${oneLine(returns)}`,
    codes.length === 0 ? undefined : `@throws {ServiceError} ${codes.join(', ')}`,
    judge && exampleTag(source, method, judge),
    deprecated ? '@deprecated' : undefined,
  ]
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
  const call = `await client${path}(${argumentsText(method, shown.params)})`
  const outcome = shown.example.result?.value
  if (call.length > 4 * mostShown) return undefined
  const answer = outcome === undefined ? '' : `\n// ${shortened(inOneLine(literal(outcome)))}`
  return `@example\n\`\`\`ts\n${inOneLine(call)}${answer}\n\`\`\``
}

function inOneLine(code: string): string {
  return oneLine(code)
    .replaceAll(/,? ([}\]])/g, ' $1')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')
}

function argumentsText({ paramStructure }: Method, params: JsonValue): string {
  if (paramStructure === 'by-name' || !Array.isArray(params)) return literal(params)
  return params.map(literal).join(', ')
}

function shortened(text: string): string {
  return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text
}
