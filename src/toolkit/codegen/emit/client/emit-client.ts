import type { DeclaredError, Method, Param } from '../../../contract/index.js'
import { connectionRoles } from '../../connection-roles.js'
import type { Emitter, Source } from '../../generated-file.js'
import { codeHeader } from '../../header.js'
import { docComment, group, indent, indentRest, memberName, objectType, quote } from '../../text.js'
import { freeName, labelName, uniqueLabels } from '../../types/identifiers.js'
import { inOwnNames } from '../../types/own-names.js'
import { decidingParams, resultType } from '../../types/result-types.js'
import { typeOf } from '../../types/schema-type.js'
import { importedTypes } from '../../types/type-imports.js'
import {
  anyJson,
  createTypeWriter,
  type TypeText,
  type TypeWriter,
  tight,
  union,
} from '../../types/type-writer.js'
import { commonErrors, ownErrorKeys } from '../common-errors.js'
import { exampleJudge } from '../judge-examples.js'
import { memberTree } from '../member-paths.js'
import { clientDoc } from '../method-doc.js'
import { type ClientMemberNames, clientMemberNames, clientTable } from './client-table.js'

/**
 * Emits client.ts: a typed function for each method, a union type of the contract's errors, and the client
 * factory.
 */
export const emitClient: Emitter = inOwnNames((source) => {
  const { contract } = source
  const writer = createTypeWriter(contract, source.names)
  const names = clientMemberNames(source.paths)
  const interfaces = clientInterfaces(source, writer, names)
  const errors = contract.errors.map((error) => errorMember(writer, error))
  const rest = errorTypes(contract.methods, errors)
  const content = `${codeHeader(source)}${imports(source, writer)}
${interfaces}
/** A client that sends each call alone and once. */
export interface PlainClient extends Methods<'plain'> {}

${rest}
${factory}
/** The parts of the contract that the runtime needs. */
export const contract: ClientContract = ${clientTable(source, names)} as const
`
  return { path: 'client.ts', content }
})

/**
 * Returns the interfaces of a client and of the functions that build the calls of a batch. Both extend one
 * interface with the signatures.
 */
export function clientInterfaces(source: Source, writer: TypeWriter, names: ClientMemberNames): string {
  const members = memberTree(connectionRoles(source.contract).plain, source.paths, (method, key) =>
    methodMember(source, writer, method, key),
  )
  const own = [
    ...(members.length > 0 ? [requestDeclaration(names.request)] : []),
    batchDeclaration(names.batch),
    quotaDeclaration(names.quota),
  ]
  const doc = writer.isDecoded ? 'A client whose quantities are decoded.' : 'A client of the contract.'
  const kind = members.length > 0 ? 'Kind' : '_Kind'
  return `/** The methods of the contract, which send a call or add it to a batch. */
export interface Methods<${kind} extends CallKind> {
${members.map((text) => `${indent(text)}\n`).join('')}}

/** The methods that build the calls of a batch. */
export interface BatchCalls extends Methods<'batch'> {}

/** ${doc} Call options follow the parameters of each method. */
export interface Client extends Methods<'call'> {
${own.map((text) => `${indent(text)}\n`).join('')}}
${members.length > 0 ? requestArguments : ''}`
}

function imports({ names, contract }: Source, { used }: TypeWriter): string {
  const hasMethods = contract.methods.length > 0
  const runtime = [
    ...['BatchCall', 'CallKind', 'CallOptions', 'ClientContract', 'ClientOptions', 'Codec', 'DeclaredError'],
    ...['JsonObject'].filter((name) => used.has(name)),
    ...[
      'JsonValue',
      ...(hasMethods ? ['OptionsOf'] : []),
      'Outcomes',
      ...(hasMethods ? ['OwnMethod'] : []),
      'PlainClientOptions',
      'Quota',
    ],
    ...[...(hasMethods ? ['Returned'] : []), 'TransportError', 'UndeclaredCode'],
  ].map((name) => `type ${name}`)
  const tables = hasMethods ? ['Params', 'ResultOf', 'Results', 'SentResults'] : ['Results']
  return `import ${group('{', [...runtime, 'createPlainRpcClient', 'createRpcClient', 'isCallError'], '}')} from '@concordat/client'
import type ${group('{', importedTypes(names, used, tables), '}')} from './types.js'
`
}

function methodMember(source: Source, writer: TypeWriter, method: Method, key: string): string {
  const { generics, params, result } = callSignature(writer, method)
  const typeParams = generics.length === 0 ? '' : group('<', generics, '>').replace(/,\n>$/, '\n>')
  const head = `readonly ${memberName(key)}: ${typeParams}`
  const all = [...params, '...options: OptionsOf<Kind>']
  const returned = `Returned<Kind, ${result}>`
  const line = `${head}(${all.join(', ')}) => ${returned}`
  const split = `${head}(\n${all.map((param) => `  ${indentRest(param)}`).join(',\n')}\n) => ${returned}`
  const text = line.length <= 104 && !line.includes('\n') ? line : split
  const judge = writer.isDecoded ? undefined : exampleJudge(source)
  return `${docComment(clientDoc(source, method, judge))}${text}`
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

function requestDeclaration(name: string): string {
  return `${docComment([
    'Sends a call of a method by its name on the wire. A method that the contract does not have takes the types of its caller:',
    `\`client.${name}<{ method: 'other'; params: readonly [number]; result: string }>('other', [1])\``,
    '@param method the method',
    '@param params its parameters, as the contract states them',
    '@param options options of this call',
    '@returns the result, whose type follows the parameters',
    '@throws {ServiceError} the error that the service answered',
    '@throws {TransportError} no valid answer was received',
  ])}readonly ${name}: {
  <Method extends keyof Results, const Sent extends Params[Method]>(
    method: Method,
    ...rest: RequestArguments<Method, Sent>
  ): Promise<ResultOf<Method, Sent>>
  <Own extends OwnMethod = never>(
    method: Own['method'],
    params: Own['params'],
    options?: CallOptions,
  ): Promise<Own['result']>
}`
}

function quotaDeclaration(name: string): string {
  const doc = 'The state of the quota in the latest answer that states it. Undefined before the first one.'
  return `${docComment([doc])}readonly ${name}: Quota | undefined`
}

function errorMember(writer: TypeWriter, error: DeclaredError): string {
  const { key, code, data, dataRequired, description, message } = error
  const type = data ? typeOf(writer, data) : anyJson
  const optional = type === anyJson ? dataUnknown : union([type, tight('undefined')]).text
  const text = dataRequired ? type.text : optional
  const doc = docComment([description ?? `${message} (${code}).`])
  return `${doc}| DeclaredError<${quote(key)}, ${code}, ${indentRest(text)}, MethodName>`
}

/** The type of error data without a schema. */
const dataUnknown = 'JsonValue | undefined'

function errorTypes(methods: readonly Method[], errors: readonly string[]): string {
  const members = [...errors, `| DeclaredError<undefined, UndeclaredCode, ${dataUnknown}, MethodName>`].map(
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
 * An error that the service answered, discriminated by \`code\`, and by \`error\`, the name that the contract
 * gives the code. \`error\` is undefined if the contract does not declare the code.
 */
export type ServiceError =
${members.join('')}
/** The name of an error of the contract. */
export type ServiceErrorName = NonNullable<ServiceError['error']>

/** The name of a method on the wire. */
export type MethodName = keyof Results
${methods.length > 0 ? ofMethod : ''}`
}

const requestArguments = `
/** The parameters and options of a call by name. Parameters can be left out if none is required. */
export type RequestArguments<
  Method extends keyof Results,
  Sent,
> = readonly [] extends Params[Method]
  ? [params?: ParamsSent<Method, Sent>, options?: CallOptions]
  : [params: ParamsSent<Method, Sent>, options?: CallOptions]

/** Inferred parameters where the result depends on them, otherwise those of the contract. */
type ParamsSent<Method extends keyof Results, Sent> = Method extends keyof SentResults<unknown>
  ? Sent
  : Params[Method]
`

/** Returns the error names of each method. Errors that every method declares are listed once. */
function methodErrorNames(methods: readonly Method[]): string {
  const common = commonErrors(methods)
  const unionOf = (keys: readonly string[]) => union(keys.map((key) => tight(quote(key)))).text
  const namesOf = (method: Method) => {
    if (!method.statesErrors) return 'ServiceErrorName'
    const own = ownErrorKeys(method, common)
    if (common.length === 0) return unionOf(own)
    return own.length === 0 ? 'CommonErrorName' : `CommonErrorName | ${unionOf(own)}`
  }
  const members = methods.map((method) => `  readonly ${memberName(method.name)}: ${namesOf(method)}\n`)
  const codes = common.map(({ key, code }) => `\`${key}\` (${code})`).join(', ')
  const commonType =
    common.length === 0
      ? ''
      : `\n${docComment([`The errors that every method declares: ${codes}.`])}export type CommonErrorName =${common.map(({ key }) => `\n  | ${quote(key)}`).join('')}\n`
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

/**
 * Creates a client without batches, retries, quota, concurrency and middleware. Its code is smaller.
 * @param url URL of the service, including the key; error messages show only its origin
 * @throws TypeError for an invalid URL or header, RangeError for an invalid timeout
 */
export function createPlainClient(url: string | URL, options?: PlainClientOptions): PlainClient {
  return createPlainRpcClient(url, contract, options)
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

/** The TypeScript signature of a method: its type parameters, its parameters and the type of its result. */
export interface Signature {
  readonly generics: readonly string[]
  readonly params: readonly string[]
  readonly result: string
}

/** The names of the type parameters that stand for the values of parameters. */
type Generics = ReadonlyMap<Param, string>

/**
 * Returns the signature of a method. A parameter that decides the result's type (`x-result-when`) has a type
 * parameter, so that the result follows the argument, unions included.
 */
export function callSignature(writer: TypeWriter, method: Method): Signature {
  const deciding = decidingParams(writer.contract, method).map(({ param }) => param)
  if (deciding.length === 0) {
    return {
      generics: [],
      params: paramList(writer, method, new Map()),
      result: resultType(writer, method),
    }
  }
  const names = new Set(writer.names.values())
  const generics = new Map(
    deciding.map((param) => {
      const name = freeName(typeParameterName(param.name), names)
      names.add(name)
      return [param, name]
    }),
  )
  writer.used.add('SentResults')
  return {
    generics: deciding
      .toSorted((one, other) => Number(other.required) - Number(one.required))
      .map((param) => typeParameter(writer, param, generics)),
    params: paramList(writer, method, generics),
    result: `SentResults<${sentType(method, generics)}>[${quote(method.name)}]`,
  }
}

/** Derives the name of a type parameter: `blockSelector` gives `GivenBlockSelector`. */
function typeParameterName(name: string): string {
  return `Given${labelName(name).replace(/^[a-z]/, (letter) => letter.toUpperCase())}`
}

/** An omitted parameter has its default, or is undefined. */
function typeParameter(writer: TypeWriter, param: Param, generics: Generics): string {
  const type = typeOf(writer, param.schema)
  const head = `const ${generics.get(param)} extends `
  if (param.required) return `${head}${type.text}`
  return `${head}${union([type, tight('undefined')]).text} = undefined`
}

/** Returns the type of the sent parameters, as far as they decide the result. */
function sentType({ params, paramStructure }: Method, generics: Generics): string {
  if (paramStructure === 'by-name') {
    const members = [...generics].map(([{ name }, generic]) => `readonly ${memberName(name)}: ${generic}`)
    return `{ ${members.join('; ')} }`
  }
  const last = params.findLastIndex((param) => generics.has(param))
  return `readonly [${params
    .slice(0, last + 1)
    .map((param) => generics.get(param) ?? 'unknown')
    .join(', ')}]`
}

function paramList(writer: TypeWriter, method: Method, generics: Generics): readonly string[] {
  if (method.paramStructure === 'by-name') return namedParams(writer, method, generics)
  const { params } = method
  const labels = uniqueLabels(params)
  const lastRequired = params.findLastIndex(({ required }) => required)
  return params.map((param, at) => {
    const type = paramType(writer, param, generics)
    if (at > lastRequired) return `${labels[at]}?: ${type.text}`
    const mayBeAbsent = !param.required && (method.paramStructure === 'either' || hasDefault(param))
    return `${labels[at]}: ${mayBeAbsent ? union([type, tight('undefined')]).text : type.text}`
  })
}

function namedParams(writer: TypeWriter, { params }: Method, generics: Generics): readonly string[] {
  if (params.length === 0) return []
  const members = params.map((param) => {
    const type = paramType(writer, param, generics)
    if (param.required) return `readonly ${memberName(param.name)}: ${type.text}`
    return `readonly ${memberName(param.name)}?: ${union([type, tight('undefined')]).text}`
  })
  const optional = params.some(({ required }) => required) ? '' : '?'
  return [`params${optional}: ${objectType(members)}`]
}

function paramType(writer: TypeWriter, param: Param, generics: Generics): TypeText {
  const generic = generics.get(param)
  return generic === undefined ? typeOf(writer, param.schema) : tight(generic)
}

function hasDefault(param: Param): boolean {
  return param.default !== undefined
}
