import type { JsonObject, JsonValue } from '../../../rpc/index.js'
import type { Fault, FaultHooks } from '../fault.js'
import { moved, onObject, without } from './hooks.js'

const NOBODY = `0x${'0'.repeat(40)}`

const onReceipt = (change: (receipt: JsonObject) => JsonValue): FaultHooks =>
  onObject(['eth_getTransactionReceipt'], change)

/** What goes wrong with receipts (specification 2.6). */
export const receiptFaults: readonly Fault[] = [
  {
    name: 'receipt-has-status-and-root',
    rule: 'receipt.status-or-root',
    description: 'Receipts have status and root.',
    begin: () => onReceipt((receipt) => ({ ...receipt, root: `0x${'1'.repeat(64)}` })),
  },
  {
    name: 'receipt-has-neither-status-nor-root',
    rule: 'receipt.status-or-root',
    description: 'Receipts have neither status nor root.',
    begin: () => onReceipt((receipt) => without(receipt, 'status')),
  },
  {
    name: 'failed-transaction-succeeded',
    rule: 'receipt.status-values',
    description: 'The status of every receipt is success.',
    begin: () =>
      onReceipt((receipt) => (receipt['status'] === '0x1' ? receipt : { ...receipt, status: '0x1' })),
  },
  {
    name: 'status-is-a-boolean',
    rule: 'receipt.status-values',
    description: 'status is true or false, as some client libraries show it.',
    begin: () => onReceipt((receipt) => ({ ...receipt, status: receipt['status'] === '0x1' })),
  },
  {
    name: 'receipt-member-missing',
    rule: 'receipt.members',
    description: 'Receipts come without logsBloom.',
    begin: () => onReceipt((receipt) => without(receipt, 'logsBloom')),
  },
  {
    name: 'effective-gas-price-is-another',
    rule: 'receipt.effective-gas-price',
    description: 'effectiveGasPrice is not the gas price of the transaction.',
    begin: () =>
      onReceipt((receipt) => ({ ...receipt, effectiveGasPrice: moved(receipt['effectiveGasPrice'], 1) })),
  },
  {
    name: 'cumulative-gas-is-that-of-the-transaction',
    rule: 'receipt.cumulative-gas',
    description: 'cumulativeGasUsed is the gas of the transaction alone.',
    begin: () => onReceipt((receipt) => ({ ...receipt, cumulativeGasUsed: receipt['gasUsed'] })),
  },
  {
    name: 'no-contract-is-the-zero-address',
    rule: 'receipt.contract-address',
    description: 'contractAddress of a transaction that created nothing is the zero address.',
    begin: () =>
      onReceipt((receipt) => ({ ...receipt, contractAddress: receipt['contractAddress'] ?? NOBODY })),
  },
  {
    name: 'receipt-bloom-is-empty',
    rule: 'receipt.logs-bloom',
    description: 'logsBloom of a receipt with logs has no bit set.',
    begin: () => onReceipt((receipt) => ({ ...receipt, logsBloom: `0x${'0'.repeat(512)}` })),
  },
  {
    name: 'receipt-of-another-position',
    rule: 'receipt.agrees',
    description: 'transactionIndex of a receipt is one too high.',
    begin: () =>
      onReceipt((receipt) => ({ ...receipt, transactionIndex: moved(receipt['transactionIndex'], 1) })),
  },
]
