import { type Network, networkNames } from '../profiles/network.js'

/** Tells whether a network is served for a request with this `Host` header. */
export type ServesNetwork = (network: Network, host: string | undefined) => boolean

/**
 * Creates the function that decides whether a network is served by this process and at the host of the request.
 * Networks with different public hosts are served at their own host, and at hosts that no network has.
 * @param served the networks of this process
 * @param publicUrls the base URLs that users see
 */
export function createServesNetwork(
  served: readonly Network[],
  publicUrls: Readonly<Partial<Record<Network, string | undefined>>>,
): ServesNetwork {
  const names = new Set(served)
  const hosts = new Map<string, Set<Network>>()
  for (const network of networkNames) {
    const url = publicUrls[network]
    if (url === undefined) continue
    const { hostname } = new URL(url)
    hosts.set(hostname, (hosts.get(hostname) ?? new Set()).add(network))
  }
  if (hosts.size <= 1) return (network) => names.has(network)
  return (network, host) => {
    if (!names.has(network)) return false
    if (publicUrls[network] === undefined) return true
    const name = host?.replace(/:\d+$/, '').toLowerCase() ?? ''
    return hosts.get(name)?.has(network) ?? true
  }
}
