import type { JsonValue } from '@concordat/rpc'
import {
  answeredFor,
  type CallAnswer,
  type Fault,
  isObject,
  onAnswer,
  onParams,
  onResult,
  refused,
} from 'concordat/conformance'
import { stateMethods } from './methods.js'
import { isQuantity, moved } from './quantities.js'

/** Faults in state and in calls on it (specification 2.1, 2.8 and 4). */
export const stateFaults: readonly Fault[] = [
  ...latestStateFaults(),
  {
    name: 'unknown-block-has-empty-state',
    rule: 'state.unknown-block',
    description: 'State at a block that does not exist is zero instead of an error.',
    begin: () => answeredFor(-32001, Object.keys(stateMethods), '0x0'),
  },
  {
    name: 'number-past-2-to-53-means-latest',
    rule: 'state.unknown-block',
    description: 'A block number that a double cannot tell apart from its neighbours is treated as latest.',
    begin: () =>
      onParams(Object.keys(stateMethods), (params) => {
        const block = params.at(-1)
        const isPast = isQuantity(block) && BigInt(block) > BigInt(Number.MAX_SAFE_INTEGER)
        return isPast ? params.with(-1, 'latest') : params
      }),
  },
  {
    name: 'no-code-is-zero',
    rule: 'state.code-empty',
    description: 'The code of an address without code is 0x0.',
    begin: () => onResult(['eth_getCode'], (code) => (code === '0x' ? '0x0' : code)),
  },
  {
    name: 'no-code-at-a-block-hash-is-null',
    rule: 'state.code-empty',
    description: 'The code of an address without code is null if the block is given by its hash.',
    begin: () =>
      onResult(['eth_getCode'], (code, { params }) =>
        code === '0x' && isBlockHash(params[1]) ? null : code,
      ),
  },
  {
    name: 'balance-without-a-block-is-that-at-the-first',
    rule: 'state.default-latest',
    description: 'Without a block, balance and transaction count are read at the first block.',
    begin: () => ({
      answer: async (answer, { method, params }, ask) =>
        ['eth_getBalance', 'eth_getTransactionCount'].includes(method) &&
        Array.isArray(params) &&
        params.length === 1 &&
        answer.result !== undefined
          ? { ...answer, ...outcome(await ask(method, [params[0], 'earliest'])) }
          : answer,
    }),
  },
  {
    name: 'call-without-a-block-is-taken',
    rule: 'state.block-required',
    description: 'An absent required block is treated as latest.',
    begin: () =>
      onParams(['eth_call', 'eth_getCode'], (params) =>
        params.length === 1 ? [...params, 'latest'] : params,
      ),
  },
  {
    name: 'block-object-refused',
    rule: 'state.block-object',
    description: 'The block of state cannot be an object.',
    begin: () =>
      onAnswer([...Object.keys(stateMethods), 'eth_call', 'eth_estimateGas'], (answer, { params }) =>
        isObject(params.at(-1)) && params.length > 1 && answer.result !== undefined
          ? refused(answer, -32602, 'invalid block number')
          : answer,
      ),
  },
  {
    name: 'block-by-hash-refused',
    rule: 'state.by-number-hash-or-tag',
    description: 'State by the hash of a block is refused.',
    begin: () =>
      onAnswer(Object.keys(stateMethods), (answer, { call: { method }, params }) => {
        const block = params[placeOf(method)]
        return isBlockHash(block) && answer.result !== undefined
          ? refused(answer, -32602, 'invalid block number')
          : answer
      }),
  },
  {
    name: 'balance-is-always-one',
    rule: 'state.balance-native-only',
    description: 'A balance that is not zero is 0x1.',
    begin: () => onResult(['eth_getBalance'], (balance) => (balance === '0x0' ? balance : '0x1')),
  },
  {
    name: 'storage-is-always-zero',
    rule: 'state.storage-word',
    description: 'Every position of every storage is zero.',
    begin: () => onResult(['eth_getStorageAt'], () => `0x${'0'.repeat(64)}`),
  },
  {
    name: 'high-bits-of-a-storage-position-ignored',
    rule: 'state.storage-word',
    description: 'Storage positions that differ only above 64 bits are one.',
    begin: () =>
      onParams(['eth_getStorageAt'], (params) => {
        const [, position] = params
        const low = /^0x[0-9a-f]*([0-9a-f]{16})$/i.exec(String(position))?.[1]
        return low === undefined ? params : params.with(1, `0x${BigInt(`0x${low}`).toString(16)}`)
      }),
  },
  {
    name: 'code-without-its-end',
    rule: 'state.code',
    description: 'The code of a contract lacks its last byte.',
    begin: () => onResult(['eth_getCode'], (code) => (code === '0x' ? code : String(code).slice(0, -2))),
  },
  {
    name: 'storage-value-without-zeros',
    rule: 'state.storage-word',
    description: 'A storage value is a quantity instead of 32 bytes.',
    begin: () =>
      onResult(['eth_getStorageAt'], (word) =>
        typeof word === 'string' ? `0x${BigInt(word).toString(16)}` : word,
      ),
  },
  {
    name: 'padded-storage-position-refused',
    rule: 'state.storage-position-padded',
    description: 'A storage position with leading zeros is refused.',
    begin: () =>
      onAnswer(['eth_getStorageAt'], (answer, { params }) =>
        /^0x0[0-9a-f]/i.test(String(params[1]))
          ? refused(answer, -32602, 'hex number with leading zero digits')
          : answer,
      ),
  },
  {
    name: 'transaction-count-one-too-low',
    rule: 'state.transaction-count',
    description: 'The transaction count of an address is its last used nonce.',
    begin: () => onResult(['eth_getTransactionCount'], (count) => moved(count, -1)),
  },
  {
    name: 'balance-in-decimal',
    rule: 'state.balance-native-only',
    description: 'A balance is written in decimal.',
    begin: () =>
      onResult(['eth_getBalance'], (balance) =>
        typeof balance === 'string' ? BigInt(balance).toString() : balance,
      ),
  },
  {
    name: 'state-by-number-is-gone',
    rule: 'state.by-number-hash-or-tag',
    description: 'State at a block given by its number is missing.',
    begin: () =>
      onAnswer(Object.keys(stateMethods), (answer, { call: { method }, params }) =>
        isQuantity(params[placeOf(method)]) && answer.result !== undefined
          ? refused(answer, -32001, 'missing trie node')
          : answer,
      ),
  },
  {
    name: 'pending-state-refused',
    rule: 'block.tag-pending',
    description: 'State at `pending` is refused.',
    begin: () =>
      onAnswer(Object.keys(stateMethods), (answer, { call: { method }, params }) =>
        params[placeOf(method)] === 'pending'
          ? refused(answer, -32001, 'pending state is not available')
          : answer,
      ),
  },
  {
    name: 'pending-count-kept',
    rule: 'state.pending-not-kept',
    description: 'The transaction count at `pending` is cached.',
    begin: () => {
      const kept = new Map<string, JsonValue>()
      return onResult(['eth_getTransactionCount'], (count, { params }) => {
        if (params[1] !== 'pending') return count
        const known = kept.get(String(params[0]))
        if (known === undefined) kept.set(String(params[0]), count)
        return known ?? count
      })
    },
  },
  {
    name: 'small-quantities-are-numbers',
    rule: 'defaults.hex-result',
    description: 'The transaction count of an address is a JSON number.',
    begin: () =>
      onResult(['eth_getTransactionCount'], (count) => (isQuantity(count) ? Number(count) : count)),
  },
]

/** One fault for each state method: an existing block is accepted, but `latest` state is returned. */
function latestStateFaults(): readonly Fault[] {
  return Object.entries(stateMethods).map(([method, place]) => ({
    name: `${method.slice('eth_'.length).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-is-always-at-latest`,
    rule: 'state.by-number-hash-or-tag',
    description: `${method} answers the state at \`latest\` for every block that exists.`,
    begin: () =>
      onAnswer([method], async (answer, { params, ask }) =>
        answer.error === undefined && params[place] !== undefined
          ? { ...answer, ...outcome(await ask(method, params.with(place, 'latest'))) }
          : answer,
      ),
  }))
}

const isBlockHash = (block: JsonValue | undefined): boolean =>
  typeof block === 'string' && /^0x[0-9a-f]{64}$/i.test(block)

const outcome = ({ result, error }: CallAnswer) => ({
  result,
  error,
})

/** Position of a method's block parameter; -1 without one. */
const placeOf = (method: string): number => stateMethods[method] ?? -1
