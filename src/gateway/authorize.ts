import type { FastifyRequest } from 'fastify'
import { failure } from '../../generated/errors.js'
import type { AcceptedKey } from './keys/key-cache.js'
import type { Keys } from './keys/keys.js'
import type { RefusedAddresses } from './keys/refused-addresses.js'
import type { Caller } from './service-protocol.js'

/**
 * Makes the step that lets a request in by the key in its path, before its body is read (specification 5).
 * Throws RpcError `refusedKey`, the same for every key that is not accepted, `tooManyRefusedKeys`, or
 * `keyLookupFailed` when the database does not answer.
 */
export function createAuthorize(keys: Keys, refused: RefusedAddresses) {
  const enter = (key: AcceptedKey | undefined, { ip }: FastifyRequest): Caller => {
    if (key !== undefined) return { ...key, leave: undefined }
    throw failure(refused.count(ip) ? 'refusedKey' : 'tooManyRefusedKeys')
  }
  return (request: FastifyRequest): Caller | Promise<Caller> => {
    const { key } = request.params as { readonly key: string }
    const found = keys.lookup(key)
    if (!(found instanceof Promise)) return enter(found, request)
    return found
      .catch((cause: unknown) => {
        throw failure('keyLookupFailed', { cause })
      })
      .then((accepted) => enter(accepted, request))
  }
}
