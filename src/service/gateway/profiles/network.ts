import { extensions } from '@concordat/node-access-contract/contract'

/** The name of a network of the contract (`x-networks`). */
export type Network = keyof (typeof extensions)['x-networks']

/** A network as the contract states it. */
interface ContractNetwork {
  readonly title: string
  /** Name of the chain, which may have several networks. */
  readonly chain?: string
  /** The network number as a quantity, such as `0x1f`. */
  readonly chainId: string
  /** The network number in decimal. */
  readonly netVersion: string
  /** The last letter of the network's API keys. */
  readonly keySuffix: string
  /** The currency that wallets show (EIP-3085). */
  readonly nativeCurrency?: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

/** Every network of the contract. */
export const networks: Readonly<Record<Network, ContractNetwork>> = extensions['x-networks']

/** The names of all networks, in the contract's order. */
export const networkNames = Object.keys(networks) as readonly Network[]

/** True for a network of the contract. Stored keys may belong to a network that was removed. */
export const isNetwork = (name: string): name is Network => Object.hasOwn(networks, name)

/** Creates one value for each network of the contract. */
export const byNetwork = <Value>(value: (network: Network) => Value): Readonly<Record<Network, Value>> =>
  Object.fromEntries(networkNames.map((name) => [name, value(name)])) as Record<Network, Value>

/** One value for each network that this process serves. */
export type Served<Value> = Readonly<Partial<Record<Network, Value>>>

/** The names and values of the served networks. */
export const servedEntries = <Value>(served: Served<Value>) =>
  Object.entries(served) as (readonly [Network, Value])[]
