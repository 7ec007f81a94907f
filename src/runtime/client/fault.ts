import { TransportError, type TransportErrorOptions } from './transport-error.js'

/**
 * Creates the error of a failure. Calls that share an HTTP request fail with errors of their own.
 * @param method the called method. Undefined for a whole batch.
 */
export type Fault = (method: string | undefined) => unknown

/** Returns the fault of a request without a valid answer. The method is put before the message. */
export function transportFault(options: Omit<TransportErrorOptions, 'method'>): Fault {
  return (method) =>
    new TransportError({ ...options, method, message: `${method ?? 'batch'}: ${options.message}` })
}

/** Returns the fault of an answer that was not complete in time. */
export function timeoutFault(origin: string, milliseconds: number): Fault {
  const message = `no complete answer from ${origin} within ${milliseconds} ms. Try again, or increase timeoutMilliseconds.`
  return transportFault({ kind: 'timeout', message })
}
