import { type Contract, type JsonObject, type Method, statedFailure } from '../../../contract/index.js'
import {
  type CancelRole,
  type ConnectionRoles,
  connectionRoles,
  type SubscriptionRoles,
} from '../../connection-roles.js'
import type { Emitter, Source } from '../../generated-file.js'
import { codeHeader } from '../../header.js'
import { docComment, group, indent, indentRest, literal, literalKey, memberName } from '../../text.js'
import { freeName } from '../../types/identifiers.js'
import { identifiersIn, inOwnNames } from '../../types/own-names.js'
import { resultType } from '../../types/result-types.js'
import { typeOf } from '../../types/schema-type.js'
import { importedTypes } from '../../types/type-imports.js'
import { createTypeWriter, type TypeWriter } from '../../types/type-writer.js'
import { paramsType } from '../emit-service.js'
import { memberTree, wireNote } from '../member-paths.js'
import { clientDoc, methodDoc } from '../method-doc.js'
import { clientMemberNames, methodEntries, tableBlock } from './client-table.js'
import { callSignature } from './emit-client.js'

/** Returns true for a contract whose servers are all HTTP URLs, and whose methods need no connection. */
export function isHttpOnly(contract: Contract): boolean {
  const { called, cancel, subscriptions } = connectionRoles(contract)
  const { servers } = contract
  const isHttp = servers.length > 0 && servers.every(({ url }) => /^https?:/i.test(url))
  return isHttp && called.length === 0 && subscriptions.size === 0 && cancel === undefined
}

/** Emits web-socket.ts: the client over a WebSocket, its subscriptions, and the handlers of the server's calls. */
export const emitWebSocket: Emitter = inOwnNames((source) => {
  const roles = connectionRoles(source.contract)
  const writer = createTypeWriter(source.contract, source.names)
  const handled = handledMethods(roles)
  const names = socketMemberNames(source)
  const subscriptions = memberTree([...roles.subscriptions.keys()], source.paths, (method, key) =>
    subscriptionMember(source, writer, method, key, roles.subscriptions.get(method)),
  )
  const handlers = memberTree(handled, source.paths, (method, key) =>
    handlerMember(source, writer, method, key),
  )
  const parts = [
    subscriptions.length > 0
      ? `/** The subscriptions. Iteration subscribes, and its end unsubscribes. */\nexport interface Subscriptions {\n${lines(subscriptions)}}\n\n`
      : '',
    handlers.length > 0
      ? `/** The methods that the server calls. Handlers of notifications are optional. */\nexport interface ClientHandlers {\n${lines(handlers)}}\n\n`
      : '',
    clientType(names, roles),
    factory(handled),
    table(source, names, roles),
  ]
  return {
    path: 'web-socket.ts',
    content: `${codeHeader(source)}${imports(source, parts.join(''))}\n${parts.join('')}`,
  }
})

function lines(members: readonly string[]): string {
  return members.map((text) => `${indent(text)}\n`).join('')
}

/** The methods that the server calls, without notifications of subscriptions and those that cancel calls. */
function handledMethods({ called, cancelled, subscriptions }: ConnectionRoles): readonly Method[] {
  const ownNotifications = new Set(
    [...subscriptions.values()].flatMap(({ notification, end }) => [notification, end]),
  ).add(cancelled?.method)
  return called.filter((method) => !ownNotifications.has(method))
}

/** Returns the names of the client's own members. They differ if a method or a namespace has that name. */
function socketMemberNames({ paths }: Source): Readonly<Record<'close' | 'request' | 'state', string>> {
  const taken = new Set([...paths.values()].map(([first = '']) => first))
  const { request } = clientMemberNames(paths)
  return { close: freeName('close', taken), request, state: freeName('state', taken) }
}

function subscriptionMember(
  source: Source,
  writer: TypeWriter,
  method: Method,
  key: string,
  roles: SubscriptionRoles | undefined,
): string {
  const { generics, params } = callSignature(writer, method)
  const item = roles?.item === undefined ? 'unknown' : typeOf(writer, roles.item.schema).text
  const typeParams = generics.length === 0 ? '' : group('<', generics, '>')
  const doc = clientDoc(source, method, undefined).filter((text) => !text?.startsWith('@returns'))
  const all = [...params, 'options?: SubscriptionOptions'].map((param) => `  ${indentRest(param)},\n`)
  return `${docComment(doc)}readonly ${memberName(key)}: ${typeParams}(\n${all.join('')}) => Subscription<${indentRest(item)}>`
}

function handlerMember({ paths }: Source, writer: TypeWriter, method: Method, key: string): string {
  const result = resultType(writer, method)
  const optional = method.result === undefined ? '?' : ''
  const doc = docComment(methodDoc(writer, method, wireNote(paths, method)))
  return `${doc}readonly ${memberName(key)}${optional}: (\n  params: ${indentRest(paramsType(writer, method))},\n  call: ReceivedCall,\n) => Promise<${result}> | ${result}`
}

function clientType(
  { close, request, state }: ReturnType<typeof socketMemberNames>,
  { plain, subscriptions }: ConnectionRoles,
): string {
  const bases = [
    "Methods<'call'>",
    ...(subscriptions.size > 0 ? ['Subscriptions'] : []),
    ...(plain.length > 0 ? [`Pick<Client, ${JSON.stringify(request).replaceAll('"', "'")}>`] : []),
  ]
  return `/** A client of the contract over a WebSocket. Call options follow the parameters of each method. */
export type SocketClient = ${bases.join(' & ')} & {
  /** Calls are sent while the state is \`open\`, and wait while it is \`reconnecting\`. */
  readonly ${memberName(state)}: SocketState
  /** Closes the connection: calls without answer reject, and subscriptions end. Resolves when it is closed. */
  readonly ${memberName(close)}: () => Promise<void>
}

`
}

function factory(handled: readonly Method[]): string {
  const isRequired = handled.some(({ result }) => result !== undefined)
  const handlers = handled.length > 0 ? 'ClientHandlers' : 'undefined'
  const options = isRequired
    ? 'options: ConnectOptions<ClientHandlers> & { readonly handlers: ClientHandlers },'
    : `options?: ConnectOptions<${handlers}>,`
  return `/**
 * Connects a client. Calls may be sent at once, and a lost connection is replaced.
 * @param url URL of the service, including the key: ws, wss, http or https
 * @param options options of the client
 * @throws {TransportError} the connection cannot be opened
 * @throws TypeError for an invalid URL, or without a WebSocket in the runtime
 */
export function connect(
  url: string | URL,
  ${options}
): Promise<SocketClient> {
  return connectRpc(url, socketContract, options)
}

`
}

/** The table of the runtime: that of the HTTP client, and the methods that need a connection. */
function table(
  source: Source,
  names: ReturnType<typeof socketMemberNames>,
  { called, cancel, cancelled, subscriptions }: ConnectionRoles,
): string {
  const unsubscribes = [...subscriptions.values()].map(({ unsubscribe }) => unsubscribe)
  const own = [...new Set([...subscriptions.keys(), ...unsubscribes])]
  const renamed: JsonObject = Object.fromEntries(
    Object.entries(names).filter(([name, used]) => name !== used),
  )
  const members = [
    ...(own.length > 0
      ? [`methods: ${tableBlock(['...contract.methods', ...methodEntries(source, own)])}`]
      : []),
    ...(called.length > 0 ? [`received: ${tableBlock(methodEntries(source, called))}`] : []),
    ...(subscriptions.size > 0
      ? [
          `subscriptions: ${tableBlock([...subscriptions].map(([method, roles]) => `${literalKey(method.name)}: ${literal(rolesOf(roles))}`))}`,
        ]
      : []),
    ...(cancel === undefined ? [] : [`cancel: ${literal(cancelOf(cancel))}`]),
    ...(cancelled === undefined ? [] : [`cancelled: ${literal(cancelledOf(source.contract, cancelled))}`]),
    ...(Object.keys(renamed).length > 0 ? [`names: ${literal(renamed)}`] : []),
  ]
  const doc = '/** The parts of the contract that the runtime needs. */\n'
  if (members.length === 0) return `${doc}const socketContract: SocketContract = contract\n`
  const text = members.map((member) => `  ${member},\n`).join('')
  return `${doc}const socketContract = {\n  ...contract,\n${text}} as const satisfies SocketContract\n`
}

function cancelOf({ method, position }: CancelRole): JsonObject {
  const { name, params, paramStructure } = method
  const id = paramStructure === 'by-position' ? position : (params[position]?.name ?? position)
  return { method: name, id }
}

function cancelledOf(contract: Contract, { method, position, isAnswered }: CancelRole): JsonObject {
  const error = statedFailure(contract, 'cancelled') ?? { code: -32800, message: 'Request cancelled' }
  return { method: method.name, id: method.params[position]?.name ?? '', ...(isAnswered ? { error } : {}) }
}

function rolesOf({ notification, unsubscribe, end }: SubscriptionRoles): JsonObject {
  return {
    notification: notification.name,
    unsubscribe: unsubscribe.name,
    ...(end === undefined ? {} : { end: end.name }),
  }
}

/** Returns the imports of the names that the code mentions. */
function imports({ names }: Source, text: string): string {
  const words = identifiersIn(text)
  const mentioned = (...all: readonly string[]) => all.filter((name) => words.has(name))
  const json = mentioned('JsonObject', 'JsonValue')
  const runtime = mentioned(...runtimeTypes).map((name) => `type ${name}`)
  const own = importedTypes(names, words, mentioned('Results', 'SentResults'))
  return [
    json.length > 0 ? `import type { ${json.join(', ')} } from '@concordat/client'\n` : '',
    `import ${group('{', [...runtime, 'connectRpc'], '}')} from '@concordat/client/web-socket'\n`,
    `import { ${words.has('Client') ? 'type Client, ' : ''}contract, type Methods } from './client.js'\n`,
    own.length > 0 ? `import type ${group('{', own, '}')} from './types.js'\n` : '',
  ].join('')
}

const runtimeTypes = [
  ...['ConnectOptions', 'ReceivedCall', 'SocketContract'],
  ...['SocketState', 'Subscription', 'SubscriptionOptions'],
]
