import { keccak_256 } from '@noble/hashes/sha3.js'
import type { JsonValue } from '../../rpc/index.js'
import { fromBytes, toBytes } from '../ethereum/hex.js'

/** What the contract states of a network (`x-networks`). */
export interface NetworkIdentity {
  /** The network's number, hexadecimal. */
  readonly chainId: string
  /** The same number in decimal. */
  readonly netVersion: string
}

/**
 * The methods whose answer does not depend on a node, which is never asked (`x-local`).
 * @param network what the contract states of the network
 */
export function localAnswers(
  network: NetworkIdentity,
): Readonly<Record<string, (params: readonly JsonValue[]) => JsonValue>> {
  return {
    eth_accounts: () => [],
    eth_chainId: () => network.chainId,
    net_version: () => network.netVersion,
    web3_sha3: ([data]) => fromBytes(keccak_256(toBytes(String(data)))),
  }
}
