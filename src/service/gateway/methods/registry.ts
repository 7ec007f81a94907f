import type { MethodName, methods } from '@concordat/node-access-contract/methods'
import { ethCall } from './eth-call.js'
import { ethEstimateGas } from './eth-estimate-gas.js'
import { ethGetLogs } from './eth-get-logs.js'
import { checkRawTransaction, ethSendRawTransaction } from './eth-send-raw-transaction.js'
import type { MethodCode } from './method-code.js'
import { web3Sha3 } from './web3-sha3.js'

/** The methods for which the contract requires code of the service (`x-answer`). */
export type CodeMethodName = {
  [Name in MethodName]: (typeof methods)[Name]['extensions']['x-answer'] extends 'code' ? Name : never
}[MethodName]

/** The code of each of these methods. A missing method or an unneeded entry is a compile error. */
export type MethodRegistry = Readonly<Record<CodeMethodName, MethodCode>>

const methodCode = {
  eth_call: { shared: ethCall },
  eth_estimateGas: { shared: ethEstimateGas },
  eth_getLogs: { single: ethGetLogs },
  eth_sendRawTransaction: { shared: ethSendRawTransaction, check: checkRawTransaction },
  web3_sha3: { local: web3Sha3 },
} satisfies MethodRegistry

const byName: ReadonlyMap<string, MethodCode> = new Map(Object.entries<MethodCode>(methodCode))

/** The code of a method; undefined for a method without code. */
export const codeOf = (method: string): MethodCode | undefined => byName.get(method)
