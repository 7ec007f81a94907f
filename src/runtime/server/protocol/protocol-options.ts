import type {
  EnvelopeRules,
  JsonValue,
  MethodDescriptor,
  RawJson,
  RawJsonStream,
  RpcError,
  ValidationProblem,
} from '@concordat/rpc'
import type { Failures } from './failures.js'
import type { Limits } from './limits.js'

/** The methods of a contract by name, as generated in `methods.ts`. */
export type Methods = Readonly<Record<string, MethodDescriptor>>

/** Parameters in the contract's order; undefined for an omitted optional parameter without a default. */
export type PositionalParams = readonly (JsonValue | undefined)[]

/** A result: a value, raw JSON text, or raw JSON text that is streamed. */
export type CallResult = JsonValue | RawJson | RawJsonStream | undefined

/**
 * Runs one call with valid parameters, with defaults filled in. Throws {@link RpcError} for errors that
 * callers may see. The index is the position of the call in its batch, and `idText` the id as JSON text, undefined for a
 * notification.
 */
export type Call<Context> = (
  method: MethodDescriptor,
  params: PositionalParams,
  context: Context,
  index?: number,
  idText?: string,
) => CallResult | PromiseLike<CallResult>

/** The number of calls of a message that may run, and headers for the answer. */
export interface Admission {
  /** Number of calls that may run, counted from the first. */
  readonly admitted: number
  /** The error of the refused calls; required unless all calls are admitted. */
  readonly error?: RpcError | undefined
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** HTTP status of the answer. Default: that of the error of a single response, otherwise 200 or 204. */
  readonly status?: number | undefined
}

/** Details of an error that callers do not see, for the operator. */
export interface ErrorReport<Context> {
  /**
   * The kind of error:
   * - `handlerFailed`: a thrown value is not an RpcError, or the result is not JSON
   * - `resultInvalid`: a result violates the contract
   * - `errorInvalid`: a thrown RpcError has an undeclared code, or data that violates the contract
   * - `errorWithCause`: a sent RpcError has a cause
   */
  readonly kind: 'handlerFailed' | 'resultInvalid' | 'errorInvalid' | 'errorWithCause'
  /** The reference in the caller's `data.reference`; undefined for `errorWithCause`. */
  readonly reference: string | undefined
  /** The called method; undefined for an error outside a method. */
  readonly method: string | undefined
  readonly cause: unknown
  /** The contract violations of the result or the error object, by JSON pointer. */
  readonly problems: readonly ValidationProblem[]
  readonly context: Context | undefined
}

/**
 * The answer of `rpc.discover`: JSON text, or a value that JSON can express. False turns the method off. Default: the
 * document that the generated methods carry.
 */
export type DocumentOption = string | object | false

/** Options of a protocol handler. */
export interface ProtocolOptions<Context> {
  readonly methods: Methods
  readonly call: Call<Context>
  /** Returns the names of the methods that exist for a caller; undefined for all. Default: all. */
  readonly listed?: ((context: Context) => readonly string[] | undefined) | undefined
  /**
   * Returns the caller's scopes; undefined grants all. Calls that lack a scope in the method's `x-scopes` fail with
   * `forbidden`. Required if a method has `x-scopes`.
   */
  readonly scopes?: ((context: Context) => readonly string[] | undefined) | undefined
  readonly document?: DocumentOption | undefined
  /** Replaces the contract's `x-envelope`. */
  readonly envelope?: EnvelopeRules | undefined
  /** Replaces some of the contract's `x-limits`. */
  readonly limits?: Partial<Limits> | undefined
  /** Maximum number of concurrent calls of one batch. Default: 32. */
  readonly batchCallsAtOnce?: number | undefined
  /** Replaces some of the contract's `x-failures`. */
  readonly failures?: Partial<Failures> | undefined
  /**
   * Called for unexpected errors, and for results and errors that violate the contract. Default: a service writes an
   * entry of the log.
   */
  readonly onError?: ((report: ErrorReport<Context>) => void) | undefined
  /**
   * Called for each response, including those in a batch: before it is sent, or at the end of its stream.
   * Must not throw. The method is undefined for an unknown method, and the context for an unauthorized
   * request.
   */
  readonly onResponse?:
    | ((
        method: MethodDescriptor | undefined,
        error: RpcError | undefined,
        context: Context | undefined,
      ) => void)
    | undefined
  /**
   * Validates every result and every thrown error. A violation is answered with `handlerFailed`. Streamed
   * results are not validated.
   */
  readonly validateResults?: boolean | undefined
}
