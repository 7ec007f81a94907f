import { extensions } from '../../../generated/contract.js'

const networks = extensions['x-networks']

/** The name of a network of the contract (`x-networks`). */
export type Network = keyof typeof networks

/** Every network of the contract, in its order. */
export const networkNames = Object.keys(networks) as readonly Network[]

/** Makes one value for each network of the contract. */
export const byNetwork = <Value>(value: (network: Network) => Value): Readonly<Record<Network, Value>> =>
  Object.fromEntries(networkNames.map((name) => [name, value(name)])) as Record<Network, Value>
