import type { JsonObject } from '@concordat/rpc'
import {
  answered,
  answeredFor,
  codeOf,
  type Fault,
  isObject,
  onAnswer,
  onParams,
  onResult,
  refused,
} from 'concordat/conformance'
import { countsAsSent } from './calls.js'
import { isQuantity, moved } from './quantities.js'

const METHODS = ['eth_estimateGas']

const quantity = (object: JsonObject, member: string) => {
  const value = object[member]
  return isQuantity(value) ? BigInt(value) : 0n
}

/** Address of an unused account. */
const NOBODY = '0x00000000000000000000000000000000000e57ed'

/** Replaces the estimate of a contract creation with an error if its data matches. */
const failingCreation = (code: RegExp, error: number, message: string) =>
  onAnswer(METHODS, (answer, { params: [call] }) =>
    isObject(call) &&
    call['to'] === undefined &&
    code.test(String(call['data'])) &&
    codeOf(answer) === undefined
      ? refused(answer, error, message)
      : answer,
  )

/** Faults in estimates: nodes are strict where the service must be lenient (specification 4.2). */
export const estimateFaults: readonly Fault[] = [
  {
    name: 'estimate-needs-balance',
    rule: 'estimate-gas.lenient-balance',
    description: 'A sender that cannot pay the value gets an error instead of an estimate.',
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
    description: 'A reverting transaction gets the revert error instead of an estimate.',
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
    description: 'A transaction whose own gas is too low gets an error instead of an estimate.',
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
    description: 'Every estimate is ten percent too high.',
    begin: () =>
      onResult(METHODS, (gas) => (isQuantity(gas) ? `0x${((BigInt(gas) * 11n) / 10n).toString(16)}` : gas)),
  },
  {
    name: 'estimate-without-the-base-cost',
    rule: 'estimate-gas.not-below-base',
    description: 'The estimate lacks the base cost of a transaction.',
    begin: () => onResult(METHODS, (gas) => moved(gas, -21_000)),
  },
  {
    name: 'estimate-is-the-gas-of-the-call',
    rule: 'estimate-gas.not-below-base',
    description: 'The estimate for a call with too little gas to start is the gas of the call.',
    begin: () =>
      onAnswer(METHODS, (answer, { params: [call] }) =>
        isObject(call) && isQuantity(call['gas']) && isQuantity(answer.result)
          ? answered(answer, quantity(call, 'gas') < BigInt(answer.result) ? call['gas'] : answer.result)
          : answer,
      ),
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
    description: 'A contract creation is refused because it has no receiver.',
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
    description: 'At a block that does not exist, the result is the fallback estimate instead of an error.',
    begin: () => answeredFor(-32001, METHODS, '0x67c280'),
  },
  {
    name: 'estimate-needs-the-lowest-gas-price',
    rule: 'estimate-gas.lenient',
    description: 'A gas price below the network minimum gets an error instead of an estimate.',
    begin: () =>
      onAnswer(METHODS, async (answer, { params: [call], ask }) => {
        if (!isObject(call) || !isQuantity(call['gasPrice']) || codeOf(answer) !== undefined) return answer
        const { result: lowest } = await ask('eth_gasPrice', [])
        return isQuantity(lowest) && quantity(call, 'gasPrice') < BigInt(lowest)
          ? refused(answer, -32003, 'transaction underpriced')
          : answer
      }),
  },
  {
    name: 'invalid-code-is-an-error',
    rule: 'estimate-gas.lenient',
    description: 'A creation with an invalid instruction gets an error instead of an estimate.',
    begin: () => failingCreation(/^0xfe/, -32003, 'invalid opcode: INVALID'),
  },
  {
    name: 'reverting-creation-is-an-error',
    rule: 'estimate-gas.lenient-revert',
    description: 'A reverting creation gets the revert error instead of an estimate.',
    begin: () => failingCreation(/fd$/, 3, 'execution reverted'),
  },
  {
    name: 'invalid-params-estimated',
    rule: 'estimate-gas.strict-otherwise',
    description: 'Invalid parameters get an estimate instead of an error.',
    begin: () => answeredFor(-32602, METHODS, '0x5208'),
  },
  {
    name: 'estimate-is-sent',
    rule: 'estimate-gas.not-broadcast',
    description: 'An estimated transaction is also sent, which increases the count of its sender.',
    begin: () => countsAsSent('eth_estimateGas'),
  },
  {
    name: 'contract-not-run',
    rule: 'estimate-gas.simulates-whole',
    description: 'An estimate counts the data of a call, but not the execution of the contract.',
    begin: () =>
      onParams(METHODS, (params) => {
        const [call, ...rest] = params
        return isObject(call) && call['to'] && call['data'] ? [{ ...call, to: NOBODY }, ...rest] : params
      }),
  },
  {
    name: 'estimate-without-a-block-is-that-at-the-first',
    rule: 'estimate-gas.default-latest',
    description: 'Without a block, an estimate uses the first block.',
    begin: () => onParams(METHODS, (params) => (params.length === 1 ? [...params, 'earliest'] : params)),
  },
]
