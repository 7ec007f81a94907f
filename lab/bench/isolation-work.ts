/** The calls of the isolation benchmark. The addresses in a call select the behaviour of the node. */

/** Number of the node's latest block. */
export const head = 7_000_000
/** Time of a slow call in the node. */
export const slowMilliseconds = 4_000

const address = (digits: string) => `0x${digits.padStart(40, '0')}`

/** Addresses of calls, and what the node does with them. */
export const addresses = {
  /** Calls of this sender are slow. */
  slow: address('510'),
  /** Calls of this sender revert. */
  reverting: address('bad'),
  /** A contract with many logs in each block. */
  large: address('b16'),
  /** Contracts with a maximum block range of the node. Real nodes have different maximums. */
  limits: [5_000, 100, 10].map((blocks) => ({ address: address(`${blocks}`), blocks })),
} as const

/** A JSON-RPC request. */
export const request = (method: string, params: unknown, id = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** A JSON-RPC batch. */
export const batch = (count: number, item: (id: number) => string): string =>
  `[${Array.from({ length: count }, (_, at) => item(at + 1)).join()}]`

/** A call to `examples/backend` that changes nothing. */
export const ended = (number: number, id = 1): string =>
  request('unwatchItems', { subscription: `0x${number.toString(16)}` }, id)

/** An `eth_call` with unique data, so that the service cannot share its answer. */
export const call = (from: string, number: number, id = 1): string =>
  request(
    'eth_call',
    [{ from, to: address('c0'), data: `0x${number.toString(16).padStart(64, '0')}` }, 'latest'],
    id,
  )

/** An `eth_estimateGas` that reverts. */
export const estimate = (number: number, id = 1): string =>
  request(
    'eth_estimateGas',
    [{ from: addresses.reverting, to: address('c0'), data: `0x${number.toString(16).padStart(64, '0')}` }],
    id,
  )

/** An `eth_getLogs` of a contract. */
export const logs = (of: string, fromBlock: number, toBlock: number, id = 1): string =>
  request(
    'eth_getLogs',
    [{ address: of, fromBlock: `0x${fromBlock.toString(16)}`, toBlock: `0x${toBlock.toString(16)}` }],
    id,
  )
