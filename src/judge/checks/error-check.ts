import {
  arrayMember,
  type Contract,
  type DeclaredError,
  isObject,
  type JsonObject,
  type JsonValue,
  type LocatedSchema,
  member,
  objectMember,
  stringMember,
} from '../../toolkit/contract/index.js'
import type { Problem } from '../expect/schema-check.js'

/**
 * Validates the `error` of a response. The method is undefined if the call is unknown, as for a body that is
 * not JSON.
 */
export type ErrorCheck = (method: string | undefined, error: JsonValue) => readonly Problem[]

/** Codes that JSON-RPC 2.0 defines (section 5.1). */
const ownCodes: readonly number[] = [-32700, -32600, -32601, -32602, -32603]
const isServerCode = (code: number) => code >= -32099 && code <= -32000

/**
 * Creates the check of error objects. The code must be declared by the method or by a failure of the service
 * (`x-failures`).
 * - A contract without failures allows the codes that JSON-RPC defines.
 * - A contract without errors also allows the codes reserved for servers.
 * The data must match `x-data-schema` and is required unless the error has `x-data-optional`. If every failure with the
 * code states `messageSchema`, the message must match one of them.
 * @param checkData validates a value against a schema of the contract
 */
export function createErrorCheck(
  contract: Contract,
  checkData: (schema: LocatedSchema, value: JsonValue) => readonly Problem[],
): ErrorCheck {
  const failures = failureErrors(contract)
  const hasErrorData = contract.errors.some(({ data }) => data !== undefined)
  const byMethod = new Map(contract.methods.map(({ name, errors }) => [name, errors]))
  const messages = messagesByCode(contract)

  return (method, error) => {
    const code = isObject(error) ? member(error, 'code') : undefined
    if (!isObject(error) || typeof code !== 'number') {
      return [{ path: isObject(error) ? '/code' : '', message: 'must be the code of an error' }]
    }
    const own = method === undefined ? undefined : byMethod.get(method)
    const declared = [...new Set([...(own ?? contract.errors), ...failures])]
    const fitting = declared.filter((candidate) => candidate.code === code)
    if (fitting.length === 0) {
      return isLeftToServers(code, declared) ? [] : [{ path: '/code', message: codesText(declared, method) }]
    }
    return [
      ...messageProblems(member(error, 'message'), messages.get(code)),
      ...problemsOfData(error, fitting),
    ]
  }

  function problemsOfData(error: JsonObject, fitting: readonly DeclaredError[]): readonly Problem[] {
    const data = member(error, 'data')
    if (data !== undefined) return hasErrorData ? dataProblems(data, fitting) : []
    return fitting.every(({ dataRequired }) => dataRequired) ? [missingData] : []
  }

  function isLeftToServers(code: number, declared: readonly DeclaredError[]): boolean {
    if (Object.keys(objectMember(contract.info, 'x-failures')).length > 0) {
      // A contract can declare failures and leave out a code of JSON-RPC. That code keeps its JSON-RPC
      // meaning.
      return ownCodes.includes(code) && contract.errors.every((error) => error.code !== code)
    }
    return ownCodes.includes(code) || (declared.length === 0 && isServerCode(code))
  }

  function dataProblems(data: JsonValue, errors: readonly DeclaredError[]): readonly Problem[] {
    const found = errors.map((error) => (error.data ? checkData(error.data, data) : noData))
    if (found.some((problems) => problems.length === 0)) return []
    return (found[0] ?? []).map(({ path, message }) => ({ path: `/data${path}`, message }))
  }
}

const noData: readonly Problem[] = [
  { path: '', message: 'must be absent: the contract declares no data for this error' },
]

const missingData: Problem = {
  path: '/data',
  message: 'is missing: the contract requires data for this error',
}

/** The pattern that a program looks for in the message of a failure. */
interface MessagePattern {
  readonly program: string
  readonly pattern: RegExp
}

/**
 * Returns the patterns of each failure's message, by code of the error. Codes with a failure without patterns are
 * omitted.
 */
function messagesByCode({
  info,
  errors,
}: Contract): ReadonlyMap<number, readonly (readonly MessagePattern[])[]> {
  const byCode = new Map<number, readonly (readonly MessagePattern[])[]>()
  const failures = Object.values(objectMember(info, 'x-failures')).filter(isObject)
  for (const { key, code } of errors) {
    const stated = failures
      .filter((failure) => stringMember(failure, 'error') === key)
      .map((failure) => messagePatterns(failure))
    byCode.set(code, [...(byCode.get(code) ?? []), ...stated])
  }
  return new Map([...byCode].filter(([, all]) => all.length > 0 && all.every((one) => one.length > 0)))
}

function messagePatterns(failure: JsonObject): readonly MessagePattern[] {
  return arrayMember(objectMember(failure, 'messageSchema'), 'allOf')
    .filter(isObject)
    .map((one) => ({
      program: stringMember(one, 'title') ?? 'a program',
      pattern: new RegExp(stringMember(one, 'pattern') ?? '', 'u'),
    }))
}

/** Returns a problem for each program that does not recognise a message; none if all those of one failure do. */
function messageProblems(
  message: JsonValue | undefined,
  stated: readonly (readonly MessagePattern[])[] = [],
): readonly Problem[] {
  const text = typeof message === 'string' ? message : ''
  const missed = stated.map((patterns) => patterns.filter(({ pattern }) => !pattern.test(text)))
  if (missed.some((patterns) => patterns.length === 0)) return []
  return (missed[0] ?? []).map(({ program, pattern }) => ({
    path: '/message',
    message: `must match ${pattern.source}, which ${program} looks for`,
  }))
}

/** Returns the errors that reject whole requests. */
function failureErrors({ info, errors }: Contract): readonly DeclaredError[] {
  const keys = new Set(
    Object.values(objectMember(info, 'x-failures')).flatMap((failure) =>
      isObject(failure) ? [stringMember(failure, 'error')] : [],
    ),
  )
  return errors.filter(({ key }) => keys.has(key))
}

function codesText(declared: readonly DeclaredError[], method: string | undefined): string {
  const codes = [...new Set(declared.map(({ code }) => code))].sort((one, other) => one - other)
  const whose = method === undefined ? 'the contract' : `the contract for ${method}`
  return codes.length === 0
    ? `must be a code of JSON-RPC`
    : `must be a code that ${whose} declares: ${codes.join(', ')}`
}
