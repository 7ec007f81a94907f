import { failure } from '../../../../generated/errors.js'
import type { JsonValue } from '../../../rpc/index.js'
import type { AccessRules } from '../../store/index.js'
import { concernedContracts } from './concerned-contracts.js'

/**
 * Checks a call against the method list and the contract list of its key (specification 5.5).
 * @param params valid parameters
 * @throws RpcError methodNotFound for a method that is not listed; contractRefused for an address that is not listed,
 *   and for a call that leaves out an address which the list applies to
 */
export function requireCallAllowed(
  { methods, contracts }: AccessRules,
  method: string,
  params: readonly JsonValue[],
): void {
  if (methods !== undefined && !methods.includes(method)) throw failure('methodNotFound')
  if (contracts === undefined) return
  const isAllowed = concernedContracts(method, params).every(
    (named) => named.length > 0 && named.every((contract) => contracts.includes(contract)),
  )
  if (!isAllowed) throw failure('contractRefused')
}
