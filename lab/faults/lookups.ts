import { answered, type Fault, onAnswer, onResult, refused } from 'concordat/conformance'
import { blockMethods, byIndexMethods, countMethods, uncleMethods } from './methods.js'

/** Replaces null with an error. The contract declares its code, so only the rule detects the wrong answer. */
const errorForNull = (methods: readonly string[], message: string) => () =>
  onAnswer(methods, (answer) => (answer.result === null ? refused(answer, -32001, message) : answer))

/** Replaces null with `0x0`. */
const zeroForNull = (methods: readonly string[]) => () => onResult(methods, (result) => result ?? '0x0')

/** Faults in lookups of missing objects (specification 2.4 to 2.6). */
export const lookupFaults: readonly Fault[] = [
  {
    name: 'null-lookups-remembered',
    rule: 'send-raw.reads-follow',
    description: 'A transaction that was looked up before it was sent stays null.',
    begin: () => {
      const missing = new Set<string>()
      return onAnswer(['eth_getTransactionByHash'], (answer, { call }) => {
        const asked = JSON.stringify(call.params ?? null)
        if (answer.result === null) missing.add(asked)
        return missing.has(asked) && answer.result !== undefined ? answered(answer, null) : answer
      })
    },
  },
  {
    name: 'missing-block-is-an-error',
    rule: 'lookup.block-null',
    description: 'A block that does not exist is answered with an error.',
    begin: errorForNull(blockMethods, 'header not found'),
  },
  {
    name: 'missing-block-is-an-empty-object',
    rule: 'lookup.block-null',
    description: 'A block that does not exist is answered with {}.',
    begin: () => onResult(blockMethods, (result) => result ?? {}),
  },
  {
    name: 'missing-transaction-is-an-error',
    rule: 'lookup.transaction-null',
    description: 'A transaction hash that does not exist is answered with an error.',
    begin: errorForNull(['eth_getTransactionByHash'], 'transaction not found'),
  },
  {
    name: 'missing-receipt-is-an-error',
    rule: 'lookup.receipt-null',
    description: 'A receipt that does not exist is answered with an error.',
    begin: errorForNull(['eth_getTransactionReceipt'], 'transaction indexing is in progress'),
  },
  {
    name: 'index-out-of-range-is-an-error',
    rule: 'lookup.index-out-of-range-null',
    description: 'A position that the block does not have is answered with an error.',
    begin: errorForNull(byIndexMethods, 'index out of range'),
  },
  {
    name: 'missing-count-is-zero',
    rule: 'lookup.count-null',
    description: 'The transaction count of a block that does not exist is 0x0.',
    begin: zeroForNull(countMethods),
  },
  {
    name: 'missing-count-is-an-error',
    rule: 'lookup.count-null',
    description: 'The transaction count of a block that does not exist is an error.',
    begin: errorForNull(countMethods, 'block not found'),
  },
  {
    name: 'missing-uncle-count-is-zero',
    rule: 'uncle.count-null',
    description: 'The uncle count of a block that does not exist is 0x0.',
    begin: zeroForNull(uncleMethods),
  },
]
