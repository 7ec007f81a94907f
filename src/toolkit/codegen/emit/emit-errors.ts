import {
  type Contract,
  ContractError,
  type ContractProblem,
  type DeclaredError,
  isObject,
  type JsonObject,
  joinPointer,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import type { Emitter } from '../generated-file.js'
import { codeHeader } from '../header.js'
import { access, docComment, group, indent, literal, literalKey, quote } from '../text.js'
import { inOwnNames } from '../types/own-names.js'
import { typeOf } from '../types/schema-type.js'
import { typeImports } from '../types/type-imports.js'
import { createTypeWriter, type TypeWriter } from '../types/type-writer.js'
import { commonErrors } from './common-errors.js'

/** Emits errors.ts: the contract's errors and failures (`x-failures`), as data and as constructors. */
export const emitErrors: Emitter = inOwnNames((source) => {
  const { contract } = source
  const writer = createTypeWriter(contract, source.names)
  writer.used.add('JsonValue')
  const table = contract.errors.map((error) => indent(tableEntry(error)))
  const constructors = contract.errors.map((error) => indent(constructorEntry(writer, error)))
  const failures = readFailures(contract)
  const runtime = contract.errors.length === 0 ? [] : ['RpcError', 'type ErrorDescriptor']
  const content = `${codeHeader(source)}${typeImports(source, writer, runtime)}/** Details of one occurrence of an error. */
export interface ErrorDetails<ErrorData extends JsonValue | object = JsonValue> {
  /** Replaces the contract's message in the response. */
  readonly message?: string | undefined
  /** The \`data\` of the error object. */
  readonly data?: ErrorData | undefined
  /** Overrides the contract's \`Retry-After\`, in whole seconds. */
  readonly retryAfterSeconds?: number | undefined
  /** The underlying cause. It is logged and never sent. */
  readonly cause?: unknown
}

/** The contract's errors by name, with code, message, HTTP status and \`Retry-After\`. */
export const errorTable = ${block(table)} as const

/** The name of an error of the contract. */
export type ErrorName = keyof typeof errorTable

/** Creates errors outside of methods. Methods throw those of {@link methodErrors}. */
export const errors = ${block(constructors)}
${methodErrors(contract)}${making(contract, failures)}`
  return { path: 'errors.ts', content }
})

const block = (members: readonly string[]) => (members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`)

/** Returns the source of the constructors, without the parts that the contract has no use for. */
function making({ errors }: Contract, failures: JsonObject): string {
  if (errors.length === 0) return ''
  return `\n${Object.keys(failures).length === 0 ? plainCreate : `${failuresText(failures)}${failureCreate}`}`
}

function failuresText(failures: JsonObject): string {
  return `/** The failures that the contract names (\`x-failures\`): error, HTTP status and cost of each. */
export const failures = ${literal(failures)} as const

/** The name of a failure that the contract declares. */
export type FailureName = keyof typeof failures

/** Details of one occurrence of a failure, including values for the placeholders of its message. */
export interface FailureDetails extends ErrorDetails<JsonValue | object> {
  /** Values by placeholder name: \`{ limit: 10 }\` replaces \`{limit}\` by 10. */
  readonly values?: Readonly<Record<string, string | number>> | undefined
}

/** The error that answers a situation, with the contract's code, message, HTTP status and Retry-After. */
export function failure(name: FailureName, details: FailureDetails = {}): RpcError {
  const facts: Failure = failures[name]
  return create(facts.error, details, facts, name)
}

`
}

const failureCreate = `function filled(message: string, values: Readonly<Record<string, string | number>>): string {
  return message.replaceAll(/\\{(\\w+)\\}/g, (braces, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : braces,
  )
}

interface Failure {
  readonly error: ErrorName
  readonly message?: string
  readonly httpStatus?: number
  readonly retryAfterSeconds?: number
}

function create(
  name: ErrorName,
  details: FailureDetails,
  facts?: Failure,
  failure?: FailureName,
): RpcError {
  const error: ErrorDescriptor = errorTable[name]
  return new RpcError({
    code: error.code,
    message: filled(details.message ?? facts?.message ?? error.message, details.values ?? {}),
    data: details.data as JsonValue | undefined,
    cause: details.cause,
    failure,
    httpStatus: facts?.httpStatus ?? error.httpStatus,
    retryAfterSeconds: details.retryAfterSeconds ?? facts?.retryAfterSeconds ?? error.retryAfterSeconds,
  })
}
`

const plainCreate = `function create<ErrorData extends JsonValue | object>(
  name: ErrorName,
  { message, data, cause, retryAfterSeconds }: ErrorDetails<ErrorData>,
): RpcError {
  const error: ErrorDescriptor = errorTable[name]
  return new RpcError({
    code: error.code,
    message: message ?? error.message,
    data: data as JsonValue | undefined,
    cause,
    httpStatus: error.httpStatus,
    retryAfterSeconds: retryAfterSeconds ?? error.retryAfterSeconds,
  })
}
`

/** JSON-RPC 2.0, section 5.1: any method can answer with "Invalid params". */
const invalidParams = -32602

/**
 * Returns the constructors of each method's errors. A method that declares none can use all errors of the
 * contract.
 */
function methodErrors({ errors, methods }: Contract): string {
  const common = commonErrors(methods).map(({ key }) => key)
  const made = (key: string) => `${literalKey(key)}: errors${access(key)}`
  const entries = methods.map(({ name, errors: own, statesErrors }) => {
    const declared = own.map(({ key }) => key)
    const allowed = errors.filter(
      ({ key, code }) => !statesErrors || declared.includes(key) || code === invalidParams,
    )
    const isShared = statesErrors && common.length > 0
    const keys = allowed.map(({ key }) => key).filter((key) => !isShared || !common.includes(key))
    const others = keys.map(made)
    const value =
      isShared && others.length === 0
        ? 'commonErrors'
        : group('{', [...(isShared ? ['...commonErrors'] : []), ...others], '}', 60)
    const type = keys.length === 0 ? 'Creators' : `Creators<${keys.map(quote).join(' | ')}>`
    return indent(`${literalKey(name)}: ${value} as ${type},`)
  })
  if (errors.length === 0 || entries.length === 0) return ''
  const shared =
    common.length === 0
      ? ''
      : `
/** Creates the errors that every method declares. */
const commonErrors = ${block(common.map((key) => `  ${made(key)},`))}

type CommonName =${common.map((key) => `\n  | ${quote(key)}`).join('')}
`
  return `${shared}
/** The constructors of ${common.length === 0 ? 'these errors' : 'the errors that every method declares, and of these'}. */
type Creators<Own extends ErrorName = never> = Pick<typeof errors, ${common.length === 0 ? 'Own' : 'CommonName | Own'}>

/** Creates the errors that a method declares, keyed by method name. Undeclared errors do not compile. */
export const methodErrors = ${block(entries)}
`
}

function tableEntry(error: DeclaredError): string {
  const { key, code, message, description, httpStatus, retryAfterSeconds } = error
  const facts = literal({
    code,
    message,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
  return `${docComment([description])}${literalKey(key)}: ${facts},`
}

function constructorEntry(
  writer: TypeWriter,
  { key, code, message, description, data, dataRequired }: DeclaredError,
): string {
  const type = data && typeOf(writer, data).text
  const details = type === undefined ? 'ErrorDetails' : `ErrorDetails<${type}>`
  const taken = dataRequired ? `${details} & { readonly data: ${type} }` : `${details} = {}`
  const doc = docComment([description ?? `${message} (${code}).`])
  const head = `${literalKey(key)}: (details: ${taken}): RpcError =>`
  const body = `create(${quote(key)}, details),`
  return `${doc}${head}${head.length + body.length <= 112 ? ' ' : '\n  '}${body}`
}

/**
 * Reads `x-failures` of the info object.
 * @throws ContractError if a failure is malformed or names an undeclared error
 */
function readFailures({ info, errors }: Contract): JsonObject {
  const failures = objectMember(info, 'x-failures')
  const problems = Object.entries(failures).flatMap(([name, failure]) => {
    const pointer = joinPointer('#/info/x-failures', name)
    if (!isObject(failure)) return [{ pointer, message: 'must be an object' }]
    const error = stringMember(failure, 'error')
    const isKnown = errors.some(({ key }) => key === error)
    const unknown = isKnown ? [] : [{ pointer, message: `the contract has no error "${error ?? ''}"` }]
    return [...unknown, ...formProblems(failure, pointer)]
  })
  if (problems.length > 0) throw new ContractError(problems)
  return failures
}

/** Checks the optional members of a failure, such as its HTTP status. */
function formProblems(failure: JsonObject, pointer: string): readonly ContractProblem[] {
  const isWhole = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
  const forms: readonly (readonly [string, string, (value: unknown) => boolean])[] = [
    ['message', 'a text', (value) => typeof value === 'string'],
    [
      'httpStatus',
      'an HTTP status, 200 to 599',
      (value) => isWhole(value) && Number(value) >= 200 && Number(value) <= 599,
    ],
    ['retryAfterSeconds', 'a whole number of seconds', isWhole],
  ]
  return forms.flatMap(([name, words, isForm]) => {
    const value = member(failure, name)
    if (value === undefined || isForm(value)) return []
    return [{ pointer: joinPointer(pointer, name), message: `must be ${words}` }]
  })
}
