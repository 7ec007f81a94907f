import { failure } from '@concordat/node-access-contract/errors'
import { type AcceptedKey, KeyRefusal } from '../keys/index.js'
import type { AnswerCall } from '../methods/index.js'
import { type Network, networkNames, type Served } from '../profiles/index.js'
import { withoutFinalDot } from '../util/index.js'

/** A network that requests are answered on. */
export interface RequestNetwork {
  readonly answer: AnswerCall
}

/**
 * Finds the network of a key.
 * @param host the `Host` header of the request
 * @throws RpcError wrongNetwork when this process, or this host, does not serve the network; its cause is a KeyRefusal
 */
export type FindNetwork = (
  key: Pick<AcceptedKey, 'id' | 'network'>,
  host: string | undefined,
) => RequestNetwork

/**
 * Creates the step that finds networks. Networks with different public hosts are served at their own host,
 * and at hosts that belong to no network.
 * @param served the networks of this process
 * @param publicUrls the base URLs that users see
 */
export function createFindNetwork(
  served: Served<RequestNetwork>,
  publicUrls: Readonly<Partial<Record<Network, string | undefined>>>,
): FindNetwork {
  const networksByHost = new Map<string, Set<Network>>()
  for (const name of networkNames) {
    const url = publicUrls[name]
    if (url === undefined) continue
    const hostname = withoutFinalDot(new URL(url).hostname)
    networksByHost.set(hostname, (networksByHost.get(hostname) ?? new Set()).add(name))
  }
  const isSplit = networksByHost.size > 1

  function isServedAt(name: Network, host: string | undefined): boolean {
    if (!isSplit || publicUrls[name] === undefined) return true
    const hostname = withoutFinalDot(host?.replace(/:\d+$/, '').toLowerCase() ?? '')
    return networksByHost.get(hostname)?.has(name) ?? true
  }

  return ({ id, network: name }, host) => {
    const network = served[name]
    if (network === undefined || !isServedAt(name, host))
      throw failure('wrongNetwork', { values: { network: name }, cause: new KeyRefusal(id, 'network') })
    return network
  }
}
