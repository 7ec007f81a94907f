import type { Json, Members } from './authored-contract.js'

/** Calls of a method with the network's answers. */
export interface NetworkSample {
  readonly method: string
  readonly requests: readonly { readonly params: readonly Json[] }[]
  readonly responses: readonly { readonly result?: Json }[]
}

const bytes = (pair: string, count: number) => `0x${pair.repeat(count)}`
const block = bytes('b1', 32)
const transaction = bytes('7a', 32)
const sender = bytes('5e', 20)
const contract = bytes('c0', 20)
/** The contract that pays the miners: calls to it carry no signature, and its logs have odd sizes. */
const remasc = '0x0000000000000000000000000000000001000008'

const log = (index: string, data: string, topics: readonly string[]): Members => ({
  address: remasc,
  blockHash: block,
  blockNumber: '0xfcea',
  data,
  logIndex: index,
  topics: [...topics],
  transactionHash: transaction,
  transactionIndex: '0x0',
})
/** 39 bytes are not a whole number of words. The last log has no data. */
const logs = [
  log('0x1', bytes('e6', 39), [bytes('01', 32), bytes('02', 32)]),
  log('0x2', '0x', [bytes('01', 32)]),
]

/** Merge-mined with Bitcoin. The cumulative difficulty includes the block's uncles. */
const mined: Members = {
  number: '0xfcea',
  hash: block,
  parentHash: bytes('b0', 32),
  sha3Uncles: bytes('0c', 32),
  logsBloom: bytes('00', 256),
  transactionsRoot: bytes('0a', 32),
  stateRoot: bytes('0b', 32),
  receiptsRoot: bytes('0d', 32),
  miner: sender,
  difficulty: '0x24aa8907',
  totalDifficulty: '0x4b96af092bb7',
  extraData: '0x',
  size: '0x7a5',
  gasLimit: '0x67c280',
  gasUsed: '0x0',
  timestamp: '0x5d404bf0',
  transactions: [transaction],
  uncles: [bytes('0e', 32)],
  minimumGasPrice: '0x0',
  bitcoinMergedMiningHeader: bytes('20', 80),
  bitcoinMergedMiningCoinbaseTransaction: bytes('80', 145),
  bitcoinMergedMiningMerkleProof: bytes('2e', 256),
  hashForMergedMining: bytes('0f', 32),
  paidFees: '0x0',
  cumulativeDifficulty: '0x47e89477',
}

/** Leading zeros of a signature are omitted, here a byte of `s`. There is no `_id`. */
const signed: Members = {
  hash: transaction,
  nonce: '0x10',
  blockHash: block,
  blockNumber: '0xfcea',
  transactionIndex: '0x0',
  from: sender,
  to: contract,
  gas: '0x20cfb',
  gasPrice: '0x387ee40',
  value: '0x0',
  input: bytes('cc', 100),
  v: '0x62',
  r: bytes('1f', 32),
  s: bytes('4a', 31),
  type: '0x0',
}
const unsigned: Members = { ...signed, to: remasc, gas: '0x0', gasPrice: '0x0', v: '0x0', r: '0x0', s: '0x0' }

/** Without the gas price that was paid. */
const receipt: Members = {
  transactionHash: transaction,
  transactionIndex: '0x0',
  blockHash: block,
  blockNumber: '0xfcea',
  cumulativeGasUsed: '0x15efc',
  gasUsed: '0x15efc',
  contractAddress: null,
  logs,
  from: sender,
  to: contract,
  status: '0x1',
  logsBloom: bytes('00', 256),
  type: '0x0',
}

const callObject = {
  from: sender,
  to: contract,
  gas: '0x76c0',
  gasPrice: '0x9184e72a000',
  value: '0x9184e72a',
  data: bytes('d4', 41),
}
const override = { [contract]: { stateDiff: { [bytes('8d', 32)]: '0x7E37BE' } } }

/** Answers to calls without parameters. */
const plain: Readonly<Record<string, Json>> = {
  eth_accounts: [],
  eth_blockNumber: '0x4bdcfb',
  eth_chainId: '0x1f',
  eth_gasPrice: '0x3e252e0',
  eth_protocolVersion: '0x3e',
  net_version: '31',
  web3_clientVersion: 'RskJ/6.2.0/Linux/Java1.8/ARROWHEAD-0000000',
}

/** Calls with parameters, and the answer to each. */
const calls: Readonly<Record<string, readonly (readonly [params: readonly Json[], result: Json])[]>> = {
  eth_call: [
    [[callObject, 'latest'], '0x'],
    [[{ to: contract, data: bytes('70', 36) }, 'latest'], bytes('31', 32)],
    [[{ to: contract, data: bytes('70', 36) }, 'latest', override], bytes('31', 32)],
  ],
  eth_estimateGas: [[[callObject, 'latest'], '0x5498']],
  eth_getBalance: [
    [[sender, '0x6444bb'], '0x2971b6b90ba793f'],
    [[sender, block], '0x0'],
    [[sender, 'latest'], '0x2971b6b90ba793f'],
  ],
  eth_getBlockByHash: [[[block, false], mined]],
  eth_getBlockByNumber: [
    [['0xfcea', true], { ...mined, transactions: [signed, unsigned] }],
    [['0xfffffff', false], null],
  ],
  eth_getBlockTransactionCountByHash: [[[block], '0x2']],
  eth_getBlockTransactionCountByNumber: [[['0xfcea'], '0x1']],
  eth_getCode: [[[contract, 'latest'], bytes('60', 11)]],
  eth_getLogs: [
    [[{ blockHash: block }], logs],
    [[{ blockHash: block, address: remasc }], logs],
    [[{ fromBlock: '0xfcea', toBlock: '0xfcea' }], []],
  ],
  eth_getStorageAt: [[[contract, '0x0', 'latest'], bytes('00', 32)]],
  eth_getTransactionByBlockHashAndIndex: [[[block, '0x0'], signed]],
  eth_getTransactionByBlockNumberAndIndex: [[['0xfcea', '0x0'], unsigned]],
  eth_getTransactionByHash: [[[transaction], signed]],
  eth_getTransactionCount: [[[sender, 'latest'], '0x9856']],
  eth_getTransactionReceipt: [[[transaction], receipt]],
  eth_getUncleCountByBlockHash: [[[block], '0x3']],
  eth_getUncleCountByBlockNumber: [[['0xfcea'], '0x3']],
  eth_sendRawTransaction: [[[bytes('d4', 41)], transaction]],
  web3_sha3: [[['0x68656c6c6f20776f726c64'], bytes('47', 32)]],
}

/**
 * One answer of the network for each method, hand-made in its form, with its deviations from the specification
 * (docs/decisions/0054-what-clients-and-nodes-send.md).
 */
export const networkSamples: readonly NetworkSample[] = [
  ...Object.entries(plain).map(([method, result]) => ({
    method,
    requests: [{ params: [] }],
    responses: [{ result }],
  })),
  ...Object.entries(calls).map(([method, answered]) => ({
    method,
    requests: answered.map(([params]) => ({ params })),
    responses: answered.map(([, result]) => ({ result })),
  })),
]
