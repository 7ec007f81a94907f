import type { Method, Param } from '../contract/index.js'
import type { Emitter } from './generated-file.js'
import { codeHeader } from './header.js'
import { isPlain, type MemberPaths, pathOf } from './member-paths.js'
import { access, docComment, indentRest, literal, literalKey, quote } from './text.js'

/** methods.ts: what the runtime knows of each method. */
export const emitMethods: Emitter = (source) => {
  const entries = source.contract.methods.map((method) => methodEntry(source.paths, method))
  const content = `${codeHeader(source)}import type { MethodDescriptor } from 'concordat/rpc'
${entries.length > 0 ? "import { validators } from './validators.js'\n" : ''}
/** Every method of the contract, by its name on the wire. */
export const methods = {
${entries.join('')}} as const satisfies Readonly<Record<string, MethodDescriptor>>

/** The name of a method on the wire. */
export type MethodName = keyof typeof methods
`
  return { path: 'methods.ts', content }
}

function methodEntry(paths: MemberPaths, method: Method): string {
  const { name, params, paramStructure, result, errors, extensions } = method
  const lines = [
    `name: ${quote(name)},`,
    ...(isPlain(paths, method) ? [] : [`path: ${literal(pathOf(paths, method))},`]),
    `params: [${params.map((param) => `\n  ${paramEntry(param)},`).join('')}${params.length > 0 ? '\n' : ''}],`,
    `paramStructure: ${quote(paramStructure)},`,
    `notification: ${result === undefined},`,
    `errors: ${literal(errors.map(({ key }) => key))},`,
    `extensions: ${literal(extensions)},`,
    `validateParams: validators${access(name)}.params,`,
    `validateResult: validators${access(name)}.result,`,
  ]
  const doc = docComment([
    method.summary ?? method.description,
    method.deprecated ? '@deprecated' : undefined,
  ])
  return `  ${indentRest(`${doc}${literalKey(name)}: {\n${lines.map((line) => `  ${indentRest(line)}`).join('\n')}\n},`)}\n`
}

function paramEntry(param: Param): string {
  const preset = param.default === undefined ? '' : `, default: ${literal(param.default)}`
  return `{ name: ${quote(param.name)}, required: ${param.required}${preset} }`
}
