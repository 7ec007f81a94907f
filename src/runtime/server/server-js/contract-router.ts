import { errorResponse, type JsonValue, type MethodDescriptor, RpcError } from '@concordat/rpc'
import type { ItemHandler } from '../protocol/answer-message.js'
import { createDiscover, discoverMethod } from '../protocol/discover.js'
import { type ItemAnswer, wholeText } from '../protocol/encode-answer.js'
import { serverFailures } from '../protocol/failures.js'
import { createItemHandler } from '../protocol/item-handler.js'
import { isPromiseLike } from '../protocol/promises.js'
import type { Call, Methods, ProtocolOptions } from '../protocol/protocol-options.js'
import { createReporter, type Reporter } from '../protocol/reporter.js'
import { logErrors, stderrLog } from '../protocol/stderr-log.js'
import { type HandlersOf, handlersToCall } from '../service/handlers-to-call.js'
import { type Router, serverJs } from './load-server-js.js'

/** Options of a contract router. Errors are lines on stderr without `onError`, and results are validated by default. */
export interface ContractRouterOptions<M extends Methods>
  extends Pick<ProtocolOptions<undefined>, 'document' | 'failures' | 'onError' | 'validateResults'> {
  /** The contract's methods: `methods` of generated code. */
  readonly methods: M
  /**
   * One function for each method, with named parameters: an implementation of the generated interface
   * `Handlers`. Functions with positional parameters, as in the package's own router, are adapted with {@link
   * byPosition}.
   */
  readonly handlers: HandlersOf<M, undefined>
}

/** The answer of a router of the package: a result or an error object (JSON-RPC 2.0, section 5). */
export type RouterAnswer =
  | { result: JsonValue; error?: undefined }
  | { error: { code: number; message: string; data: JsonValue | undefined }; result?: undefined }

/**
 * An empty document. The package would compile its schemas, but this router uses the contract's own
 * validators.
 */
const NO_DOCUMENT = { openrpc: '1.3.2', info: { title: '', version: '' }, methods: [] }
/** A placeholder: the transport writes the caller's id. */
const ANY_ID = 0

const itemHandlers = new WeakMap<Router, ItemHandler<undefined, ItemAnswer>>()

/** Returns the item handler of a contract router; undefined for any other router. */
export function itemHandlerOf(router: Router): ItemHandler<undefined, ItemAnswer> | undefined {
  return itemHandlers.get(router)
}

/**
 * A router for `@open-rpc/server-js` that validates requests and results against the contract. It never
 * throws or rejects, with any input and any transport. It answers with errors for missing, null or wrong
 * parameters, for handlers that throw, and for invalid results. Handlers may throw {@link RpcError} and the
 * package's own `JSONRPCError`; both keep their code, message and data.
 */
export class ContractRouter<M extends Methods = Methods> extends serverJs.Router {
  readonly #methods: ReadonlyMap<string, MethodDescriptor>
  readonly #items: ItemHandler<undefined, ItemAnswer>
  readonly #reporter: Reporter<undefined>

  /** @throws MissingHandlerError if a method of the contract has no function */
  constructor(options: ContractRouterOptions<M>) {
    super(NO_DOCUMENT, {})
    const { methods, handlers, document, onError = logErrors(stderrLog), validateResults = true } = options
    const failures = serverFailures(options.failures)
    const call = keepingErrors(handlersToCall(methods, handlers))
    this.#reporter = createReporter(failures, onError)
    this.#items = createItemHandler({ methods, call, document, validateResults }, failures, this.#reporter)
    const served = [...Object.values(methods), ...(createDiscover(methods, document) ? [discoverMethod] : [])]
    this.#methods = new Map(served.map((method) => [method.name, method]))
    itemHandlers.set(this, this.#items)
  }

  /**
   * True also for a name that is not a string. This router then answers with an error, because the package
   * may fail without a matching router.
   */
  override isMethodImplemented(methodName: string): boolean {
    return typeof methodName !== 'string' || this.#methods.has(methodName)
  }

  /**
   * Runs one call; never rejects. The package's transports do not tell a router about notifications, and
   * always send a response. So a method without a result returns `null`.
   */
  override async call(methodName: string, params: unknown): Promise<RouterAnswer> {
    const isNotification = this.#methods.get(methodName)?.notification === true
    const request = { jsonrpc: '2.0', method: methodName, params: params as JsonValue }
    const item = isNotification ? request : { ...request, id: ANY_ID }
    const { text, error } = await this.#items.answer(item, undefined, undefined)
    try {
      const answerText = text ?? (error === undefined ? '{"result":null}' : errorResponse('null', error))
      return answerOf(await wholeText(answerText))
    } catch (cause) {
      // Without validation, a raw result may be invalid JSON.
      const { code, message, data } = this.#reporter.thrown(cause, methodName, undefined)
      return { error: { code, message, data } }
    }
  }
}

function answerOf(text: string | Uint8Array): RouterAnswer {
  const answer = JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString())
  const { result, error }: RouterAnswer = answer
  return error === undefined ? { result } : { error }
}

/** Converts errors of the package, because callers are meant to see them. */
function keepingErrors(call: Call<undefined>): Call<undefined> {
  return (method, params, context) => {
    try {
      const result = call(method, params, context)
      if (!isPromiseLike(result)) return result
      return Promise.resolve(result).catch((cause: unknown) => Promise.reject(kept(cause)))
    } catch (cause) {
      throw kept(cause)
    }
  }
}

function kept(cause: unknown): unknown {
  if (!(cause instanceof serverJs.JSONRPCError) || !Number.isInteger(cause.code)) return cause
  const { code, message, data } = cause
  return new RpcError({ code, message: String(message), data })
}
