import { isObject, objectMember, stringMember } from '../json.js'
import type { Contract } from './contract.js'

/** The error codes of JSON-RPC 2.0, section 5.1, by the name of their failure in `x-failures`. */
const usualCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
} as const

export type UsualFailure = keyof typeof usualCodes

/** Returns the code and message of a failure, if `x-failures` names its error. */
export function statedFailure(
  { info, errors }: Pick<Contract, 'info' | 'errors'>,
  name: string,
): { readonly code: number; readonly message: string } | undefined {
  const stated = objectMember(info, 'x-failures')[name]
  if (!isObject(stated)) return undefined
  const key = stringMember(stated, 'error')
  const error = errors.find((one) => one.key === key)
  return error && { code: error.code, message: stringMember(stated, 'message') ?? error.message }
}

/** Returns the error code of a failure, as stated in `x-failures` or else in JSON-RPC 2.0. */
export function failureCode(contract: Pick<Contract, 'info' | 'errors'>, name: UsualFailure): number {
  return statedFailure(contract, name)?.code ?? usualCodes[name]
}

/** Returns the contract's codes for the failures of JSON-RPC 2.0, by the codes of JSON-RPC 2.0. */
export function replacedCodes(contract: Pick<Contract, 'info' | 'errors'>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(usualCodes).map(([name, code]) => [code, failureCode(contract, name as UsualFailure)]),
  )
}
