import type { Method, Param } from '../../contract/index.js'
import { type ConnectionRoles, connectionRoles } from '../connection-roles.js'
import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, indent, indentRest, memberName, objectType } from '../text.js'
import { optionalType } from '../types/keywords/objects.js'
import { inOwnNames } from '../types/own-names.js'
import { resultType } from '../types/result-types.js'
import { typeOf } from '../types/schema-type.js'
import { typeImports } from '../types/type-imports.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { type MemberPaths, memberTree, wireNote } from './member-paths.js'
import { methodDoc } from './method-doc.js'

/** Emits service.ts: the interface that a service implements, with one function for each method. */
export const emitService: Emitter = inOwnNames((source) => {
  const writer = createTypeWriter(source.contract, source.names)
  const { contract, paths } = source
  const roles = connectionRoles(contract)
  const call = roles.called.length > 0 ? 'HandlerCall<ClientMethods>' : 'HandlerCall'
  const members = memberTree(roles.implemented, paths, (method, key) =>
    handlerMember(writer, paths, method, key, roles.subscriptions.get(method)?.item, call),
  )
  const maps = connectionTypes(writer, roles)
  const hasCall = members.length > 0
  const content = `${codeHeader(source)}${hasCall ? callImport : ''}${typeImports(source, writer)}${maps}/**
 * An implementation of the contract: every method, with its parameters by name and defaults filled in.
 * \`Context\` is what the server hands on about the caller.
 */
export interface Handlers<${members.length > 0 ? 'Context' : '_Context'} = unknown> {
${members.map((text) => `${indent(text)}\n`).join('')}}
`
  return { path: 'service.ts', content }
})

const callImport = "import type { HandlerCall } from '@concordat/rpc'\n"

function handlerMember(
  writer: TypeWriter,
  paths: MemberPaths,
  method: Method,
  key: string,
  item: Param | undefined,
  call: string,
): string {
  const taken = paramsType(writer, method)
  const answer = item ? `AsyncIterable<${typeOf(writer, item.schema).text}>` : resultType(writer, method)
  const head = `readonly ${memberName(key)}:`
  const result = `Promise<${answer}> | ${answer}`
  const line = `${head} (params: ${taken}, context: Context, call: ${call}) => ${result}`
  const split = `${head} (\n  params: ${indentRest(taken)},\n  context: Context,\n  call: ${call},\n) => ${result}`
  const fits = line.length <= 100 && !line.includes('\n')
  return `${docComment(methodDoc(writer, method, wireNote(paths, method)))}${fits ? line : split}`
}

/** The type of a method's parameters by name, with defaults filled in. */
export function paramsType(writer: TypeWriter, { params }: Method): string {
  const members = params.map(({ name, required, schema, default: preset }) => {
    const type = typeOf(writer, schema)
    return required || preset !== undefined
      ? `readonly ${memberName(name)}: ${type.text}`
      : `readonly ${memberName(name)}?: ${optionalType(name, type).text}`
  })
  return members.length === 0 ? 'Record<string, never>' : objectType(members)
}

/** The methods of a contract with connections, by their types; nothing for other contracts. */
function connectionTypes(writer: TypeWriter, roles: ConnectionRoles): string {
  if (roles.called.length === 0 && roles.subscriptions.size === 0) return ''
  const entry = (method: Method): string => {
    const item = roles.subscriptions.get(method)?.item
    const members = [
      `readonly params: ${paramsType(writer, method)}`,
      `readonly result: ${resultType(writer, method)}`,
      ...(item ? [`readonly item: ${typeOf(writer, item.schema).text}`] : []),
    ]
    return `${indent(`readonly ${memberName(method.name)}: ${objectType(members)}`)}\n`
  }
  const map = (name: string, doc: string, methods: readonly Method[]) =>
    `/** ${doc} */\nexport type ${name} = {\n${methods.map(entry).join('')}}\n\n`
  return [
    map('ClientMethods', 'The methods that the server calls.', roles.called),
    map('ServerMethods', 'The methods that clients call.', roles.served),
  ].join('')
}
