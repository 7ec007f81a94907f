import { failure } from '../../../../generated/errors.js'
import type { JsonValue } from '../../../rpc/index.js'
import type { AccessRules } from '../../store/access-rules.js'
import { concernedContracts } from './concerned-contracts.js'

/**
 * Checks a call against the lists of methods and contracts of its key (specification 5.5).
 * @param params valid
 * @throws RpcError methodNotFound for a method that is not on the list; contractRefused for a contract that is not on
 *   the list, and for a call that leaves a place for contracts empty
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
