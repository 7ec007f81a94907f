import { isTransportError } from '@concordat/client'

/** Codes of EIP-1193 (provider errors) and EIP-1474 (JSON-RPC errors). */
const codes = {
  network: 4900,
  timeout: 4900,
  http: -32603,
  malformed: -32603,
  invalid: -32603,
  invalidParams: -32602,
} as const

/**
 * A provider error without an error response of the service (EIP-1193, provider errors). The code is 4900 if
 * the network is unreachable or too slow, -32603 for an invalid answer, and -32602 for an invalid request.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: number

  constructor(code: number, cause: Error) {
    super(cause.message, { cause })
    this.code = code
  }
}

/** Converts an error to EIP-1193 form. Error responses and the reason of a signal are kept. */
export function asProviderError(error: unknown): unknown {
  if (isTransportError(error)) return new ProviderError(codes[error.kind], error)
  const isBadRequest = error instanceof TypeError || error instanceof RangeError
  return isBadRequest ? new ProviderError(codes.invalidParams, error) : error
}
