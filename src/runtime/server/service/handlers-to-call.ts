import type { HandlerCall, MethodDescriptor } from '@concordat/rpc'
import type { Call, CallResult, Methods, PositionalParams } from '../protocol/protocol-options.js'
import { stderrLog } from '../protocol/stderr-log.js'
import { Exchange, ExchangeCall, type NamedParams } from './exchange.js'

/**
 * One function for each method of a contract, grouped in namespaces. The generated interface `Handlers` is
 * the exact type. Code that leaves out a method does not compile. `createService<Context>(…)` does not infer the
 * methods and accepts any object, so annotate the object with `Handlers<Context>`.
 */
export type HandlersOf<M extends Methods, Context> = string extends keyof M
  ? object
  : Branch<
      { [Name in Implemented<M>]: PathOf<M[Name], Name> }[Implemented<M>],
      (params: never, context: Context, call: never) => unknown
    >

/** The methods that need a handler: those that clients call, without those that end subscriptions or cancel calls. */
type Implemented<M extends Methods> = {
  [Name in keyof M]: M[Name]['extensions'] extends
    | { readonly 'x-direction': 'serverToClient' }
    | { readonly 'x-cancels': object }
    ? never
    : Name
}[Exclude<keyof M, Unsubscribe<M[keyof M]['extensions']>>]
type Unsubscribe<Extensions> = Extensions extends {
  readonly 'x-subscription': { readonly unsubscribe: infer Name }
}
  ? Name
  : never

/** The property path of a method: its `path`, or its name. */
type PathOf<Method, Name> = Method extends { readonly path: infer Path extends readonly string[] }
  ? Path
  : readonly [Name]

/** An object type with a function at the end of each path. A union of paths gives one object. */
type Branch<Path, Handler> = {
  readonly [Key in First<Path>]: Rest<Path, Key> extends readonly []
    ? Handler
    : Branch<Rest<Path, Key>, Handler>
}

type First<Path> = Path extends readonly [infer Key extends PropertyKey, ...unknown[]] ? Key : never
type Rest<Path, Key> = Path extends readonly [Key, ...infer Others] ? Others : never

/** Handlers lack methods of the contract. */
export class MissingHandlerError extends Error {
  override readonly name = 'MissingHandlerError'
  /** Names of the methods without a function. */
  readonly methods: readonly string[]

  constructor(methods: readonly string[]) {
    super(`No handler for ${methods.join(', ')}`)
    this.methods = methods
  }
}

type Handler<Context> = (
  params: NamedParams,
  context: Context,
  call: HandlerCall,
) => CallResult | PromiseLike<CallResult>

/**
 * Finds the handlers of a contract. Handlers are called on their owner, so they can be methods of a class instance.
 *
 * @throws MissingHandlerError if a method of the contract has no function
 */
export function findHandlers<Context>(
  methods: Methods,
  handlers: object,
): ReadonlyMap<MethodDescriptor, Handler<Context>> {
  const found = new Map<MethodDescriptor, Handler<Context>>()
  const missing: string[] = []
  for (const [key, method] of Object.entries(methods)) {
    const handler = findHandler<Context>(handlers, method.path ?? [key])
    if (handler) found.set(method, handler)
    else missing.push(method.name)
  }
  if (missing.length > 0) throw new MissingHandlerError(missing)
  return found
}

/**
 * Adapts handlers with named parameters to the server's `call`, without a connection: the signal of a call never
 * fires, and its headers are ignored.
 *
 * @throws MissingHandlerError if a method of the contract has no function
 */
export function handlersToCall<M extends Methods, Context>(
  methods: M,
  handlers: HandlersOf<M, Context>,
): Call<Context> {
  const found = findHandlers<Context>(methods, handlers)
  return (method, params, context) => {
    const handler = found.get(method)
    if (handler === undefined) throw new MissingHandlerError([method.name])
    const named = namedParams(method, params)
    const call = new ExchangeCall(method, named, params, new Exchange(context), stderrLog, 0)
    return handler(call.params, context, call)
  }
}

/**
 * Returns the function at the end of a path, bound to its object. Returns undefined for a missing function, and for
 * built-in functions of objects.
 */
function findHandler<Context>(handlers: object, path: readonly string[]): Handler<Context> | undefined {
  let owner: object | undefined = handlers
  for (const key of path.slice(0, -1)) {
    const inner: unknown = owner && memberOf(owner, key)
    owner = typeof inner === 'object' && inner !== null ? inner : undefined
  }
  const handler = owner && memberOf(owner, path.at(-1) ?? '')
  return typeof handler === 'function' ? handler.bind(owner) : undefined
}

/**
 * Returns a member of an object or its class. Members of `Object.prototype`, `constructor` and `__proto__` do
 * not count.
 */
function memberOf(object: object, key: string): unknown {
  for (
    let at: object | null = object;
    at !== null && at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    if (!Object.hasOwn(at, key)) continue
    return key === 'constructor' && at !== object ? undefined : Reflect.get(at, key, object)
  }
  return undefined
}

/** Converts parameters in the contract's order to an object. */
export function namedParams(method: MethodDescriptor, params: PositionalParams): NamedParams {
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
