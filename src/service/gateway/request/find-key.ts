import { limits } from '@concordat/node-access-contract/contract'
import { failure } from '@concordat/node-access-contract/errors'
import { RpcError } from '@concordat/rpc'
import { FairLimiter, Holder, type ServerRequest } from '@concordat/server'
import {
  type AcceptedKey,
  clientPrefixOf,
  KeyRefusal,
  type Keys,
  type Lookup,
  type RefusedAddresses,
} from '../keys/index.js'

/**
 * Finds the key in the path of a request (specification 5).
 * @throws RpcError refusedKey for every unaccepted key; tooManyRefusedKeys; keyLookupFailed when the database
 * does not answer. The cause is a KeyRefusal if the text belongs to a key
 */
export type FindKey = (request: Pick<ServerRequest, 'params' | 'ip'>) => AcceptedKey | Promise<AcceptedKey>

/** Maximum number of pending lookups of a client with many refused keys. Further keys are refused without a lookup. */
const guessesOfClient = 8

const tooManyRefused = (cause?: KeyRefusal): RpcError =>
  failure('tooManyRefusedKeys', { cause, values: { limit: limits.refusedKeysPerAddressPerMinute } })

/** Creates the step that finds keys. */
export function createFindKey(keys: Pick<Keys, 'known' | 'lookup'>, refused: RefusedAddresses): FindKey {
  /**
   * Limits lookups for addresses with many refused keys to one at a time, so that they cannot delay quota
   * leases. Clients take turns.
   */
  const guesses = new FairLimiter({ units: 1 }, () => new Holder())

  async function guess(text: string, client: string): Promise<Lookup> {
    const { units, waiting } = guesses.of(client)
    // A caller may disconnect and send more requests, so the lookups of its earlier requests would pile up.
    if (units + (waiting?.size ?? 0) >= guessesOfClient) throw tooManyRefused()
    return guesses.run(client, async () => keys.lookup(text))
  }

  async function lookUp(text: string, ip: string): Promise<Lookup> {
    try {
      return await (refused.isOver(ip) ? guess(text, clientPrefixOf(ip).client) : keys.lookup(text))
    } catch (cause) {
      throw cause instanceof RpcError ? cause : failure('keyLookupFailed', { cause })
    }
  }

  async function find(text: string, ip: string): Promise<AcceptedKey> {
    const found = await lookUp(text, ip)
    if (found !== undefined && !(found instanceof KeyRefusal)) return found
    if (refused.count(ip)) throw failure('refusedKey', { cause: found })
    throw tooManyRefused(found)
  }

  return (request) => {
    const { key: text = '' } = request.params
    return keys.known(text) ?? find(text, request.ip)
  }
}
