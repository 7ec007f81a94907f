import { extensions } from '../../../generated/contract.js'

/** The name of a network of the contract (`x-networks`). */
export type Network = keyof (typeof extensions)['x-networks']

/** A network as the contract states it. */
interface ContractNetwork {
  readonly title: string
  /** The network number as a quantity, such as `0x1f`. */
  readonly chainId: string
  /** The same in decimal. */
  readonly netVersion: string
  /** The letter that ends its API keys. */
  readonly keySuffix: string
  /** What wallets show (EIP-3085). */
  readonly nativeCurrency?: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

/** Every network of the contract. */
export const networks: Readonly<Record<Network, ContractNetwork>> = extensions['x-networks']

/** Their names, in the contract's order. */
export const networkNames = Object.keys(networks) as readonly Network[]

/** True for the name of a network of the contract: stored keys may be of a network that it no longer has. */
export const isNetwork = (name: string): name is Network => Object.hasOwn(networks, name)

/** Makes one value for each network of the contract. */
export const byNetwork = <Value>(value: (network: Network) => Value): Readonly<Record<Network, Value>> =>
  Object.fromEntries(networkNames.map((name) => [name, value(name)])) as Record<Network, Value>

/** One value for each network that this process serves. */
export type Served<Value> = Readonly<Partial<Record<Network, Value>>>

/** The names and values of the networks that are served. */
export const servedEntries = <Value>(served: Served<Value>) =>
  Object.entries(served) as (readonly [Network, Value])[]
