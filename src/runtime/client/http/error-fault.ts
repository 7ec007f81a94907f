import { CallError } from '../call-error.js'
import { type ClientContract, errorName, paramAt } from '../client-contract.js'
import type { Fault } from '../fault.js'
import type { HttpFacts } from './post-request.js'
import type { RpcErrorObject } from './read-response.js'
import { redactJson } from './redactor.js'

/**
 * Converts an error response to a fault (JSON-RPC 2.0, section 5.1).
 * @param contract the contract's errors and methods
 * @param error the error object
 * @param redact replaces secrets
 * @param http the facts of the HTTP answer, if there is one
 */
export function errorFault(
  contract: ClientContract,
  { code, message, data }: RpcErrorObject,
  redact: (text: string) => string,
  http?: HttpFacts,
): Fault {
  const shown = {
    code,
    message: redact(message),
    data: redactJson(data, redact),
    ...http,
  }
  // Invalid parameters are answered with a list of problems, whose paths start with a position or a name.
  const path = code === -32602 && (shown.data as Problems)?.[0]?.path
  const place = typeof path === 'string' ? path.split('/')[1] : undefined
  return (method) =>
    new CallError({
      ...shown,
      error: errorName(contract, code, method),
      method,
      parameter: place && paramAt(contract, method, place),
    })
}

type Problems = readonly ({ readonly path?: unknown } | null)[] | undefined
