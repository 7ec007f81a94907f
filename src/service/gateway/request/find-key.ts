import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import type { ServerRequest } from '@concordat/server'
import { type AcceptedKey, KeyRefusal, type Keys, type Lookup, type RefusedAddresses } from '../keys/index.js'
import { createConcurrencyLimiter } from '../util/index.js'

/**
 * Finds the key in the path of a request (specification 5).
 * @throws RpcError refusedKey for every unaccepted key; tooManyRefusedKeys; keyLookupFailed when the database
 * does not answer. The cause is a KeyRefusal if the text belongs to a key
 */
export type FindKey = (request: Pick<ServerRequest, 'params' | 'ip'>) => AcceptedKey | Promise<AcceptedKey>

/** Creates the step that finds keys. */
export function createFindKey(keys: Pick<Keys, 'known' | 'lookup'>, refused: RefusedAddresses): FindKey {
  /**
   * Limits lookups for addresses with many refused keys to one at a time, so that they cannot delay quota
   * leases.
   */
  const guesses = createConcurrencyLimiter(1)

  async function lookUp(text: string, ip: string): Promise<Lookup> {
    try {
      return await (refused.isOver(ip) ? guesses.run('', async () => keys.lookup(text)) : keys.lookup(text))
    } catch (cause) {
      throw failure('keyLookupFailed', { cause })
    }
  }

  async function find(text: string, ip: string): Promise<AcceptedKey> {
    const found = await lookUp(text, ip)
    if (found !== undefined && !(found instanceof KeyRefusal)) return found
    if (refused.count(ip)) throw failure('refusedKey', { cause: found })
    throw failure('tooManyRefusedKeys', {
      cause: found,
      values: { limit: limits.refusedKeysPerAddressPerMinute },
    })
  }

  return (request) => {
    const { key: text = '' } = request.params
    return keys.known(text) ?? find(text, request.ip)
  }
}
