import { failure } from '@concordat/node-access-contract/errors'
import type { JsonValue, RpcError } from '@concordat/rpc'
import { isHex, isObject } from '../ethereum/index.js'
import type { NodeError } from '../nodes/index.js'

/** A revert, independent of the node's dialect. */
export interface Revert {
  /** The revert bytes in hexadecimal; `0x` if there are none. */
  readonly data: string
  /** The reason, if the contract or the node gives one. */
  readonly reason: string | undefined
}

/** The code that anvil, geth and their clients use for a revert. */
const revertCode = 3

/** Selectors of Error(string) and Panic(uint256). */
const errorSelector = '0x08c379a0'
const panicSelector = '0x4e487b71'

/** Lengths in characters: a selector with its prefix, and a 32-byte word. */
const selectorLength = 10
const wordLength = 64

/**
 * Recognises a revert in a node's dialect. Anvil and geth send code 3, Hardhat -32603 with the bytes inside
 * `data`, and Rootstock -32015. Other nodes only mention it in the message.
 * @returns undefined for any other error, such as running out of gas
 */
export function revertOf(error: NodeError): Revert | undefined {
  const data = revertData(error.data)
  const isRevert = error.code === revertCode || /\brevert/i.test(error.message) || (data?.length ?? 0) > 2
  if (!isRevert) return undefined
  const bytes = data ?? '0x'
  return { data: bytes, reason: decodedReason(bytes) ?? wordedReason(error.message, bytes) }
}

/**
 * Creates the contract's error for a revert. Specification 7.5 does not define it; clients decode code 3 and
 * `data`.
 * @param cause the node's error, for the log
 */
export function revertError(revert: Revert, cause: NodeError): RpcError {
  const message = revert.reason === undefined ? undefined : `execution reverted: ${revert.reason}`
  return failure('executionReverted', { message, data: revert.data, cause })
}

function revertData(data: JsonValue | undefined): string | undefined {
  if (isObject(data)) return revertData(data['data'])
  if (typeof data !== 'string') return undefined
  const bytes = /0x[0-9a-f]*$/i.exec(data)?.[0]
  return isHex(bytes) && bytes.length % 2 === 0 ? bytes.toLowerCase() : undefined
}

/** Decodes the two built-in errors of the Solidity compiler (contract ABI encoding). */
function decodedReason(data: string): string | undefined {
  const word = (index: number) => data.slice(selectorLength + index * wordLength).slice(0, wordLength)
  if (data.startsWith(panicSelector)) return `panic code 0x${word(0).replace(/^0+(?=..)/, '')}`
  if (!data.startsWith(errorSelector) || BigInt(`0x${word(0) || '0'}`) !== 32n) return undefined
  const length = BigInt(`0x${word(1) || '0'}`)
  const text = data.slice(selectorLength + 2 * wordLength)
  if (length * 2n > BigInt(text.length)) return undefined
  return Buffer.from(text.slice(0, Number(length) * 2), 'hex').toString('utf8')
}

/** Returns the text after "revert" or "reverted:" in the node's message, if there are no bytes to decode. */
function wordedReason(message: string, data: string): string | undefined {
  if (data !== '0x') return undefined
  const words = /\brevert(?:ed)?(?::| with reason string)?\s+(\S.*)$/i.exec(message)?.[1]
  return words?.replace(/^'(.*)'$/, '$1')
}
