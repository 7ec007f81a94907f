import { isNetwork, networks as stated } from '../profiles/network.js'
import type { DashboardServices } from './dashboard-services.js'

/**
 * The title of a key's network, marked when this process does not serve the network.
 * @param networks those that this process serves
 * @param name as the key has it: the contract may no longer have the network
 */
export function networkTitle(networks: DashboardServices['networks'], name: string): string {
  const served = networks.get(name)
  if (served !== undefined) return served.title
  return `${isNetwork(name) ? stated[name].title : name} (not served here)`
}
