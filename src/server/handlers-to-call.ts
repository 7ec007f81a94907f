import type { JsonValue, MethodDescriptor } from '../rpc/index.js'
import type { Call, CallResult, PositionalParams } from './protocol-options.js'

/** The methods of a contract, by name: what `concordat generate` writes to `methods.ts`. */
export type Methods = Readonly<Record<string, MethodDescriptor>>

/**
 * One function for every method of a contract. The generated interface `Handlers` is the exact form; this is what
 * the server asks of it, and a method left out does not compile.
 */
export type HandlersOf<M extends Methods, Context> = {
  readonly [Name in keyof M]: (params: never, context: Context) => unknown
}

/** Handlers do not fit the contract that they are to serve. */
export class MissingHandlerError extends Error {
  override readonly name = 'MissingHandlerError'
  /** The methods that have no function. */
  readonly methods: readonly string[]

  constructor(methods: readonly string[]) {
    super(`No handler for ${methods.join(', ')}`)
    this.methods = methods
  }
}

type NamedParams = Record<string, JsonValue>
type Handler<Context> = (params: NamedParams, context: Context) => CallResult | PromiseLike<CallResult>

/**
 * Turns handlers that take parameters by name into the server's `call`. A parameter that was left out and has no
 * default is no member of the object. Methods are called on the handlers object, so it may be a class's instance.
 *
 * @throws MissingHandlerError when a method of the contract has no function
 */
export function handlersToCall<M extends Methods, Context>(
  methods: M,
  handlers: HandlersOf<M, Context>,
): Call<Context> {
  const table = handlers as Readonly<Record<string, unknown>>
  const byMethod = new Map<MethodDescriptor, Handler<Context>>()
  const missing: string[] = []
  for (const [key, method] of Object.entries(methods)) {
    const handler = table[key]
    if (isHandler<Context>(handler, key)) byMethod.set(method, handler)
    else missing.push(method.name)
  }
  if (missing.length > 0) throw new MissingHandlerError(missing)

  return function call(method, params, context) {
    const handler = byMethod.get(method)
    if (handler === undefined) throw new MissingHandlerError([method.name])
    return handler.call(handlers, named(method, params), context)
  }
}

/** A function of the caller's own: `toString` and the like, which every object has, are none. */
function isHandler<Context>(value: unknown, name: string): value is Handler<Context> {
  return typeof value === 'function' && value !== Reflect.get(Object.prototype, name)
}

function named(method: MethodDescriptor, params: PositionalParams): NamedParams {
  const members: NamedParams = {}
  const declared = method.params
  for (let position = 0; position < declared.length; position++) {
    const name = declared[position]?.name
    const value = params[position]
    if (name === undefined || value === undefined) continue
    if (name === '__proto__') Object.defineProperty(members, name, { value, enumerable: true })
    else members[name] = value
  }
  return members
}
