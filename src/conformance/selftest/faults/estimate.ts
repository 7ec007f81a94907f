import type { JsonObject } from '../../../rpc/index.js'
import type { Fault } from '../fault.js'
import { isObject } from '../rpc-message.js'
import { answered, codeOf, isQuantity, moved, onAnswer, onResult, refused } from './hooks.js'

const METHODS = ['eth_estimateGas']

const quantity = (object: JsonObject, member: string) => {
  const value = object[member]
  return isQuantity(value) ? BigInt(value) : 0n
}

/** What goes wrong with estimates: the strictness of nodes where the service is lenient (specification 4.2). */
export const estimateFaults: readonly Fault[] = [
  {
    name: 'estimate-needs-balance',
    rule: 'estimate-gas.lenient-balance',
    description: 'A sender who cannot pay the value gets an error in place of an estimate.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params: [call], ask }) => {
        if (!isObject(call) || typeof call['from'] !== 'string' || codeOf(answer) !== undefined) return answer
        const { result: balance } = await ask('eth_getBalance', [call['from']])
        return typeof balance === 'string' && quantity(call, 'value') > BigInt(balance)
          ? refused(answer, -32000, 'insufficient funds for transfer')
          : answer
      }),
  },
  {
    name: 'estimate-fails-where-the-call-reverts',
    rule: 'estimate-gas.lenient-revert',
    description: 'A transaction that reverts gets the error of the revert in place of an estimate.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params: [call, block], ask }) => {
        if (!isObject(call) || codeOf(answer) !== undefined) return answer
        const attempt = await ask('eth_call', [call, block ?? 'latest'])
        return codeOf(attempt) === 3 ? { ...answer, result: undefined, error: attempt.error } : answer
      }),
  },
  {
    name: 'estimate-fails-where-gas-runs-out',
    rule: 'estimate-gas.lenient',
    description: 'A transaction whose own gas is too low gets an error in place of an estimate.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params: [call, ...rest], ask }) => {
        if (!isObject(call) || !isQuantity(call['gas']) || codeOf(answer) !== undefined) return answer
        const { gas, ...free } = call
        const { result } = await ask('eth_estimateGas', [free, ...rest])
        return isQuantity(result) && BigInt(result) > BigInt(gas as string)
          ? refused(answer, -32003, `gas required exceeds allowance (${Number(gas)})`)
          : answer
      }),
  },
  {
    name: 'estimate-with-a-margin',
    rule: 'estimate-gas.known-answer',
    description: 'A tenth is added to every estimate.',
    begin: () =>
      onResult(METHODS, (gas) => (isQuantity(gas) ? `0x${((BigInt(gas) * 11n) / 10n).toString(16)}` : gas)),
  },
  {
    name: 'estimate-without-the-base-cost',
    rule: 'estimate-gas.not-below-base',
    description: 'What a transaction costs before it runs is left out of the estimate.',
    begin: () => onResult(METHODS, (gas) => moved(gas, -21_000)),
  },
  {
    name: 'estimate-too-low-to-be-used',
    rule: 'estimate-gas.usable',
    description: 'An estimate is one unit of gas too low for the call to succeed.',
    begin: () => onResult(METHODS, (gas) => (gas === '0x5208' ? gas : moved(gas, -1))),
  },
  {
    name: 'creation-not-estimated',
    rule: 'estimate-gas.creation',
    description: 'The creation of a contract is refused for its missing receiver.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [call] }) =>
        isObject(call) && call['to'] === undefined
          ? refused(answer, -32602, 'missing value for required argument: to')
          : answer,
      ),
  },
  {
    name: 'nothing-estimated',
    rule: 'estimate-gas.nothing-refused',
    description: 'A call without receiver and without data gets the estimate of a transfer.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [call] }) =>
        isObject(call) && !call['to'] && !call['data'] && !call['input'] && codeOf(answer) === -32602
          ? answered(answer, '0x5208')
          : answer,
      ),
  },
  {
    name: 'unknown-block-estimated',
    rule: 'estimate-gas.strict-otherwise',
    description: 'At a block that does not exist the fallback is answered in place of an error.',
    begin: () =>
      onAnswer(METHODS, (answer) => (codeOf(answer) === -32001 ? answered(answer, '0x67c280') : answer)),
  },
]
