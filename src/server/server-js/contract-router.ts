import { errorResponse, type JsonValue, type MethodDescriptor, RpcError } from '../../rpc/index.js'
import type { ItemHandler } from '../answer-message.js'
import { type ItemAnswer, wholeText } from '../encode-answer.js'
import { defaultFailures, type Failures } from '../failures.js'
import { type HandlersOf, handlersToCall, type Methods } from '../handlers-to-call.js'
import { createItemHandler } from '../item-handler.js'
import { isPromiseLike } from '../promises.js'
import type { Call, ErrorReport } from '../protocol-options.js'
import { discoverMethod } from '../read-call.js'
import { createReporter, type Reporter } from '../reporter.js'
import { writeErrorLine } from '../write-error-line.js'
import { type Router, serverJs } from './load-server-js.js'

/** What a router of a contract is made of. */
export interface ContractRouterOptions<M extends Methods> {
  /** The contract's methods: `methods` of generated code. */
  readonly methods: M
  /**
   * One function a method, parameters by name: an implementation of the generated interface `Handlers`. Functions
   * that take them by position, as the package's own router calls them, go through {@link byPosition}.
   */
  readonly handlers: HandlersOf<M, undefined>
  /** The contract's text, answered to `rpc.discover`; without it that method does not exist. */
  readonly document?: string | Uint8Array
  readonly failures?: Partial<Failures>
  /** Told of unexpected throws and of results that break the contract; one line on standard error when not given. */
  readonly onError?: (report: ErrorReport<undefined>) => void
  /** Checks every result against the contract; true when not given. */
  readonly validateResults?: boolean
}

/** What a router of the package answers: a result, or an error object (JSON-RPC 2.0, section 5). */
export type RouterAnswer =
  | { result: JsonValue; error?: undefined }
  | { error: { code: number; message: string; data: JsonValue | undefined }; result?: undefined }

/** The package compiles the schemas of the document that it is given; here the contract's own validators are used. */
const NO_DOCUMENT = { openrpc: '1.3.2', info: { title: '', version: '' }, methods: [] }
/** The transport writes the caller's own. */
const ANY_ID = 0

const itemHandlers = new WeakMap<Router, ItemHandler<undefined, ItemAnswer>>()

/** What answers whole requests for a router of a contract; undefined for a router of another kind. */
export function itemHandlerOf(router: Router): ItemHandler<undefined, ItemAnswer> | undefined {
  return itemHandlers.get(router)
}

/**
 * A router for `@open-rpc/server-js` that holds requests and results to their contract. No input makes it throw or
 * reject, whatever transport it is added to: parameters that are missing, null or wrong, handlers that throw, and
 * results that are no JSON or break the contract are answered with errors. Handlers may throw {@link RpcError} and
 * the package's own `JSONRPCError`: both keep code, message and data.
 */
export class ContractRouter<M extends Methods = Methods> extends serverJs.Router {
  readonly #methods: ReadonlyMap<string, MethodDescriptor>
  readonly #items: ItemHandler<undefined, ItemAnswer>
  readonly #reporter: Reporter<undefined>

  /** @throws MissingHandlerError when a method of the contract has no function */
  constructor(options: ContractRouterOptions<M>) {
    super(NO_DOCUMENT, {})
    const { methods, handlers, document, onError = writeErrorLine, validateResults = true } = options
    const failures = { ...defaultFailures, ...options.failures }
    const call = keepingErrors(handlersToCall(methods, handlers))
    this.#reporter = createReporter(failures, onError)
    this.#items = createItemHandler({ methods, call, document, validateResults }, failures, this.#reporter)
    const served = [...Object.values(methods), ...(document === undefined ? [] : [discoverMethod])]
    this.#methods = new Map(served.map((method) => [method.name, method]))
    itemHandlers.set(this, this.#items)
  }

  /** True also for a name that is no text: this router answers it, and where none does the package may fail. */
  override isMethodImplemented(methodName: string): boolean {
    return typeof methodName !== 'string' || this.#methods.has(methodName)
  }

  /**
   * Carries out one call; never rejects. The package's transports do not tell a router whether a request is a
   * notification, and answer it in any case: a method without a result is answered `null`.
   */
  override async call(methodName: string, params: unknown): Promise<RouterAnswer> {
    const isNotification = this.#methods.get(methodName)?.notification === true
    const request = { jsonrpc: '2.0', method: methodName, params: params as JsonValue }
    const item = isNotification ? request : { ...request, id: ANY_ID }
    const { text, error } = await this.#items.answer(item, undefined, undefined)
    try {
      const told = text ?? (error === undefined ? '{"result":null}' : errorResponse('null', error))
      return answerOf(await wholeText(told))
    } catch (cause) {
      // A raw result that is no JSON, where results are not checked.
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

/** Errors of the package are errors that a caller is meant to see. */
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
