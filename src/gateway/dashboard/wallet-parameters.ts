import { networkNames, networks } from '../profiles/network.js'
import type { DashboardNetwork } from './dashboard-services.js'

/** What a wallet takes as a network (EIP-3085). */
export interface WalletParameters {
  readonly chainId: string
  readonly chainName: string
  readonly rpcUrls: readonly string[]
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

/** Of a chain that the contract does not name: wallets ask for a name and for a symbol of at most six letters. */
const unknownCurrency = { name: 'Native currency', symbol: 'NATIVE', decimals: 18 } as const
const known = networkNames.map((name) => networks[name])

/**
 * Describes a network to wallets.
 * @param service what the service calls itself
 * @param url that calls go to, with a key
 */
export function walletParameters(
  service: string,
  { title, chainId }: Pick<DashboardNetwork, 'title' | 'chainId'>,
  url: string,
): WalletParameters {
  return {
    chainId,
    chainName: `${service}, ${title.toLowerCase()}`,
    rpcUrls: [url],
    nativeCurrency: known.find((network) => network.chainId === chainId)?.nativeCurrency ?? unknownCurrency,
  }
}
