import { setTimeout as wait } from 'node:timers/promises'
import { limits } from '@concordat/node-access-contract/contract'
import type { JsonValue } from '@concordat/rpc'
import {
  type Ask,
  answeredFor,
  type CallAnswer,
  codeOf,
  type Fault,
  isList,
  isObject,
  objects,
  onAnswer,
  onMember,
  onObject,
  onResult,
  refused,
  without,
} from 'concordat/conformance'
import { blockMethods, byIndexMethods, transactionMethods } from './methods.js'
import { isQuantity } from './quantities.js'

const NOBODY = `0x${'0'.repeat(40)}`

/** Length of the longest allowed transaction, in hexadecimal characters. */
const LONGEST_TRANSACTION = 2 + 2 * limits.rawTransactionBytes

/** Maximum attempts to read a receipt, and the pause: anvil accepts a transaction before its block exists. */
const receiptAttempts = { most: 20, milliseconds: 50 }

async function receiptOf(hash: string, ask: Ask): Promise<JsonValue | undefined> {
  for (let attempt = 0; attempt < receiptAttempts.most; attempt++) {
    const { result } = await ask('eth_getTransactionReceipt', [hash])
    if (isObject(result)) return result
    await wait(receiptAttempts.milliseconds)
  }
  return undefined
}

/** Faults in finding and sending transactions (specification 2.5 and 4.3). */
export const transactionFaults: readonly Fault[] = [
  {
    name: 'by-index-without-id',
    rule: 'transaction.by-index-id',
    description: 'Transactions by block and position lack _id.',
    begin: () => onMember(byIndexMethods, '_id', () => undefined),
  },
  {
    name: 'transaction-member-missing',
    rule: 'transaction.members',
    description: 'Transactions lack v, r and s.',
    begin: () =>
      onObject(transactionMethods, (transaction) => without(without(without(transaction, 'v'), 'r'), 's')),
  },
  {
    name: 'every-transaction-is-the-first',
    rule: 'transaction.same-everywhere',
    description: 'transactionIndex is 0x0 in every transaction, receipt and log.',
    begin: () => {
      const first = (value: JsonValue): JsonValue =>
        isObject(value) && isQuantity(value['transactionIndex'])
          ? { ...value, transactionIndex: '0x0' }
          : value
      return {
        answer: (answer) => {
          const { result } = answer
          if (isList(result)) return { ...answer, result: result.map(first) }
          if (!isObject(result)) return answer
          const { transactions } = result
          return {
            ...answer,
            result: isList(transactions)
              ? { ...result, transactions: transactions.map(first) }
              : first(result),
          }
        },
      }
    },
  },
  {
    name: 'mined-transaction-without-position',
    rule: 'transaction.pending-nulls',
    description:
      'transactionIndex of the first transaction of a block is null, because zero is treated as missing.',
    begin: () =>
      onMember(transactionMethods, 'transactionIndex', (index) => (index === '0x0' ? null : index)),
  },
  {
    name: 'creation-goes-to-the-zero-address',
    rule: 'transaction.creation-to-null',
    description: '`to` of a contract creation is the zero address.',
    begin: () => onMember(transactionMethods, 'to', (to) => (to === null ? NOBODY : to)),
  },
  {
    name: 'listed-transaction-differs',
    rule: 'transaction.same-everywhere',
    description:
      'Transactions in the list of their block have another nonce than the same transactions by hash.',
    begin: () =>
      onObject(blockMethods, (block) =>
        isList(block['transactions']) && objects(block['transactions']).length > 0
          ? {
              ...block,
              transactions: objects(block['transactions']).map((of) => ({ ...of, nonce: '0xfff' })),
            }
          : block,
      ),
  },
  {
    name: 'type-is-a-number',
    rule: 'transaction.type-any-quantity',
    description: '`type` of a transaction is a JSON number.',
    begin: () => onMember(transactionMethods, 'type', () => 0),
  },
  {
    name: 'sent-transaction-has-another-hash',
    rule: 'send-raw.hash',
    description: 'The returned hash is not the hash of the transaction.',
    begin: () =>
      onResult(['eth_sendRawTransaction'], (hash) =>
        typeof hash === 'string' ? `0x${hash.slice(4)}00` : hash,
      ),
  },
  {
    name: 'malformed-transaction-goes-to-the-node',
    rule: 'send-raw.well-formed',
    description: 'Bytes that are not a transaction are refused with the message of a node.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer) =>
        codeOf(answer) === -32602
          ? { ...answer, error: { code: -32003, message: 'rlp: expected input list for types.LegacyTx' } }
          : answer,
      ),
  },
  {
    name: 'large-transaction-goes-to-the-node',
    rule: 'send-raw.size-limit',
    description: 'A transaction that is too large is refused with the message of a node.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer, { params: [raw] }) =>
        codeOf(answer) === -32602 && String(raw).length > LONGEST_TRANSACTION
          ? refused(answer, -32003, 'oversized data')
          : answer,
      ),
  },
  {
    name: 'transaction-at-the-limit-refused',
    rule: 'send-raw.size-limit',
    description: 'A transaction with exactly the maximum number of bytes is refused as too large.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer, { params: [raw] }) =>
        String(raw).length === LONGEST_TRANSACTION ? refused(answer, -32602, 'too long') : answer,
      ),
  },
  {
    name: 'typed-transaction-is-an-internal-error',
    rule: 'send-raw.typed',
    description: 'The refusal of a typed transaction does not say why.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer, { params: [raw] }) =>
        /^0x0[12]/.test(String(raw)) && codeOf(answer) === -32003
          ? refused(answer, -32003, 'Internal server error')
          : answer,
      ),
  },
  {
    name: 'failed-transaction-is-a-refusal',
    rule: 'send-raw.mined',
    description: 'A transaction that is mined and failed is refused.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], async (answer, { ask }) => {
        if (typeof answer.result !== 'string') return answer
        const receipt = await receiptOf(answer.result, ask)
        return isObject(receipt) && receipt['status'] === '0x0'
          ? refused(answer, -32003, 'VM Exception while processing transaction: reverted')
          : answer
      }),
  },
  {
    name: 'refused-transaction-is-answered-with-its-hash',
    rule: 'send-raw.refused',
    description: 'A transaction that the node refuses is answered with its hash.',
    begin: () => answeredFor(-32003, ['eth_sendRawTransaction'], `0x${'0'.repeat(64)}`),
  },
  {
    name: 'other-networks-transaction-goes-to-the-node',
    rule: 'send-raw.chain',
    description: 'A transaction for another network is refused with an internal error of the node.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer) =>
        isObject(answer.error) && /invalid chain id/.test(String(answer.error['message']))
          ? refused(answer, -32603, 'Internal server error')
          : answer,
      ),
  },
  {
    name: 'signature-part-without-a-digit',
    rule: 'transaction.signature-sizes',
    description: 'r of a transaction is written as a quantity, with an odd number of digits.',
    begin: () => onMember(transactionMethods, 'r', (r) => (typeof r === 'string' ? `0x${r.slice(3)}` : null)),
  },
  {
    name: 'pending-transaction-has-a-position',
    rule: 'transaction.pending-nulls',
    description: 'transactionIndex of a pending transaction is 0x0.',
    begin: () =>
      onMember(transactionMethods, 'transactionIndex', (index, { blockHash }) =>
        blockHash === null ? '0x0' : index,
      ),
  },
  {
    name: 'sent-transaction-not-found-at-once',
    rule: 'send-raw.reads-follow',
    description: 'A sent transaction is not found by the next call, which uses another node.',
    begin: () => {
      const sent = new Set<JsonValue>()
      return onAnswer(
        ['eth_sendRawTransaction', 'eth_getTransactionByHash'],
        (answer, { call, params: [hash] }) => {
          if (call.method === 'eth_sendRawTransaction') sent.add(answer.result ?? null)
          else if (hash !== undefined && sent.delete(hash)) return { ...answer, result: null }
          return answer
        },
      )
    },
  },
  {
    name: 'transaction-sent-twice',
    rule: 'send-raw.sent-once',
    description: 'A transaction is sent twice, and the second answer is returned.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], async (answer, { params, ask }) =>
        answer.result === undefined
          ? answer
          : { ...answer, ...outcomeOf(await ask('eth_sendRawTransaction', params)) },
      ),
  },
  {
    name: 'zero-hash-for-every-transaction',
    rule: 'send-raw.zero-hash',
    description: 'The result is the zero hash even if the transaction can be found.',
    begin: () =>
      onResult(['eth_sendRawTransaction'], (hash) =>
        typeof hash === 'string' ? `0x${'0'.repeat(64)}` : hash,
      ),
  },
  {
    name: 'service-signs',
    rule: 'send-raw.caller-signs',
    description: 'eth_sign returns a signature with a key of the service.',
    begin: () =>
      onAnswer(['eth_sign'], (answer) => ({ ...answer, error: undefined, result: `0x${'1'.repeat(130)}` })),
  },
]

const outcomeOf = ({ result, error }: CallAnswer) => ({ result, error })
