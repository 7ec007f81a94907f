import type { DashboardNetwork } from './dashboard-services.js'

/** What a wallet takes as a network (EIP-3085). */
export interface WalletParameters {
  readonly chainId: string
  readonly chainName: string
  readonly rpcUrls: readonly string[]
  readonly nativeCurrency: { readonly name: string; readonly symbol: string; readonly decimals: number }
}

/** Wallets show balances with these decimals alone. */
const DECIMALS = 18
/** What chains call their currency, by their id (the registry of EIP-155 chains, chainid.network). */
const currencies: Readonly<Record<number, { readonly name: string; readonly symbol: string }>> = {
  30: { name: 'Smart Bitcoin', symbol: 'RBTC' },
  31: { name: 'Testnet Smart Bitcoin', symbol: 'tRBTC' },
}

/** Of any other chain: wallets and libraries ask for a name and for a symbol of at most six letters. */
const unknownCurrency = { name: 'Native currency', symbol: 'NATIVE' } as const

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
    nativeCurrency: { ...(currencies[Number(chainId)] ?? unknownCurrency), decimals: DECIMALS },
  }
}
