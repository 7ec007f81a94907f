import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  type Fault,
  isList,
  isObject,
  objects,
  onList,
  onObject,
  onParams,
  onResult,
} from 'concordat/conformance'
import { blockMethods, byIndexMethods, transactionMethods } from './methods.js'

/** Rounds a quantity to a double, which holds 53 bits. */
const asDouble = (value: JsonValue | undefined): JsonValue | undefined =>
  typeof value === 'string' && /^0x[0-9a-f]+$/.test(value)
    ? `0x${BigInt(Number(BigInt(value))).toString(16)}`
    : value

const withValue = (object: JsonObject): JsonObject =>
  object['value'] === undefined ? object : { ...object, value: asDouble(object['value']) }

const withTransactions = (block: JsonObject, change: (list: readonly JsonValue[]) => JsonValue): JsonValue =>
  isList(block['transactions']) ? { ...block, transactions: change(block['transactions']) } : block

/** Truncates log data to its first word. */
const firstWord = (log: JsonValue): JsonValue =>
  isObject(log) ? { ...log, data: String(log['data']).slice(0, 66) } : log

/** Maximum number of transactions in a block that a faulty service handles. */
const EXPECTED_TRANSACTIONS = 50

/** Faults that appear only with large numbers, long data and full blocks. */
export const sizeFaults: readonly Fault[] = [
  {
    name: 'balance-loses-digits',
    rule: 'defaults.hex-result',
    description: 'A balance above 2^53 wei loses its last digits.',
    begin: () => onResult(['eth_getBalance'], (balance) => asDouble(balance) ?? balance),
  },
  {
    name: 'transaction-value-loses-digits',
    rule: 'defaults.hex-result',
    description: 'The value of a transaction above 2^53 wei loses its last digits.',
    begin: () => ({
      answer: (answer, { method }) => {
        const { result } = answer
        if (!isObject(result)) return answer
        if (transactionMethods.includes(method)) return { ...answer, result: withValue(result) }
        if (!blockMethods.includes(method)) return answer
        const change = (list: readonly JsonValue[]) =>
          list.map((item) => (isObject(item) ? withValue(item) : item))
        return { ...answer, result: withTransactions(result, change) }
      },
    }),
  },
  {
    name: 'long-input-of-full-blocks-cut',
    rule: 'transaction.same-everywhere',
    description: 'Blocks with whole transactions have only the first 95 bytes of an input.',
    begin: () =>
      onObject(blockMethods, (block) =>
        withTransactions(block, (list) =>
          list.map((item) =>
            isObject(item) && typeof item['input'] === 'string'
              ? { ...item, input: item['input'].slice(0, 2 + 2 * 95) }
              : item,
          ),
        ),
      ),
  },
  {
    name: 'value-by-position-loses-digits',
    rule: 'transaction.same-everywhere',
    description: 'By block and position, the value of a transaction above 2^53 wei loses its last digits.',
    begin: () => onObject(byIndexMethods, withValue),
  },
  {
    name: 'value-of-a-call-loses-digits',
    rule: 'call.refused',
    description: 'The value of a call above 2^53 wei loses its last digits.',
    begin: () =>
      onParams(['eth_call'], (params) => {
        const [call, ...rest] = params
        return isObject(call) ? [withValue(call), ...rest] : params
      }),
  },
  {
    name: 'log-data-is-one-word',
    rule: 'logs.same-as-receipts',
    description: 'eth_getLogs returns only the first word of log data.',
    begin: () => onList(['eth_getLogs'], (logs) => logs.map(firstWord)),
  },
  {
    name: 'log-data-of-a-receipt-is-one-word',
    rule: 'logs.same-as-receipts',
    description: 'Receipts have only the first word of log data.',
    begin: () =>
      onObject(['eth_getTransactionReceipt'], (receipt) => ({
        ...receipt,
        logs: objects(receipt['logs']).map(firstWord),
      })),
  },
  {
    name: 'block-lists-fifty-transactions',
    rule: 'block.transaction-count',
    description: 'A block lists only its first 50 transactions.',
    begin: () =>
      onObject(blockMethods, (block) =>
        withTransactions(block, (list) => list.slice(0, EXPECTED_TRANSACTIONS)),
      ),
  },
  {
    name: 'fifty-first-transaction-not-found',
    rule: 'transaction.same-everywhere',
    description: 'By block and position, transactions beyond the fiftieth are null.',
    begin: () =>
      onObject(byIndexMethods, (transaction) =>
        Number(transaction['transactionIndex']) < EXPECTED_TRANSACTIONS ? transaction : null,
      ),
  },
  {
    name: 'logs-of-large-blocks-in-text-order',
    rule: 'logs.ordered',
    description: 'Logs are ordered by logIndex as text, so that 0x10 comes before 0x2.',
    begin: () =>
      onList(['eth_getLogs'], (logs) =>
        objects(logs).toSorted(
          (one, other) =>
            Number(one['blockNumber']) - Number(other['blockNumber']) ||
            (String(one['logIndex']) < String(other['logIndex']) ? -1 : 1),
        ),
      ),
  },
]
