import { networkNames, networks } from '../../profiles/index.js'
import type { DashboardNetwork } from '../dashboard-services.js'

/** Parameters of `wallet_addEthereumChain` (EIP-3085). */
export interface WalletParameters {
  readonly chainId: string
  readonly chainName: string
  readonly rpcUrls: readonly string[]
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

/** Currency of chains that the contract does not know. Wallets require a name and a symbol of at most six letters. */
const unknownCurrency = { name: 'Native currency', symbol: 'NATIVE', decimals: 18 } as const
const known = networkNames.map((name) => networks[name])

/**
 * Creates the parameters that add a network to a wallet.
 * @param service name of the service
 * @param url URL with the key
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
