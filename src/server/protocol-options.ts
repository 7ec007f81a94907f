import type {
  EnvelopeRules,
  JsonValue,
  MethodDescriptor,
  RawJson,
  RawJsonStream,
  RpcError,
  ValidationProblem,
} from '../rpc/index.js'
import type { Failures } from './failures.js'
import type { Limits } from './limits.js'

/** Parameters in the contract's order; undefined where an optional one was left out and has no default. */
export type PositionalParams = readonly (JsonValue | undefined)[]

/** A result: a value to be written, or its text as it stands, which may be sent while it is made. */
export type CallResult = JsonValue | RawJson | RawJsonStream | undefined

/** Carries out one call with valid parameters, defaults filled in. Throws {@link RpcError} for what callers may see. */
export type Call<Context> = (
  method: MethodDescriptor,
  params: PositionalParams,
  context: Context,
) => CallResult | PromiseLike<CallResult>

/** How much of a body may run, and what every answer says about it. */
export interface Admission {
  /** How many of the billed items may run, counted from the first. */
  readonly admitted: number
  /** The error of the others; needed when not all are admitted. */
  readonly error?: RpcError | undefined
  /** Headers of the answer, whatever it is. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Charges a body once it is parsed, before any error of its envelope is answered. Called with 0 for an answer that
 * is free of charge but needs the headers.
 */
export type Admit<Context> = (items: number, context: Context) => Admission | PromiseLike<Admission>

/** Something that callers are not told and somebody must know. */
export interface ErrorReport<Context> {
  /**
   * `handlerFailed`: something other than an RpcError was thrown, or the result is no JSON;
   * `resultInvalid`: a result breaks the contract; `errorInvalid`: a thrown RpcError has a code that the method does
   * not declare, or data that breaks the contract; `errorWithCause`: a sent RpcError has a cause.
   */
  readonly kind: 'handlerFailed' | 'resultInvalid' | 'errorInvalid' | 'errorWithCause'
  /** The number that the caller was given in `data.reference`; undefined for `errorWithCause`. */
  readonly reference: string | undefined
  /** The method called, undefined when the failure was none of a method's. */
  readonly method: string | undefined
  readonly cause: unknown
  /** Where the result or the error object breaks the contract, by JSON pointer. */
  readonly problems: readonly ValidationProblem[]
  readonly context: Context | undefined
}

/** What a protocol handler is made of. */
export interface ProtocolOptions<Context> {
  readonly methods: Readonly<Record<string, MethodDescriptor>>
  readonly call: Call<Context>
  readonly admit?: Admit<Context> | undefined
  /** The contract's text, answered to `rpc.discover` as authored; without it the method does not exist. */
  readonly document?: string | Uint8Array | undefined
  /** JSON-RPC 2.0's own rules when not given. */
  readonly envelope?: EnvelopeRules | undefined
  readonly limits?: Partial<Limits> | undefined
  /** How many calls of one batch run concurrently. Default: 32. */
  readonly batchCallsAtOnce?: number | undefined
  readonly failures?: Partial<Failures> | undefined
  readonly onError?: ((report: ErrorReport<Context>) => void) | undefined
  /**
   * Called for each response, also for those of a batch: before it is sent, or when its stream has ended. Must not
   * throw. The method is undefined when the request names none of the contract, the context when it is unauthorized.
   */
  readonly onResponse?:
    | ((
        method: MethodDescriptor | undefined,
        error: RpcError | undefined,
        context: Context | undefined,
      ) => void)
    | undefined
  /**
   * Checks every result, and every error that is thrown, against the contract; one that breaks it is answered as a
   * failed handler. Streamed results are not checked.
   */
  readonly validateResults?: boolean | undefined
}
