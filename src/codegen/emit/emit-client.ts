import type { DeclaredError, Method } from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { docComment, group, indent, indentRest, memberName, quote } from '../text.js'
import { localNames } from '../types/local-names.js'
import { typeOf } from '../types/schema-type.js'
import type { TypeNames } from '../types/type-names.js'
import { anyJson, tight, union } from '../types/type-text.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { callSignatures, type Signature } from './client-signatures.js'
import { type ClientMemberNames, clientMemberNames, clientTable } from './client-table.js'
import { type MemberPaths, memberTree, wireNote } from './member-paths.js'
import { methodDoc } from './method-doc.js'

/**
 * Names that the file declares, imports or takes from the language. Types of the contract are renamed if they
 * clash with one.
 */
export const clientNames =
  `BatchCall BatchCalls CallOptions Client ClientContract ClientOptions Codec CommonErrorName DeclaredError Extract
  MethodError MethodErrorNames Outcomes Quota ServiceError ServiceErrorName TransportError contract createClient createRpcClient
  isCallError isRpcError NonNullable URL`.split(/\s+/)

/**
 * Emits client.ts: a typed function for each method, a union type of the contract's errors, and the client
 * factory.
 */
export const emitClient: Emitter = (source) => {
  const { contract } = source
  const typeNames = localNames(source.names, clientNames)
  const writer = createTypeWriter(contract, typeNames)
  const names = clientMemberNames(source.paths)
  const interfaces = clientInterfaces(source, writer, names)
  const errors = contract.errors.map((error) => errorMember(writer, error))
  const rest = errorTypes(contract.methods, errors)
  const content = `${codeHeader(source)}${imports(source, writer, typeNames)}
${interfaces}
${rest}
${factory}
/** The parts of the contract that the runtime needs. */
const contract = ${clientTable(source, names)} as const satisfies ClientContract
`
  return { path: 'client.ts', content }
}

/** Returns the interfaces of a client and of the functions that build the calls of a batch. */
export function clientInterfaces(
  { contract: { methods }, paths }: Source,
  writer: TypeWriter,
  names: ClientMemberNames,
): string {
  const members = [
    ...memberTree(methods, paths, (method, key) => clientMember(writer, paths, method, key)),
    batchDeclaration(names.batch),
    quotaDeclaration(names.quota),
  ]
  const items = memberTree(methods, paths, (method, key) => batchMember(writer, method, key))
  const doc = writer.isDecoded ? 'A client whose quantities are decoded.' : 'A client of the contract.'
  return `/** ${doc} Call options follow the parameters of each method. */
export interface Client {
${members.map((text) => `${indent(text)}\n`).join('')}}

/** The methods that build the calls of a batch. */
export interface BatchCalls {
${items.map((text) => `${indent(text)}\n`).join('')}}
`
}

function imports({ names }: Source, { used }: TypeWriter, local: TypeNames): string {
  const runtime = [
    ...['BatchCall', 'CallOptions', 'ClientContract', 'ClientOptions', 'Codec', 'DeclaredError'],
    ...['JsonObject'].filter((name) => used.has(name)),
    ...['JsonValue', 'Outcomes', 'Quota', 'TransportError'],
  ].map((name) => `type ${name}`)
  const types = [...local]
    .filter(([, name]) => used.has(name))
    .map(([pointer, name]) => (names.get(pointer) === name ? name : `${names.get(pointer)} as ${name}`))
  const own = [...new Set([...types, ...(used.has('Results') ? ['Results'] : [])])].sort()
  return [
    `import ${group('{', [...runtime, 'createRpcClient', 'isCallError'], '}')} from '@concordat/client'\n`,
    own.length > 0 ? `import type ${group('{', own, '}')} from './types.js'\n` : '',
  ].join('')
}

function clientMember(writer: TypeWriter, paths: MemberPaths, method: Method, key: string): string {
  const signatures = callSignatures(writer, method).map(({ params, result }) => ({
    params: [...params, 'options?: CallOptions'],
    result: `Promise<${result}>`,
  }))
  return `${docComment(methodDoc(method, wireNote(paths, method)))}${functionMember(key, signatures)}`
}

function batchMember(writer: TypeWriter, method: Method, key: string): string {
  const signatures = callSignatures(writer, method).map(({ params, result }) => ({
    params,
    result: `BatchCall<${result}>`,
  }))
  const doc = docComment([method.summary, method.deprecated ? '@deprecated' : undefined])
  return `${doc}${functionMember(key, signatures)}`
}

/**
 * Returns a function member. TypeScript picks the first matching overload, so narrow overloads come first.
 */
function functionMember(name: string, signatures: readonly Signature[]): string {
  const head = `readonly ${memberName(name)}: `
  const [only, ...others] = signatures
  if (only && others.length === 0) return signatureText(head, only, ' =>')
  const lines = signatures.map((signature) => `  ${indentRest(signatureText('', signature, ':'))}\n`)
  return `${head}{\n${lines.join('')}}`
}

function signatureText(head: string, { params, result }: Signature, arrow: string): string {
  const line = `${head}(${params.join(', ')})${arrow} ${result}`
  if (line.length <= 104 && !line.includes('\n')) return line
  return `${head}(\n${params.map((param) => `  ${indentRest(param)},\n`).join('')})${arrow} ${result}`
}

function batchDeclaration(name: string): string {
  const example = 'const [a, b] = await client.batch((call) => [call.one(), call.two()])'.replace(
    'batch',
    name,
  )
  return `${docComment([
    'Sends several calls in one request and returns the outcome of each, in the same order. An error of one call does not affect the others.',
    `\`${example}\``,
    '@throws if the service refuses the whole request or no answer arrives',
  ])}readonly ${name}: <const Calls extends readonly BatchCall<unknown>[]>(
  build: (call: BatchCalls) => Calls,
  options?: CallOptions,
) => Promise<Outcomes<Calls, ServiceError | TransportError>>`
}

function quotaDeclaration(name: string): string {
  const doc = 'The state of the quota in the latest answer that states it. Undefined before the first one.'
  return `${docComment([doc])}readonly ${name}: Quota | undefined`
}

function errorMember(writer: TypeWriter, { key, code, data, description, message }: DeclaredError): string {
  const type = data ? typeOf(writer, data) : anyJson
  const text = type === anyJson ? dataUnknown : union([type, tight('undefined')]).text
  const doc = docComment([description ?? `${message} (${code}).`])
  return `${doc}| DeclaredError<${quote(key)}, ${code}, ${indentRest(text)}>`
}

/** The type of error data without a schema. */
const dataUnknown = 'JsonValue | undefined'

function errorTypes(methods: readonly Method[], errors: readonly string[]): string {
  const members = [...errors, `| DeclaredError<undefined, number, ${dataUnknown}>`].map(
    (text) => `${indent(text)}\n`,
  )
  const ofMethod = `
/** The errors that a method declares (all of the contract if it declares none), and undeclared errors. */
export type MethodError<Method extends keyof MethodErrorNames> = Extract<
  ServiceError,
  { readonly error: MethodErrorNames[Method] | undefined }
>
${methodErrorNames(methods)}`
  return `/**
 * An error that the service answered, discriminated by \`error\`, the name that the contract gives its code.
 * \`error\` is undefined if the contract does not declare the code.
 */
export type ServiceError =
${members.join('')}
/** The name of an error of the contract. */
export type ServiceErrorName = NonNullable<ServiceError['error']>
${methods.length > 0 ? ofMethod : ''}`
}

/** Returns the error names of each method. Errors that every method declares are listed once. */
function methodErrorNames(methods: readonly Method[]): string {
  const keysOf = ({ errors }: Method) => errors.map(({ key }) => key)
  const [first, ...others] = methods.filter(({ statesErrors }) => statesErrors)
  const common = first
    ? keysOf(first).filter((key) => others.every((other) => keysOf(other).includes(key)))
    : []
  const unionOf = (keys: readonly string[]) => union(keys.map((key) => tight(quote(key)))).text
  const namesOf = (method: Method) => {
    if (!method.statesErrors) return 'ServiceErrorName'
    const own = keysOf(method).filter((key) => !common.includes(key))
    return own.length === 0 ? 'CommonErrorName' : `CommonErrorName | ${unionOf(own)}`
  }
  const members = methods.map((method) => `  readonly ${memberName(method.name)}: ${namesOf(method)}\n`)
  const commonType = first
    ? `\n/** The errors that every method declares. */\ntype CommonErrorName =${common.length === 0 ? ' never' : common.map((key) => `\n  | ${quote(key)}`).join('')}\n`
    : ''
  return `${commonType}
interface MethodErrorNames {
${members.join('')}}
`
}

const factory = `/**
 * Creates a client. Nothing is sent yet.
 * @param url URL of the service, including the key; error messages show only its origin
 * @param options \`decode\` makes quantities \`bigint\` or \`number\`
 * @throws TypeError for an invalid URL or header, RangeError for an invalid timeout
 */
export function createClient<Decoded extends object>(
  url: string | URL,
  options: ClientOptions & { readonly decode: Codec<Decoded> },
): Decoded
export function createClient(url: string | URL, options?: ClientOptions): Client
export function createClient(url: string | URL, options?: ClientOptions): object {
  return createRpcClient(url, contract, options)
}

/** Returns true for an error that the service answered, or only for the named error of the contract. */
export function isRpcError(error: unknown): error is ServiceError
export function isRpcError<Name extends ServiceErrorName>(
  error: unknown,
  name: Name,
): error is Extract<ServiceError, { readonly error: Name }>
export function isRpcError(error: unknown, name?: string): boolean {
  return isCallError(error, name)
}
`
