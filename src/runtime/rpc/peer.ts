import type { JsonObject, JsonValue } from './json.js'
import type { MethodDescriptor, ValidationProblem } from './method-descriptor.js'
import { RpcError } from './rpc-error.js'

/** Parameters by name, result and subscription items of methods, as generated for a contract with connections. */
export interface MethodTypes {
  readonly [name: string]: { readonly params: unknown; readonly result: unknown; readonly item?: unknown }
}

/** The other side of a connection. Parameters are named; the contract decides how they are sent. */
export interface RpcPeer<Methods = MethodTypes> {
  /**
   * Calls a method of the other side. A fired signal ends the call, and cancels it by the notification with `x-cancels`.
   * @throws RpcError for an error response; TypeError for invalid parameters and results, and for a notification;
   * PeerClosedError
   */
  request<Name extends keyof Methods & string>(
    method: Name,
    params: ParamsOf<Methods, Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<ResultOf<Methods, Name>>
  /**
   * Sends a notification. Resolves when the transport has accepted it.
   * @throws TypeError for invalid parameters; PeerClosedError
   */
  notify<Name extends keyof Methods & string>(method: Name, params: ParamsOf<Methods, Name>): Promise<void>
}

/** The named parameters of a method. */
export type ParamsOf<Methods, Name extends keyof Methods> = Methods[Name] extends { readonly params: infer P }
  ? P
  : never
/** The result of a method. */
export type ResultOf<Methods, Name extends keyof Methods> = Methods[Name] extends { readonly result: infer R }
  ? R
  : never

/** The connection to the other side is closed. */
export class PeerClosedError extends Error {
  override readonly name = 'PeerClosedError'

  constructor() {
    super('The connection is closed')
  }
}

/** A request without its response. */
interface Pending {
  readonly method: MethodDescriptor
  resolve(result: JsonValue): void
  reject(cause: unknown): void
}

/**
 * The calls from this side of a connection to the other one (JSON-RPC 2.0, sections 4 and 5). Parameters and results
 * are validated.
 */
export class Peer {
  readonly #methods: ReadonlyMap<string, MethodDescriptor>
  readonly #send: (text: string) => Promise<void>
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #isClosed = false

  /**
   * @param methods the methods of the other side
   * @param send sends a message, and resolves when the transport has accepted it
   */
  constructor(methods: Iterable<MethodDescriptor>, send: (text: string) => Promise<void>) {
    this.#methods = new Map([...methods].map((method) => [method.name, method]))
    this.#send = send
  }

  async request(
    name: string,
    params: unknown,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<JsonValue> {
    const method = this.#method(name, params)
    if (method.notification) throw new TypeError(`"${name}" is a notification: use notify`)
    signal?.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    let stop = (): void => undefined
    const result = await new Promise<JsonValue>((resolve, reject) => {
      stop = () => {
        reject(signal?.reason)
        this.#cancel(id)
      }
      signal?.addEventListener('abort', stop)
      this.#pending.set(id, { method, resolve, reject })
      this.#send(messageText(method, params, id)).catch(reject)
    }).finally(() => {
      signal?.removeEventListener('abort', stop)
      this.#pending.delete(id)
    })
    check(`The result of ${name}`, method.validateResult(result))
    return result
  }

  async notify(name: string, params: unknown): Promise<void> {
    await this.#send(messageText(this.#method(name, params), params))
  }

  /** True while a response is awaited. */
  get isWaiting(): boolean {
    return this.#pending.size > 0
  }

  /** Takes a response ({@link isResponse}). Responses to unknown requests are ignored. */
  receive({ id, result, error }: JsonObject): void {
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined
    if (error === undefined || error === null) pending?.resolve(result ?? null)
    else pending?.reject(errorOf(error))
  }

  /** Rejects all pending requests, and all later calls. */
  close(): void {
    this.#isClosed = true
    for (const { reject } of this.#pending.values()) reject(new PeerClosedError())
  }

  /** Sends the notification that cancels a call, if the contract has one (`x-cancels`). */
  #cancel(id: number): void {
    for (const method of this.#methods.values()) {
      const declared = method.extensions['x-cancels'] as JsonObject | undefined
      const param = declared?.['id']
      if (typeof param !== 'string' || this.#isClosed) continue
      // The caller has its error already.
      this.#send(messageText(method, { [param]: id })).catch(() => undefined)
    }
  }

  #method(name: string, params: unknown): MethodDescriptor {
    if (this.#isClosed) throw new PeerClosedError()
    const method = this.#methods.get(name)
    if (method === undefined) throw new TypeError(`The other side has no method "${name}"`)
    check(`The parameters of ${name}`, method.validateParams(wireParams(method, params)))
    return method
  }
}

function check(what: string, [problem]: readonly ValidationProblem[]): void {
  if (problem === undefined) return
  throw new TypeError(`${what} violate the contract: ${`${problem.path} ${problem.message}`.trim()}`)
}

/** The text of a request, or of a notification if there is no id. */
function messageText(method: MethodDescriptor, params: unknown, id?: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method: method.name, params: wireParams(method, params) })
}

/** Parameters as they are sent: by position only where the contract demands it. */
function wireParams({ params: declared, paramStructure }: MethodDescriptor, params: unknown): JsonValue {
  const named = (params ?? {}) as JsonObject
  if (paramStructure !== 'by-position') return named
  const values = declared.map(({ name }) => named[name])
  while (values.length > 0 && values.at(-1) === undefined) values.pop()
  return values as JsonValue
}

/** True for a response: an object that has a result or an error, and no method (JSON-RPC 2.0, section 5). */
export function isResponse(message: JsonValue): message is JsonObject {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return false
  return (
    !Object.hasOwn(message, 'method') && (Object.hasOwn(message, 'result') || Object.hasOwn(message, 'error'))
  )
}

function errorOf(error: JsonValue): RpcError {
  const { code, message, data } = error as JsonObject
  return new RpcError({
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message : 'The error has no message',
    data,
  })
}
