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

/** Returns the error code of a failure, as stated in `x-failures` or else in JSON-RPC 2.0. */
export function failureCode({ info, errors }: Pick<Contract, 'info' | 'errors'>, name: UsualFailure): number {
  const stated = objectMember(info, 'x-failures')[name]
  const key = isObject(stated) ? stringMember(stated, 'error') : undefined
  return errors.find((error) => key !== undefined && error.key === key)?.code ?? usualCodes[name]
}

/** Returns the contract's codes for the failures of JSON-RPC 2.0, by the codes of JSON-RPC 2.0. */
export function replacedCodes(contract: Pick<Contract, 'info' | 'errors'>): ReadonlyMap<number, number> {
  return new Map(
    Object.entries(usualCodes).map(([name, code]) => [code, failureCode(contract, name as UsualFailure)]),
  )
}
