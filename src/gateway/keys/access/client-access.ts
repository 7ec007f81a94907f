import { failure } from '../../../../generated/errors.js'
import type { AccessRules } from '../../store/access-rules.js'
import { createAddressMatch } from '../address-range.js'
import { createTokenCheck, type TokenCheck } from './token-check.js'

/** What is known of a client before its body is read. */
export interface Client {
  /** IP address, behind the proxies that are believed. */
  readonly address: string
  /** The `Origin` header. */
  readonly origin: string | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
}

/**
 * Holds a client against the rules of the key that it has (specification 5.5): its address, its origin, its token.
 * @throws RpcError clientRefused, jwtRefused
 */
export type RequireClientAllowed = (rules: AccessRules, client: Client) => undefined | Promise<undefined>

/** True where some rule concerns the client. */
export function concernClient({ addresses, origins, jwt }: AccessRules): boolean {
  return addresses !== undefined || origins !== undefined || jwt !== undefined
}

interface ClientRules {
  readonly isAllowed: ((address: string) => boolean) | undefined
  readonly checkToken: TokenCheck | undefined
}

/**
 * Makes the check of clients; what it makes of a key's rules is kept as long as they are.
 * @param now the time, in milliseconds since 1970
 */
export function createClientAccess(now: () => number = Date.now): RequireClientAllowed {
  const read = new WeakMap<AccessRules, ClientRules>()

  function rulesOf(rules: AccessRules): ClientRules {
    const known = read.get(rules)
    if (known !== undefined) return known
    const { addresses, jwt } = rules
    const made = {
      isAllowed: addresses && createAddressMatch(addresses),
      checkToken: jwt && createTokenCheck(jwt, now),
    }
    read.set(rules, made)
    return made
  }

  return (rules, { address, origin, authorization }) => {
    if (!concernClient(rules)) return undefined
    const { origins } = rules
    const { isAllowed, checkToken } = rulesOf(rules)
    if (isAllowed?.(address) === false) throw failure('clientRefused')
    if (origins !== undefined && (origin === undefined || !origins.includes(origin)))
      throw failure('clientRefused')
    const token = checkToken?.(authorization) ?? true
    if (token instanceof Promise) return token.then(requireToken)
    return requireToken(token)
  }
}

function requireToken(isGood: boolean): undefined {
  if (!isGood) throw failure('jwtRefused')
}
