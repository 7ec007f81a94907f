import { limits } from '../../../generated/contract.js'
import { failure } from '../../../generated/errors.js'
import type { EdgeReply, EdgeRequest } from '../../server/index.js'
import { createConcurrencyLimiter } from '../../util/concurrency-limiter.js'
import type { AcceptedKey } from '../keys/accepted-key.js'
import { type RequireClientAllowed, restrictsClient } from '../keys/access/client-access.js'
import type { Keys } from '../keys/keys.js'
import type { RefusedAddresses } from '../keys/refused-addresses.js'
import type { ServesNetwork } from '../networks/serves-network.js'
import type { Caller } from './caller.js'
import { createMemoryRoom } from './memory-room.js'
import { RequestCaller } from './request-caller.js'

/** Bodies up to this size, in bytes, are no burden while they arrive: connections are bounded in number. */
const smallBodyBytes = 16_384

/** The other dependencies of the step. */
export interface AuthorizeOptions {
  /** Most bytes of large request bodies that the process holds at once. */
  readonly bodyBytesAtOnce: number
  readonly servesNetwork: ServesNetwork
}

/**
 * Makes the step that lets a request in by the key in its path, before its body is read (specification 5).
 * Throws RpcError `refusedKey`, the same for every key that is not accepted, `tooManyRefusedKeys`, `keyLookupFailed`
 * when the database does not answer, `wrongNetwork` for an accepted key of a network that is not served here,
 * `clientRefused` or `jwtRefused` by the key's own rules, and `tooManyLargeBodies` when other large bodies leave no
 * room for this one.
 */
export function createAuthorize(
  keys: Pick<Keys, 'known' | 'lookup'>,
  refused: RefusedAddresses,
  requireClientAllowed: RequireClientAllowed,
  { bodyBytesAtOnce, servesNetwork }: AuthorizeOptions,
) {
  const memory = createMemoryRoom(bodyBytesAtOnce)
  /** A large body takes memory from its headers on. */
  const withRoom = (caller: RequestCaller, { headers }: EdgeRequest): Caller => {
    const { userId, response } = caller
    const announced = headers['content-length']
    if (Number(announced) <= smallBodyBytes || response.destroyed) return caller
    const bytes = Math.min(Number(announced ?? limits.bodyBytes), limits.bodyBytes)
    const resize = memory.enter(userId, response, bytes)
    if (resize === undefined) throw failure('tooManyLargeBodies')
    caller.bodyRead = (read) => resize(read > smallBodyBytes ? read : 0)
    return caller
  }
  const enter = (
    key: AcceptedKey | undefined,
    request: EdgeRequest,
    reply: EdgeReply,
  ): Caller | Promise<Caller> => {
    if (key === undefined) throw failure(refused.count(request.ip) ? 'refusedKey' : 'tooManyRefusedKeys')
    const { network } = key
    if (!servesNetwork(network, request.headers.host)) throw failure('wrongNetwork', { values: { network } })
    if (!restrictsClient(key.access)) return withRoom(new RequestCaller(key, reply.raw, undefined), request)
    const { origin, authorization } = request.headers
    const checked = requireClientAllowed(key.access, { address: request.ip, origin, authorization })
    const caller = new RequestCaller(key, reply.raw, key.access.origins && origin)
    if (checked !== undefined) return checked.then(() => withRoom(caller, request))
    return withRoom(caller, request)
  }
  /** Guesses go to the database one at a time: what waits there behind them would be leases of quota. */
  const guesses = createConcurrencyLimiter(1)
  return (request: EdgeRequest, reply: EdgeReply): Caller | Promise<Caller> => {
    const { key } = request.params as { readonly key: string }
    const known = keys.known(key)
    if (known !== undefined) return enter(known, request, reply)
    const found = refused.isOver(request.ip)
      ? guesses.run('', async () => keys.lookup(key))
      : keys.lookup(key)
    if (!(found instanceof Promise)) return enter(found, request, reply)
    return found
      .catch((cause: unknown) => {
        throw failure('keyLookupFailed', { cause })
      })
      .then((accepted) => enter(accepted, request, reply))
  }
}
