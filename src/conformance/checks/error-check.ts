import {
  type Contract,
  type DeclaredError,
  isObject,
  type JsonValue,
  type LocatedSchema,
  member,
  objectMember,
  stringMember,
} from '../../contract/index.js'
import type { Problem } from './problem.js'

/** Checks the `error` of an answer; the method is undefined where no call can be told, as with a body that is no JSON. */
export type ErrorCheck = (method: string | undefined, error: JsonValue) => readonly Problem[]

/** JSON-RPC 2.0, section 5.1: codes with a meaning of their own, and those left to servers. */
const ownCodes: readonly number[] = [-32700, -32600, -32601, -32602, -32603]
const isServerCode = (code: number) => code >= -32099 && code <= -32000

/**
 * An error has a code that its method, or a failure of the service (`x-failures`), declares. A contract that lists no
 * failures leaves JSON-RPC's own codes to every server, and one that declares no error at all those of servers too.
 * Its data has the form of `x-data-schema` and is required unless the error has `x-data-optional`.
 * @param checkData checks a value against a schema of the contract
 */
export function createErrorCheck(
  contract: Contract,
  checkData: (schema: LocatedSchema, value: JsonValue) => readonly Problem[],
): ErrorCheck {
  const failures = failureErrors(contract)
  const speaksOfData = contract.errors.some(({ data }) => data !== undefined)
  const byMethod = new Map(contract.methods.map(({ name, errors }) => [name, errors]))

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
    const data = member(error, 'data')
    if (data !== undefined) return speaksOfData ? dataProblems(data, fitting) : []
    return fitting.every(({ dataRequired }) => dataRequired) ? [missingData] : []
  }

  function isLeftToServers(code: number, declared: readonly DeclaredError[]): boolean {
    if (Object.keys(objectMember(contract.info, 'x-failures')).length > 0) {
      // A contract that says how requests fail, and not a word of one of JSON-RPC's own codes, leaves it to JSON-RPC.
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
  { path: '', message: 'must be absent: the contract has no form for the data of this error' },
]

const missingData: Problem = {
  path: '/data',
  message: 'must be there: the contract requires the data of this error',
}

/** The errors by which a service answers whole requests. */
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
