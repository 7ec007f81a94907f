import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue } from '@concordat/rpc'
import type { AccessRules } from '../../store/index.js'
import { withoutFinalDot } from '../../util/index.js'
import type { AcceptedKey } from '../accepted-key.js'
import { KeyRefusal } from '../key-refusal.js'
import { createAddressMatch } from './address-range.js'
import { concernedContracts } from './concerned-contracts.js'
import { createTokenCheck, type TokenCheck } from './token-check.js'

/** The part of a request that access rules check before the body is read. */
export interface Client {
  /** IP address, as the trusted proxies report it. */
  readonly address: string
  /** The `Origin` header. */
  readonly origin: string | undefined
  /** The `Authorization` header. */
  readonly authorization: string | undefined
}

/**
 * Checks a client's address, origin and token against the access rules of its key (specification 5.5).
 * @throws RpcError clientRefused, jwtRefused; its cause is a KeyRefusal
 */
export type RequireClientAllowed = (
  key: Pick<AcceptedKey, 'id' | 'access'>,
  client: Client,
) => undefined | Promise<undefined>

/** True if a rule restricts addresses, origins or tokens. */
export function restrictsClient({ addresses, origins, jwt }: AccessRules): boolean {
  return addresses !== undefined || origins !== undefined || jwt !== undefined
}

interface ClientRules {
  readonly isAllowed: ((address: string) => boolean) | undefined
  readonly checkToken: TokenCheck | undefined
}

/**
 * Creates the check of clients. Parsed rules are cached for as long as their rules object is in memory.
 * @param now clock, in milliseconds since 1970
 */
export function createClientAccess(now: () => number = Date.now): RequireClientAllowed {
  const parsed = new WeakMap<AccessRules, ClientRules>()

  function parsedRulesOf(rules: AccessRules): ClientRules {
    const known = parsed.get(rules)
    if (known !== undefined) return known
    const { addresses, jwt } = rules
    const made = {
      isAllowed: addresses && createAddressMatch(addresses),
      checkToken: jwt && createTokenCheck(jwt, now),
    }
    parsed.set(rules, made)
    return made
  }

  return ({ id, access: rules }, { address, origin, authorization }) => {
    if (!restrictsClient(rules)) return undefined
    const { origins } = rules
    const { isAllowed, checkToken } = parsedRulesOf(rules)
    if (isAllowed?.(address) === false) throw refusal(id, 'addresses')
    if (origins !== undefined && !isListed(origins, origin)) throw refusal(id, 'origins')
    const token = checkToken?.(authorization) ?? true
    if (token instanceof Promise) return token.then((isGood) => requireToken(isGood, id))
    return requireToken(token, id)
  }
}

/** Pages of a host name with a final dot have the same owner as those without it. */
function isListed(origins: readonly string[], origin: string | undefined): boolean {
  return origin !== undefined && (origins.includes(origin) || origins.includes(withoutFinalDot(origin)))
}

function requireToken(isGood: boolean, keyId: string): undefined {
  if (!isGood) throw failure('jwtRefused', { cause: new KeyRefusal(keyId, 'tokens') })
}

const refusal = (keyId: string, list: 'addresses' | 'origins') =>
  failure('clientRefused', { cause: new KeyRefusal(keyId, list) })

/**
 * Checks a call against the contract list of its key (specification 5.5). Its method list is checked when the call is
 * read, before the parameters.
 * @param params valid parameters
 * @throws RpcError contractRefused for an address that is not listed, and for a call that leaves out an address which
 *   the list applies to
 */
export function requireContractsAllowed(
  { contracts }: Pick<AccessRules, 'contracts'>,
  method: string,
  params: readonly JsonValue[],
): void {
  if (contracts === undefined) return
  const isAllowed = concernedContracts(method, params).every(
    (named) => named.length > 0 && named.every((contract) => contracts.includes(contract)),
  )
  if (!isAllowed) throw failure('contractRefused')
}
