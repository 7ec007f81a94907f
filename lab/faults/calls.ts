import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  codeBecomes,
  codeOf,
  type Fault,
  type FaultHooks,
  isObject,
  onAnswer,
  onError,
  onParams,
  onResult,
  refused,
  without,
} from 'concordat/conformance'
import { ignoringCase, networkMembers, only, onMembers, onUnlisted } from './members.js'
import { moved } from './quantities.js'

const METHODS = ['eth_call', 'eth_estimateGas']

/** Members of a call object that scenarios use. */
const callMembers = ['from', 'to', 'gas', 'gasPrice', 'value', 'data', 'input', 'nonce', 'type']
const listed = [...callMembers, ...networkMembers]

/** Changes the call object of `eth_call` and `eth_estimateGas`. */
const onCallObject = (change: (call: JsonObject) => JsonObject): FaultHooks =>
  onParams(METHODS, (params) => {
    const [call, ...rest] = params
    if (!isObject(call)) return params
    const changed = change(call)
    return changed === call ? params : [changed, ...rest]
  })

const onRevert = (change: (error: JsonObject) => JsonValue): FaultHooks =>
  onError((error, answer) => (error['code'] === 3 ? { ...answer, error: change(error) } : answer))

/** Makes simulations count as sent transactions: each one raises the transaction count of its sender. */
export function countsAsSent(tried: string): FaultHooks {
  const sent = new Map<string, number>()
  const key = (address: JsonValue | undefined) => String(address).toLowerCase()
  return onAnswer([tried, 'eth_getTransactionCount'], (answer, { call: { method }, params: [first] }) => {
    if (method === tried) {
      const from = key(isObject(first) ? first['from'] : undefined)
      sent.set(from, (sent.get(from) ?? 0) + 1)
      return answer
    }
    const more = sent.get(key(first)) ?? 0
    return more === 0 ? answer : { ...answer, result: moved(answer.result, more) }
  })
}

/** Faults in calls (specification 2.8 and 4). */
export const callFaults: readonly Fault[] = [
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
    begin: () => codeBecomes(3, -32003),
  },
  {
    name: 'revert-reason-lost',
    rule: 'call.revert',
    description: 'The message of a revert lacks the reason.',
    begin: () => onRevert((error) => ({ ...error, message: 'execution reverted' })),
  },
  {
    name: 'revert-at-a-block-object-has-another-code',
    rule: 'call.revert',
    description: 'A revert is error -32003 if its block is given as an object (EIP-1898).',
    begin: () =>
      onAnswer(['eth_call'], (answer, { params: [, block] }) =>
        codeOf(answer) === 3 && isObject(block) ? refused(answer, -32003, 'execution reverted') : answer,
      ),
  },
  {
    name: 'call-without-receiver-refused',
    rule: 'call.creation',
    description: 'eth_call without `to` is refused.',
    begin: () =>
      onAnswer(['eth_call'], (answer, { params: [call] }) =>
        isObject(call) && (call['to'] ?? null) === null && codeOf(answer) === undefined
          ? refused(answer, -32602, 'Invalid params: /0 the member "to" is missing')
          : answer,
      ),
  },
  {
    name: 'gas-of-calls-ignored',
    rule: 'call.other-members',
    description: '`gas` of a call object is ignored.',
    begin: () => onCallObject((call) => ('gas' in call ? without(call, 'gas') : call)),
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
      onAnswer(METHODS, (answer, { params: [call] }) =>
        isObject(call) && Object.values(call).includes(null)
          ? refused(answer, -32602, 'invalid argument 0: unexpected null')
          : answer,
      ),
  },
  {
    name: 'refused-call-has-another-code',
    rule: 'call.refused',
    description: 'A call that the sender cannot pay is a revert.',
    begin: () => codeBecomes(-32003, 3),
  },
  {
    name: 'refused-call-at-a-block-object-is-a-revert',
    rule: 'call.refused',
    description: 'A call without enough gas is a revert if its block is given as an object (EIP-1898).',
    begin: () =>
      onAnswer(['eth_call'], (answer, { params: [, block] }) =>
        codeOf(answer) === -32003 && isObject(block)
          ? refused(answer, 3, 'execution reverted', '0x')
          : answer,
      ),
  },
  {
    name: 'sender-of-a-call-ignored',
    rule: 'call.other-members',
    description: 'All members of a call object except receiver and data are dropped.',
    begin: () => onCallObject(({ to, data, input }) => defined({ to, data, input })),
  },
  {
    name: 'listed-call-members-refused',
    rule: 'call.other-members',
    description: 'A call object with a nonce or a type is refused.',
    begin: () => onMembers(METHODS, ['nonce', 'type']),
  },
  {
    name: 'network-members-of-a-call-refused',
    rule: 'call.other-members',
    description: 'A call object that names its network is refused.',
    begin: () => onMembers(METHODS, networkMembers),
  },
  {
    name: 'unlisted-call-members-dropped',
    rule: 'call.other-members',
    description: 'Members of a call object that the contract does not list are dropped silently.',
    begin: () => onCallObject((call) => only(call, listed)),
  },
  {
    name: 'case-of-call-members-ignored',
    rule: 'call.other-members',
    description: 'The names of members of a call object are case-insensitive.',
    begin: () => onCallObject((call) => ignoringCase(call, callMembers)),
  },
  {
    name: 'unlisted-call-member-not-named',
    rule: 'call.other-members',
    description: 'The refusal of a member of a call object does not name it.',
    begin: () => onUnlisted(METHODS, listed),
  },
  {
    name: 'call-is-sent',
    rule: 'call.no-transaction',
    description: 'A call is sent as a transaction, which increases the count of its sender.',
    begin: () => countsAsSent('eth_call'),
  },
  {
    name: 'built-in-contracts-missing',
    rule: 'call.no-transaction',
    description: 'A call to a precompiled contract runs nothing.',
    begin: () =>
      onResult(['eth_call'], (result, { params: [call] }) =>
        isObject(call) && /^0x0{39}[1-9]$/.test(String(call['to'])) ? '0x' : result,
      ),
  },
  {
    name: 'empty-answer-of-a-call-is-zero',
    rule: 'call.no-transaction',
    description: 'The result of a call without return data is 0x0.',
    begin: () => onResult(['eth_call'], (result) => (result === '0x' ? '0x0' : result)),
  },
]

const defined = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
