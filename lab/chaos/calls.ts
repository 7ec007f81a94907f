import { createHash } from 'node:crypto'
import type { JsonValue } from '../../src/runtime/rpc/index.js'
import { blockHash } from '../../test/support/node-server.js'
import type { Chain } from './chain.js'

/** A call and its expected answer. */
export interface JudgedCall {
  readonly method: string
  readonly params: readonly JsonValue[]
  /** The code of the expected error; undefined when a result is expected. */
  readonly code?: number
  /** True if a node could have returned this result between two times of `performance.now()`. */
  readonly isTrue: (result: JsonValue, from: number, to: number) => boolean
}

/**
 * Maximum age of the state in an answer, in milliseconds on an idle machine. With a block a second, the service may lag
 * by `tuning.nodeLagBlocks` (6). It caches answers about the head for `latestAnswerSeconds` (1), and polls for new
 * heads every two seconds.
 */
const oldest = 9_000

const hex = (value: number) => `0x${value.toString(16)}`
const same = (expected: JsonValue) => (result: JsonValue) => result === expected
const constant = (method: string, params: readonly JsonValue[], expected: JsonValue): JudgedCall => ({
  method,
  params,
  isTrue: same(expected),
})

/**
 * Creates the calls of each request, by its number. Equal seeds and numbers give equal kinds of calls.
 * @param slowness largest slowdown factor of this machine so far; it extends the maximum age of answers
 */
export function createCalls(
  seed: number,
  chain: Chain,
  slowness: { readonly most: number },
): (number: number) => readonly JudgedCall[] {
  const states = (from: number, to: number) => chain.between(from - oldest * slowness.most, to)
  const kinds: readonly ((value: number) => readonly JudgedCall[])[] = [
    ...Array.from({ length: 4 }, () => (value: number) => [balance(value)]),
    (value) => [
      constant('eth_call', [{ to: address(value) }, 'latest'], `0x${value.toString(16).padStart(64, '0')}`),
    ],
    () => [headNumber],
    (value) => [block(value)],
    () => [constant('eth_chainId', [], '0x1f')],
    // The known digest of "hello world".
    () => [constant('web3_sha3', ['0x68656c6c6f20776f726c64'], helloWorld)],
    (value) => [balance(value), constant('eth_chainId', [], '0x1f'), balance(value + 1)],
    () => [{ method: 'eth_newFilter', params: [{}], code: -32601, isTrue: () => false }],
    () => [{ method: 'eth_getBalance', params: ['0x12', 'latest'], code: -32602, isTrue: () => false }],
  ]
  const headNumber: JudgedCall = {
    method: 'eth_blockNumber',
    params: [],
    isTrue: (result, from, to) => states(from, to).some(({ head }) => result === hex(head)),
  }
  const block = (value: number): JudgedCall => {
    const number = Math.max(1, chain.head - 10 - (value % 50))
    return {
      method: 'eth_getBlockByNumber',
      params: [hex(number), false],
      isTrue: (result, from, to) =>
        states(from, to).some(({ head, branch }) =>
          number > head ? result === null : hashOf(result) === blockHash(branch, number),
        ),
    }
  }
  return (number) => {
    const digest = createHash('sha256').update(`${seed}/${number}`).digest()
    // The balance of an account, so it is not 0. Leaves room for `value + 1`.
    const value = (digest.readUInt32BE(0) % 0xffff_fff0) + 1
    return kinds[digest.readUInt16BE(4) % kinds.length]?.(value) ?? []
  }
}

const helloWorld = '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad'
const address = (value: number) => `0x${value.toString(16).padStart(40, '0')}`
const balance = (value: number) => constant('eth_getBalance', [address(value), 'latest'], hex(value))

const hashOf = (result: JsonValue) =>
  typeof result === 'object' && result !== null && 'hash' in result ? result['hash'] : undefined
