/** Types of errors: by code, by name and by method. This file only compiles. */

import type { LogsRange, ParameterProblems, QuotaState } from '../../generated/types.js'
import {
  createClient,
  isRpcError,
  isTransportError,
  type MethodError,
  type MethodName,
  type ServiceError,
  type ServiceErrorName,
  type TransportTrouble,
} from '../../src/service/node-access/index.js'
import { fits, ok, same } from './expect.js'

const client = createClient('https://rpc.example/key')

export function byCode(error: ServiceError) {
  if (error.code === -32005) {
    same<typeof error.error, 'limitExceeded'>(ok)
    same<typeof error.data, QuotaState | undefined>(ok)
  }
  if (error.code === -32602) {
    same<typeof error.error, 'invalidParams'>(ok)
    same<typeof error.data, ParameterProblems | LogsRange | undefined>(ok)
  }
  if (error.code === 3) same<typeof error.error, 'executionReverted'>(ok)
  if (error.code === -32016) same<typeof error.error, 'unauthorized'>(ok)
  if (error.code === -32001) same<typeof error.error, 'blockNotFound'>(ok)
  if (error.code === -32603) same<typeof error.error, 'internalError'>(ok)
  switch (error.code) {
    case -32700:
      same<typeof error.error, 'parseError'>(ok)
      break
    case -32600:
      same<typeof error.error, 'invalidRequest'>(ok)
      break
    case -32601:
      same<typeof error.error, 'methodNotFound'>(ok)
      break
    default:
      fits<typeof error.code, number>()
  }
}

export function byName(error: ServiceError) {
  if (error.error === 'limitExceeded') same<typeof error.code, -32005>(ok)
  if (error.error === 'executionReverted') same<typeof error.code, 3>(ok)
  if (error.error === 'executionReverted') same<typeof error.data, `0x${string}`>(ok)
  if (error.error === 'unauthorized') same<typeof error.code, -32016>(ok)
  if (error.error === undefined) fits<typeof error.code, number>()
  same<typeof error.method, MethodName | undefined>(ok)
  fits<'limitExceeded', ServiceErrorName>()
  fits<typeof error, Error>()
  if (error.method === 'eth_call') same<typeof error.method, 'eth_call'>(ok)
  // @ts-expect-error a name that the contract lacks
  error.error === 'teapot'
  // @ts-expect-error a method that the contract lacks
  error.method === 'eth_mining'
}

export function ofMethod(call: MethodError<'eth_call'>, chain: MethodError<'eth_chainId'>) {
  if (call.code === 3) same<typeof call.error, 'executionReverted'>(ok)
  if (call.error === 'blockNotFound') same<typeof call.code, -32001>(ok)
  fits<typeof chain, ServiceError>()
  fits<typeof chain, typeof call>()
  // @ts-expect-error the method declares no revert
  chain.error === 'executionReverted'
  // @ts-expect-error a method that the contract lacks
  fits<MethodError<'eth_mining'>, unknown>()
}

export async function caught() {
  try {
    await client.eth_chainId()
  } catch (error) {
    if (isRpcError(error)) same<typeof error, ServiceError>(ok)
    if (isRpcError(error, 'limitExceeded')) same<typeof error.code, -32005>(ok)
    if (isRpcError(error, 'limitExceeded')) same<typeof error.method, MethodName | undefined>(ok)
    if (isTransportError(error)) same<typeof error.kind, TransportTrouble>(ok)
    // @ts-expect-error an unknown error has no code
    error.code
  }
}
