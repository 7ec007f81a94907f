import { RpcError, type RpcErrorOptions } from '../rpc/rpc-error.js'

/** What a {@link CallError} is made of. */
export interface CallErrorOptions extends RpcErrorOptions {
  readonly error: string | undefined
  readonly method: string | undefined
}

/** The same in every copy of the package, so that each recognises the errors of the others. */
const brand = Symbol.for('concordat.CallError')

/** An error that the service answered: what a call rejects with (JSON-RPC 2.0, section 5.1). */
export class CallError extends RpcError {
  static {
    Object.defineProperty(CallError.prototype, brand, { value: true })
  }
  /** The contract's name of the code; undefined for a code that the contract does not have. */
  readonly error: string | undefined
  /** The method that was called; undefined for an error of a whole batch. */
  readonly method: string | undefined

  constructor(options: CallErrorOptions) {
    super(options)
    this.error = options.error
    this.method = options.method
  }
}

/** A {@link CallError} of which the contract tells name, code and data. */
export interface DeclaredError<Name extends string | undefined, Code extends number, Data>
  extends Omit<CallError, 'error' | 'code' | 'data'> {
  readonly error: Name
  readonly code: Code
  readonly data: Data
}

/** True for a {@link CallError} of any copy of this package, or only for the one of that name. */
export function isCallError(error: unknown, name?: string): error is CallError {
  return (
    error instanceof Error && brand in error && (name === undefined || Reflect.get(error, 'error') === name)
  )
}
