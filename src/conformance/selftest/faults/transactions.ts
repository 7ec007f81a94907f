import type { Fault } from '../fault.js'
import { isList } from '../rpc-message.js'
import { codeOf, objects, onAnswer, onObject, onResult, without } from './hooks.js'
import { blockMethods, byIndexMethods, transactionMethods } from './methods.js'

const NOBODY = `0x${'0'.repeat(40)}`

/** What goes wrong with transactions, found and sent (specification 2.5 and 4.3). */
export const transactionFaults: readonly Fault[] = [
  {
    name: 'by-index-without-id',
    rule: 'transaction.by-index-id',
    description: 'Transactions by block and position come without _id.',
    begin: () => onObject(byIndexMethods, (transaction) => without(transaction, '_id')),
  },
  {
    name: 'transaction-member-missing',
    rule: 'transaction.members',
    description: 'Transactions come without v, r and s.',
    begin: () =>
      onObject(transactionMethods, (transaction) => without(without(without(transaction, 'v'), 'r'), 's')),
  },
  {
    name: 'mined-transaction-without-position',
    rule: 'transaction.pending-nulls',
    description:
      'transactionIndex of the first transaction of a block is null, since zero was taken for nothing.',
    begin: () =>
      onObject(transactionMethods, (transaction) =>
        transaction['transactionIndex'] === '0x0' ? { ...transaction, transactionIndex: null } : transaction,
      ),
  },
  {
    name: 'creation-goes-to-the-zero-address',
    rule: 'transaction.creation-to-null',
    description: '`to` of a contract creation is the zero address.',
    begin: () =>
      onObject(transactionMethods, (transaction) =>
        transaction['to'] === null ? { ...transaction, to: NOBODY } : transaction,
      ),
  },
  {
    name: 'listed-transaction-differs',
    rule: 'transaction.same-everywhere',
    description: 'Transactions in the list of their block have another nonce than those found one by one.',
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
    begin: () => onObject(transactionMethods, (transaction) => ({ ...transaction, type: 0 })),
  },
  {
    name: 'sent-transaction-has-another-hash',
    rule: 'send-raw.hash',
    description: 'The hash that is answered is not that of the transaction.',
    begin: () =>
      onResult(['eth_sendRawTransaction'], (hash) =>
        typeof hash === 'string' ? `0x${hash.slice(4)}00` : hash,
      ),
  },
  {
    name: 'malformed-transaction-goes-to-the-node',
    rule: 'send-raw.well-formed',
    description: 'Bytes that are no transaction are refused in the words of a node.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer) =>
        codeOf(answer) === -32602
          ? { ...answer, error: { code: -32003, message: 'rlp: expected input list for types.LegacyTx' } }
          : answer,
      ),
  },
  {
    name: 'refused-transaction-is-answered-with-its-hash',
    rule: 'send-raw.refused',
    description: 'A transaction that the node refuses is answered as if it was taken.',
    begin: () =>
      onAnswer(['eth_sendRawTransaction'], (answer) =>
        codeOf(answer) === -32003 ? { ...answer, error: undefined, result: `0x${'0'.repeat(64)}` } : answer,
      ),
  },
]
