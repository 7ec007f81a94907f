import type { JsonObject, JsonValue } from '../../../rpc/index.js'
import type { Fault, FaultHooks } from '../fault.js'
import { isObject } from '../rpc-message.js'
import {
  answered,
  codeOf,
  isQuantity,
  moved,
  onAnswer,
  onError,
  onParams,
  onResult,
  refused,
  without,
} from './hooks.js'
import { stateMethods } from './methods.js'

/** Changes the call object of calls and estimates. */
const onCallObject = (change: (call: JsonObject) => JsonObject): FaultHooks =>
  onParams(['eth_call', 'eth_estimateGas'], (params) => {
    const [call, ...rest] = params
    if (!isObject(call)) return params
    const changed = change(call)
    return changed === call ? params : [changed, ...rest]
  })

const onRevert = (change: (error: JsonObject) => JsonValue): FaultHooks =>
  onError((error, answer) => (error['code'] === 3 ? { ...answer, error: change(error) } : answer))

/** What goes wrong with state and with calls on it (specification 2.1, 2.8 and 4). */
export const stateFaults: readonly Fault[] = [
  {
    name: 'unknown-block-has-empty-state',
    rule: 'state.unknown-block',
    description: 'State at a block that does not exist is zero in place of an error.',
    begin: () =>
      onAnswer(Object.keys(stateMethods), (answer) =>
        codeOf(answer) === -32001 ? answered(answer, '0x0') : answer,
      ),
  },
  {
    name: 'no-code-is-zero',
    rule: 'state.code-empty',
    description: 'The code of an address without code is 0x0.',
    begin: () => onResult(['eth_getCode'], (code) => (code === '0x' ? '0x0' : code)),
  },
  {
    name: 'balance-without-a-block-is-that-at-the-first',
    rule: 'state.default-latest',
    description: 'Without a block, balance and transaction count are those at the first block.',
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
    description: 'Where the block is required and absent, latest is taken.',
    begin: () =>
      onParams(['eth_call', 'eth_getCode'], (params) =>
        params.length === 1 ? [...params, 'latest'] : params,
      ),
  },
  {
    name: 'block-by-hash-refused',
    rule: 'state.by-number-hash-or-tag',
    description: 'State by the hash of a block is refused.',
    begin: () =>
      onAnswer(Object.keys(stateMethods), (answer, { call: { method }, params }) => {
        const block = params[stateMethods[method as keyof typeof stateMethods]]
        return typeof block === 'string' && /^0x[0-9a-f]{64}$/i.test(block) && answer.result !== undefined
          ? refused(answer, -32602, 'invalid block number')
          : answer
      }),
  },
  {
    name: 'storage-value-without-zeros',
    rule: 'state.storage-word',
    description: 'A storage value is written as a quantity in place of 32 bytes.',
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
    description: 'The transaction count of an address is the last nonce that it used.',
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
    name: 'revert-data-lost',
    rule: 'call.revert',
    description: 'The error of a revert has no data.',
    begin: () => onRevert((error) => without(error, 'data')),
  },
  {
    name: 'revert-has-another-code',
    rule: 'call.revert',
    description: 'A revert is error -32003.',
    begin: () => onRevert((error) => ({ ...error, code: -32003 })),
  },
  {
    name: 'revert-reason-lost',
    rule: 'call.revert',
    description: 'The message of a revert does not tell its reason.',
    begin: () => onRevert((error) => ({ ...error, message: 'execution reverted' })),
  },
  {
    name: 'call-without-receiver-runs',
    rule: 'call.to-required',
    description: 'eth_call without `to` runs as the creation of a contract.',
    begin: () =>
      onAnswer(['eth_call'], (answer, { params: [call] }) =>
        isObject(call) && call['to'] === undefined && codeOf(answer) === -32602
          ? answered(answer, '0x')
          : answer,
      ),
  },
  {
    name: 'input-ignored',
    rule: 'call.input-alias',
    description: '`input` of a call object is ignored.',
    begin: () => onCallObject((call) => ('input' in call ? without(call, 'input') : call)),
  },
  {
    name: 'null-members-of-a-call-refused',
    rule: 'call.null-members-absent',
    description: 'A null member of a call object is refused.',
    begin: () =>
      onAnswer(['eth_call', 'eth_estimateGas'], (answer, { params: [call] }) =>
        isObject(call) && Object.values(call).includes(null)
          ? refused(answer, -32602, 'invalid argument 0: unexpected null')
          : answer,
      ),
  },
  {
    name: 'refused-call-has-another-code',
    rule: 'call.refused',
    description: 'A call that cannot be paid is a revert.',
    begin: () =>
      onError((error, answer) =>
        error['code'] === -32003 ? { ...answer, error: { ...error, code: 3 } } : answer,
      ),
  },
  {
    name: 'sender-of-a-call-ignored',
    rule: 'call.other-members',
    description: 'All members of a call object but receiver and data are left out.',
    begin: () => onCallObject(({ to, data, input }) => defined({ to, data, input })),
  },
  {
    name: 'small-quantities-are-numbers',
    rule: 'defaults.hex-result',
    description: 'The transaction count of an address is a JSON number.',
    begin: () =>
      onResult(['eth_getTransactionCount'], (count) => (isQuantity(count) ? Number(count) : count)),
  },
]

const outcome = ({ result, error }: { result?: JsonValue | undefined; error?: JsonValue | undefined }) => ({
  result,
  error,
})

const defined = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
