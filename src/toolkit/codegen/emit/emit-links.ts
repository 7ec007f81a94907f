import {
  type ContractProblem,
  type JsonValue,
  type Method,
  oneLine,
  type Param,
} from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, group, indent, literal, literalKey, memberName, objectType, quote } from '../text.js'
import { uniqueLabels } from '../types/identifiers.js'
import { inOwnNames } from '../types/own-names.js'
import { allowsNull } from '../types/result-types.js'
import { typeOf } from '../types/schema-type.js'
import { importedTypes } from '../types/type-imports.js'
import { createTypeWriter, type TypeWriter, tight, union } from '../types/type-writer.js'
import { judgeLinks, type ValidLink } from './judge-links.js'
import { expressionsOf, type Template } from './runtime-expressions.js'

/**
 * Emits links.ts: each link as a function from a call and its result to the parameters of the target method.
 */
export const emitLinks: Emitter = inOwnNames((source) => {
  const { contract } = source
  const writer = createTypeWriter(contract, source.names)
  const methods = contract.methods
    .filter(({ links }) => links.length > 0)
    .map((method) => ({ method, judged: judgeLinks(contract, method) }))
  if (methods.length === 0) return undefined
  const leftOut = methods.flatMap(({ judged }) => judged.flatMap((one) => ('link' in one ? [] : [one])))
  const entries = methods.map(({ method, judged }) => indent(methodEntry(writer, method, judged)))
  const sound = methods.flatMap(({ judged }) => judged.flatMap((one) => ('link' in one ? [one] : [])))
  const content = `${codeHeader(source)}${imports(source, writer, sound)}
/**
 * The contract's links, keyed by method name. Each is a function from an answered call to the parameters of
 * the linked method. It returns undefined if the result lacks a value that the linked method needs.
 */
export const links = {
${entries.join('')}}
`
  return {
    path: 'links.ts',
    content,
    leftOut: leftOut.map(({ pointer, message }) => ({
      pointer,
      message: `the link is omitted: ${message}`,
    })),
  }
})

function imports({ names }: Source, { used }: TypeWriter, sound: readonly ValidLink[]): string {
  const roots = new Set(sound.flatMap(rootsOf))
  const tables = [...(roots.has('params') ? ['Params'] : []), ...(roots.has('result') ? ['Results'] : [])]
  const own = importedTypes(names, used, tables)
  const json = ['JsonObject', 'JsonValue'].filter((name) => used.has(name)).map((name) => `type ${name}`)
  const runtime = [...json, ...(sound.length > 0 ? ['createLink'] : [])]
  return [
    runtime.length > 0 ? `import { ${runtime.join(', ')} } from '@concordat/client'\n` : '',
    own.length > 0 ? `import type ${group('{', own, '}')} from './types.js'\n` : '',
  ].join('')
}

function methodEntry(
  writer: TypeWriter,
  method: Method,
  judged: readonly (ValidLink | ContractProblem)[],
): string {
  const entries = judged.map((one) =>
    'link' in one
      ? linkEntry(writer, method, one)
      : `// Omitted: ${oneLine(`${one.pointer} ${one.message}`)}\n`,
  )
  return `${literalKey(method.name)}: {\n${entries.map(indent).join('')}},\n`
}

function linkEntry(writer: TypeWriter, method: Method, sound: ValidLink): string {
  const { link, target } = sound
  const doc = docComment([link.summary, link.description, `Leads to \`${target.name}\`.`])
  const type = linkType(
    [`from: ${fromType(method, sound)}`, ...moreParam(writer, sound)],
    `${argumentsType(writer, target)} | undefined`,
  )
  const data = `{\n${[
    `params: ${group(
      '[',
      target.params.map((param) => paramData(writer, method, sound, param)),
      ']',
    )}`,
    `paramStructure: ${quote(target.paramStructure)}`,
  ]
    .map((text) => `${indent(text)},\n`)
    .join('')}}`
  return `${doc}${literalKey(link.name)}: createLink(${data}) as ${type.includes('\n') ? type : `(${type})`},\n`
}

function linkType(params: readonly string[], result: string): string {
  const line = `(${params.join(', ')}) => ${result}`
  if (line.length <= 92 && !line.includes('\n')) return line
  return `(\n${params.map((param) => `${indent(param)},\n`).join('')}) => ${result}`
}

function rootsOf({ values }: ValidLink): readonly ('result' | 'params')[] {
  return [...values.values()].flatMap(expressionsOf).map(({ root }) => root)
}

/** Returns the type of the answered call, limited to the parts that the link reads. */
function fromType({ name }: Method, sound: ValidLink): string {
  const roots = new Set(rootsOf(sound))
  const members = [
    ...(roots.has('params') ? [`readonly params: Params[${quote(name)}]`] : []),
    ...(roots.has('result') ? [`readonly result: Results[${quote(name)}]`] : []),
  ]
  return members.length === 0 ? 'object' : `{ ${members.join('; ')} }`
}

/** Returns a parameter for the values that the caller must add, if there are any. */
function moreParam(writer: TypeWriter, { target, values }: ValidLink): readonly string[] {
  const left = target.params.filter(({ name }) => !values.has(name))
  if (left.length === 0) return []
  const optional = left.some(({ required }) => required) ? '' : '?'
  return [`more${optional}: ${objectType(left.map((param) => namedParam(writer, param)))}`]
}

/** Returns the type of the arguments as the client takes them: a tuple, or an object by name. */
function argumentsType(writer: TypeWriter, { params, paramStructure }: Method): string {
  if (paramStructure === 'by-name') {
    return params.length === 0
      ? 'Record<string, never>'
      : objectType(params.map((param) => namedParam(writer, param)))
  }
  const labels = uniqueLabels(params)
  const lastRequired = params.findLastIndex(({ required }) => required)
  const items = params.map(({ required, schema }, at) => {
    const type = typeOf(writer, schema)
    const text = required ? type.text : union([type, tight('undefined')]).text
    return `${labels[at]}${at > lastRequired ? '?' : ''}: ${text}`
  })
  return `readonly ${group('[', items, ']')}`
}

function namedParam(writer: TypeWriter, { name, required, schema }: Param): string {
  const type = typeOf(writer, schema)
  if (required) return `readonly ${memberName(name)}: ${type.text}`
  return `readonly ${memberName(name)}?: ${union([type, tight('undefined')]).text}`
}

function paramData({ contract }: TypeWriter, method: Method, { values }: ValidLink, param: Param): string {
  const template = values.get(param.name)
  const value = template ? { value: templateData(method, template) } : {}
  const takesNull = template && allowsNull(contract, param.schema) ? { takesNull: true } : {}
  return literal({ name: param.name, required: param.required, ...value, ...takesNull })
}

/** Converts a template to the data that the runtime evaluates. */
function templateData(method: Method, template: Template): JsonValue {
  const again = (inner: Template) => templateData(method, inner)
  if ('constant' in template) return { constant: template.constant }
  if ('list' in template) return { list: template.list.map(again) }
  if ('text' in template) {
    return {
      text: template.text.map((part) => (typeof part === 'string' ? part : again({ expression: part }))),
    }
  }
  if ('members' in template) {
    return { members: Object.fromEntries(template.members.map(([name, item]) => [name, again(item)])) }
  }
  const { root, path } = template.expression
  if (root === 'result') return { result: path }
  const [name = '', ...inside] = path
  return { param: name, position: method.params.findIndex((param) => param.name === name), path: inside }
}
