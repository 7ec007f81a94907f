import type { Method } from '../../contract/index.js'
import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, indent, indentRest, memberName, objectType } from '../text.js'
import { resultType } from '../types/result-type.js'
import { typeOf } from '../types/schema-type.js'
import { typeImports } from '../types/type-imports.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { type MemberPaths, memberTree, wireNote } from './member-paths.js'
import { methodDoc } from './method-doc.js'

/** Emits service.ts: the interface that a service implements, with one function for each method. */
export const emitService: Emitter = (source) => {
  const writer = createTypeWriter(source.contract, source.names)
  const { contract, paths } = source
  const members = memberTree(contract.methods, paths, (method, key) =>
    handlerMember(writer, paths, method, key),
  )
  const content = `${codeHeader(source)}${typeImports(source, writer)}/**
 * An implementation of the contract: every method, with its parameters by name and defaults filled in.
 * \`Context\` is what the server hands on about the caller.
 */
export interface Handlers<${members.length > 0 ? 'Context' : '_Context'} = unknown> {
${members.map((text) => `${indent(text)}\n`).join('')}}
`
  return { path: 'service.ts', content }
}

function handlerMember(writer: TypeWriter, paths: MemberPaths, method: Method, key: string): string {
  const params = method.params.map(({ name, required, schema, default: preset }) => {
    const optional = required || preset !== undefined ? '' : '?'
    return `readonly ${memberName(name)}${optional}: ${typeOf(writer, schema).text}`
  })
  const taken = params.length === 0 ? '{ readonly [name: string]: never }' : objectType(params)
  const answer = resultType(writer, method)
  const head = `readonly ${memberName(key)}:`
  const result = `Promise<${answer}> | ${answer}`
  const line = `${head} (params: ${taken}, context: Context) => ${result}`
  const split = `${head} (\n  params: ${indentRest(taken)},\n  context: Context,\n) => ${result}`
  const fits = line.length <= 100 && !line.includes('\n')
  return `${docComment(methodDoc(method, wireNote(paths, method)))}${fits ? line : split}`
}
