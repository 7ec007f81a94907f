/** The contract of the development chains. */
export const address = '0x5fbdb2315678afecb367f032d93f642f64180aa3'

const value = { type: 'uint256', name: 'value' } as const

export const abi = [
  { type: 'function', name: 'number', stateMutability: 'view', inputs: [], outputs: [value] },
  { type: 'function', name: 'greeting', stateMutability: 'view', inputs: [], outputs: [{ type: 'string' }] },
  { type: 'function', name: 'failOwn', stateMutability: 'view', inputs: [value], outputs: [] },
  { type: 'error', name: 'Refused', inputs: [{ type: 'address', name: 'caller' }, value] },
  { type: 'event', name: 'Noted', inputs: [{ ...value, indexed: false }] },
] as const
