export const counterAbi = [
  {
    type: 'event',
    name: 'Increased',
    inputs: [
      { type: 'address', name: 'by', indexed: true },
      { type: 'uint256', name: 'count' },
    ],
  },
  { type: 'function', name: 'count', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
] as const
