import type { JsonObject, JsonValue } from '@concordat/rpc'
import { answered, type Fault, isObject, onAnswer, onMember } from 'concordat/conformance'
import { moved } from './quantities.js'

const NOBODY = `0x${'0'.repeat(40)}`

type Change = (value: JsonValue | undefined, receipt: JsonObject) => JsonValue | undefined

const onReceipt = (member: string, change: Change) => () =>
  onMember(['eth_getTransactionReceipt'], member, change)

/** Faults in receipts (specification 2.6). */
export const receiptFaults: readonly Fault[] = [
  {
    name: 'receipt-has-status-and-root',
    rule: 'receipt.status-or-root',
    description: 'Receipts have both status and root.',
    begin: onReceipt('root', () => `0x${'1'.repeat(64)}`),
  },
  {
    name: 'receipt-has-neither-status-nor-root',
    rule: 'receipt.status-or-root',
    description: 'Receipts have neither status nor root.',
    begin: onReceipt('status', () => undefined),
  },
  {
    name: 'failed-transaction-succeeded',
    rule: 'receipt.status-values',
    description: 'The status of every receipt is success.',
    begin: onReceipt('status', () => '0x1'),
  },
  {
    name: 'status-is-a-boolean',
    rule: 'receipt.status-values',
    description: 'status is true or false, as some client libraries show it.',
    begin: onReceipt('status', (status) => status === '0x1'),
  },
  {
    name: 'receipt-member-missing',
    rule: 'receipt.members',
    description: 'Receipts lack logsBloom.',
    begin: onReceipt('logsBloom', () => undefined),
  },
  {
    name: 'effective-gas-price-is-another',
    rule: 'receipt.effective-gas-price',
    description: 'effectiveGasPrice is not the gas price of the transaction.',
    begin: onReceipt('effectiveGasPrice', (price) => moved(price, 1)),
  },
  {
    name: 'cumulative-gas-is-that-of-the-transaction',
    rule: 'receipt.cumulative-gas',
    description: 'cumulativeGasUsed is the gas of the transaction alone.',
    begin: onReceipt('cumulativeGasUsed', (_gas, { gasUsed }) => gasUsed),
  },
  {
    name: 'no-contract-is-the-zero-address',
    rule: 'receipt.contract-address',
    description: 'contractAddress of a transaction that created nothing is the zero address.',
    begin: onReceipt('contractAddress', (address) => address ?? NOBODY),
  },
  {
    name: 'receipt-bloom-is-empty',
    rule: 'receipt.logs-bloom',
    description: 'logsBloom of a receipt with logs has no bit set.',
    begin: onReceipt('logsBloom', () => `0x${'0'.repeat(512)}`),
  },
  {
    name: 'receipt-of-another-position',
    rule: 'receipt.agrees',
    description: 'transactionIndex of a receipt is one too high.',
    begin: onReceipt('transactionIndex', (index) => moved(index, 1)),
  },
  {
    name: 'cumulative-gas-before-the-transaction',
    rule: 'receipt.cumulative-gas',
    description: 'cumulativeGasUsed is the gas used before the transaction.',
    begin: onReceipt('cumulativeGasUsed', (gas, { gasUsed }) => moved(gas, -Number(gasUsed))),
  },
  {
    name: 'receipt-while-pending',
    rule: 'receipt.none-while-pending',
    description: 'A pending transaction has a receipt without a block.',
    begin: () =>
      onAnswer(['eth_getTransactionReceipt'], async (answer, { params: [hash], ask }) => {
        if (answer.result !== null) return answer
        const { result } = await ask('eth_getTransactionByHash', [hash ?? null])
        return isObject(result)
          ? answered(answer, { transactionHash: hash, blockHash: null, logs: [] })
          : answer
      }),
  },
  {
    name: 'receipt-never-comes',
    rule: 'receipt.available-once-mined',
    description: 'Transactions sent to this service never have a receipt.',
    begin: () => {
      const sent = new Set<JsonValue>()
      return onAnswer(
        ['eth_sendRawTransaction', 'eth_getTransactionReceipt'],
        (answer, { call, params: [hash] }) => {
          if (call.method === 'eth_sendRawTransaction') sent.add(answer.result ?? null)
          else if (hash !== undefined && sent.has(hash) && answer.result !== null)
            return answered(answer, null)
          return answer
        },
      )
    },
  },
]
