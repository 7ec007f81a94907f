import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { failure } from '../../generated/errors.js'
import type { RequireClientAllowed } from './access/client-access.js'
import type { Caller } from './caller.js'
import type { AcceptedKey } from './keys/key-cache.js'
import type { Keys } from './keys/keys.js'
import type { RefusedAddresses } from './keys/refused-addresses.js'

/**
 * Makes the step that lets a request in by the key in its path, before its body is read (specification 5).
 * Throws RpcError `refusedKey`, the same for every key that is not accepted, `tooManyRefusedKeys`,
 * `keyLookupFailed` when the database does not answer, `clientRefused` or `jwtRefused` by the key's own rules.
 */
export function createAuthorize(
  keys: Pick<Keys, 'lookup'>,
  refused: RefusedAddresses,
  requireClientAllowed: RequireClientAllowed,
) {
  const enter = (
    key: AcceptedKey | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Caller | Promise<Caller> => {
    if (key === undefined) throw failure(refused.count(request.ip) ? 'refusedKey' : 'tooManyRefusedKeys')
    const { origin, authorization } = request.headers
    const checked = requireClientAllowed(key.access, { address: request.ip, origin, authorization })
    const caller = callerOf(key, reply.raw, key.access.origins && origin)
    return checked === undefined ? caller : checked.then(() => caller)
  }
  return (request: FastifyRequest, reply: FastifyReply): Caller | Promise<Caller> => {
    const { key } = request.params as { readonly key: string }
    const found = keys.lookup(key)
    if (!(found instanceof Promise)) return enter(found, request, reply)
    return found
      .catch((cause: unknown) => {
        throw failure('keyLookupFailed', { cause })
      })
      .then((accepted) => enter(accepted, request, reply))
  }
}

function callerOf(key: AcceptedKey, response: ServerResponse, origin: string | undefined): Caller {
  return { ...key, origin, response, startedAt: 0, left: leftSignal(response), inBatch: false, heldBytes: 0 }
}

/** Gives a signal, made when it is first asked for, that is aborted when the connection ends before the answer. */
function leftSignal(response: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined
  return () => {
    if (controller !== undefined) return controller.signal
    const made = new AbortController()
    controller = made
    if (response.destroyed) made.abort()
    response.once('close', () => {
      if (!response.writableFinished) made.abort()
    })
    return made.signal
  }
}
