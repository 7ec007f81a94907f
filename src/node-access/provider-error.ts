import { isTransportError } from '../client/index.js'

/** Codes of EIP-1193 (provider errors) and EIP-1474 (JSON-RPC errors). */
const codes = {
  network: 4900,
  timeout: 4900,
  http: -32603,
  malformed: -32603,
  invalidParams: -32602,
} as const

/**
 * An error of a provider that no server answered (EIP-1193, provider errors): 4900 where the network is not reachable
 * or did not answer in time, -32603 for an unusable answer, -32602 for a request that cannot be sent.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number

  constructor(code: number, cause: Error) {
    super(cause.message, { cause })
    this.code = code
  }
}

/** The error as EIP-1193 wants it; an answered error and the reason of a signal stay as they are. */
export function asProviderError(error: unknown): unknown {
  if (isTransportError(error)) return new ProviderError(codes[error.kind], error)
  const isBadRequest = error instanceof TypeError || error instanceof RangeError
  return isBadRequest ? new ProviderError(codes.invalidParams, error) : error
}
