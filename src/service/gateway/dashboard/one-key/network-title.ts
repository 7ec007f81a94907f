import { isNetwork, networks as stated } from '../../profiles/index.js'
import type { DashboardServices } from '../dashboard-services.js'

/**
 * Returns the title of a key's network, with a note if this process does not serve the network.
 * @param networks networks that this process serves
 * @param name name of the network; the contract may no longer have it
 */
export function networkTitle(networks: DashboardServices['networks'], name: string): string {
  const served = networks.get(name)
  if (served !== undefined) return served.title
  return `${isNetwork(name) ? stated[name].title : name} (not served here)`
}
