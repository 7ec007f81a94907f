/** Methods whose result is a block. */
export const blockMethods = ['eth_getBlockByHash', 'eth_getBlockByNumber']

/** Methods that find a transaction by its place in a block. */
export const byIndexMethods = [
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
]

/** Methods whose result is a transaction. */
export const transactionMethods = ['eth_getTransactionByHash', ...byIndexMethods]

/** Methods that count the transactions of a block. */
export const countMethods = ['eth_getBlockTransactionCountByHash', 'eth_getBlockTransactionCountByNumber']

/** Methods that count the uncles of a block. */
export const uncleMethods = ['eth_getUncleCountByBlockHash', 'eth_getUncleCountByBlockNumber']

/** Methods that read state at a block, with the place of their block parameter. */
export const stateMethods = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_call: 1,
  eth_estimateGas: 1,
} as const

/** Methods with a block tag or number, with its place. */
export const selectorMethods: Readonly<Record<string, number>> = {
  ...stateMethods,
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getUncleCountByBlockNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
}

/** Methods without parameters. */
export const bareMethods = [
  'eth_accounts',
  'eth_blockNumber',
  'eth_chainId',
  'eth_gasPrice',
  'eth_protocolVersion',
  'net_version',
  'web3_clientVersion',
]
