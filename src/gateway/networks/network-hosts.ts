import type { Network } from './network.js'

/** Says which network a request asks for by its host; undefined where the host does not tell. */
export type NetworkOfHost = (host: string | undefined) => Network | undefined

/**
 * Makes what tells the network of a `Host` header. Where both networks are shown under hosts of their own, a key of
 * one is refused at the other's: who mistakes one for the other is told.
 * @param publicUrls what users are shown as the base of their URLs
 * @returns undefined where the hosts are not split
 */
export function createNetworkOfHost(
  publicUrls: Readonly<Partial<Record<Network, string | undefined>>>,
): NetworkOfHost | undefined {
  const { test, main } = publicUrls
  if (test === undefined || main === undefined) return undefined
  const [ofTest, ofMain] = [new URL(test).hostname, new URL(main).hostname]
  if (ofTest === ofMain) return undefined
  return (host) => {
    const name = host?.replace(/:\d+$/, '').toLowerCase()
    if (name === ofTest) return 'test'
    return name === ofMain ? 'main' : undefined
  }
}
