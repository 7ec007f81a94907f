import type { JsonValue } from '@concordat/rpc'
import { type Fault, onResult } from 'concordat/conformance'
import { isQuantity } from './quantities.js'

/** Returns the number of another network in the same notation, hexadecimal or decimal. */
const otherNumber = (id: JsonValue) => {
  const next = BigInt(String(id)) + 1n
  return String(id).startsWith('0x') ? `0x${next.toString(16)}` : `${next}`
}

/** Faults in the identity that a service reports (specification 4). */
export const identityFaults: readonly Fault[] = [
  {
    name: 'chain-id-of-the-other-network',
    rule: 'identity.chain-id-hex',
    description: 'eth_chainId returns the number of the other network.',
    begin: () => onResult(['eth_chainId'], otherNumber),
  },
  {
    name: 'chain-id-is-a-number',
    rule: 'identity.chain-id-hex',
    description: 'eth_chainId returns a JSON number.',
    begin: () => onResult(['eth_chainId'], Number),
  },
  {
    name: 'gas-price-in-gwei',
    rule: 'identity.gas-price',
    description: 'eth_gasPrice returns gwei instead of wei.',
    begin: () =>
      onResult(['eth_gasPrice'], (price) =>
        isQuantity(price) ? `0x${(BigInt(price) / 1_000_000_000n).toString(16)}` : price,
      ),
  },
  {
    name: 'net-version-in-hexadecimal',
    rule: 'identity.net-version-decimal',
    description: 'net_version returns hexadecimal instead of decimal.',
    begin: () => onResult(['net_version'], (version) => `0x${Number(version).toString(16)}`),
  },
  {
    name: 'net-version-of-the-other-network',
    rule: 'identity.numbers-agree',
    description: 'net_version returns the number of the other network, eth_chainId the correct number.',
    begin: () => onResult(['net_version'], otherNumber),
  },
  {
    name: 'both-networks-are-one',
    rule: 'identity.key-chooses-network',
    description: 'eth_chainId and net_version return the other network for every key.',
    begin: () => onResult(['eth_chainId', 'net_version'], otherNumber),
  },
  {
    name: 'accounts-of-the-node',
    rule: 'identity.accounts-empty',
    description: 'eth_accounts returns the accounts of the node.',
    begin: () => onResult(['eth_accounts'], () => ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266']),
  },
  {
    name: 'protocol-version-in-decimal',
    rule: 'identity.protocol-version-hex',
    description: 'eth_protocolVersion returns a decimal string.',
    begin: () =>
      onResult(['eth_protocolVersion'], (version) =>
        isQuantity(version) ? String(Number(version)) : version,
      ),
  },
  {
    name: 'client-version-is-an-object',
    rule: 'identity.client-version',
    description: 'web3_clientVersion returns an object instead of a string.',
    begin: () => onResult(['web3_clientVersion'], (version) => ({ name: version })),
  },
  {
    name: 'gas-price-in-decimal',
    rule: 'identity.gas-price',
    description: 'eth_gasPrice returns a decimal string.',
    begin: () => onResult(['eth_gasPrice'], (price) => (isQuantity(price) ? String(Number(price)) : price)),
  },
]
