import { RpcError, type RpcErrorOptions } from '@concordat/rpc'

/** The parts of a {@link CallError}. */
export interface CallErrorOptions extends RpcErrorOptions {
  readonly error: string | undefined
  readonly method: string | undefined
  /** The parameter that the service refused, if its answer names one. */
  readonly parameter?: string | undefined
}

/** Shared by all copies of the package, so that each recognizes the errors of the others. */
const brand = Symbol.for('concordat.CallError')

/** An error response of the service. Calls reject with it (JSON-RPC 2.0, section 5.1). */
export class CallError extends RpcError {
  static {
    Object.assign(CallError.prototype, { [brand]: true })
  }
  /** The error's name in the contract. Undefined for an undeclared code. */
  declare readonly error: string | undefined
  /** The called method. Undefined for an error of a whole batch. */
  declare readonly method: string | undefined
  /** The refused parameter. Undefined if the answer names none. */
  declare readonly parameter?: string | undefined

  constructor(options: CallErrorOptions) {
    super(options)
  }

  /** Prefixes the message with the method and the invalid parameter. */
  override toString(): string {
    const { name, method, parameter, message } = this
    const place = parameter && `parameter "${parameter}"`
    return [name, method, place, message].filter(Boolean).join(': ')
  }
}

/** A {@link CallError} whose name, code and data the contract declares. `Method` are the contract's methods. */
export interface DeclaredError<
  Name extends string | undefined,
  Code extends number,
  Data,
  Method extends string = string,
> extends Omit<CallError, 'error' | 'code' | 'data' | 'method'> {
  readonly error: Name
  readonly code: Code
  readonly data: Data
  /** The called method. Undefined for an error of a whole batch. */
  readonly method: Method | undefined
}

declare const undeclared: unique symbol

/**
 * A code that the contract does not declare. TypeScript has no type for all other numbers, and `number` would
 * match every declared code. The literal, which is no code, keeps a comparison with a code from matching this one.
 */
export type UndeclaredCode = 0.5 & { readonly [undeclared]: true }

/** Returns true for a {@link CallError} of any copy of this package, optionally with the given name. */
export function isCallError(error: unknown, name?: string): error is CallError {
  return (
    error instanceof Error &&
    brand in error &&
    (name === undefined || (error as Partial<CallError>).error === name)
  )
}
