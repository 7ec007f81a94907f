/** Type tests for the method registry: this file only compiles. Lines that must not compile are marked as errors. */

import type { MethodCode } from '../../src/service/gateway/methods/method-code.js'
import type { MethodRegistry } from '../../src/service/gateway/methods/registry.js'

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
