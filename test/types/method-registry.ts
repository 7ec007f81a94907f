/** Which code of methods compiles: nothing here runs. What must not compile is said to be an error. */

import type { MethodCode } from '../../src/gateway/methods/method-code.js'
import type { MethodRegistry } from '../../src/gateway/methods/registry.js'

declare const code: MethodCode

export const whole = {
  eth_call: code,
  eth_estimateGas: code,
  eth_getLogs: code,
  eth_sendRawTransaction: code,
  web3_sha3: code,
} satisfies MethodRegistry

const { eth_call, ...others } = whole

// @ts-expect-error: a method that the contract marks needs code.
export const lacking: MethodRegistry = others

// @ts-expect-error: the contract has no such method.
export const unknown = { ...whole, eth_mining: code } satisfies MethodRegistry

// @ts-expect-error: a node answers this method.
export const forwarded = { ...whole, eth_getBalance: code } satisfies MethodRegistry
