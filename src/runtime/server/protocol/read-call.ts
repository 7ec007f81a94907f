import {
  createReadRequest,
  idTextOf,
  type JsonObject,
  type JsonValue,
  type MethodDescriptor,
  type RawId,
  type RpcError,
  type ValidationProblem,
} from '@concordat/rpc'
import { discoverMethod } from './discover.js'
import { type FailureDetails, type Failures, failureError } from './failures.js'
import type { Methods, PositionalParams, ProtocolOptions } from './protocol-options.js'

/** A valid request. */
export interface ValidCall {
  /** The id as JSON text; undefined for a notification. */
  readonly idText: string | undefined
  readonly method: MethodDescriptor
  /** Valid parameters, with defaults filled in. */
  readonly params: PositionalParams
  readonly error?: undefined
}

/** An invalid request, which gets an error response. */
export interface InvalidCall {
  readonly idText: string | undefined
  /** Undefined when the request does not name a method of the contract. */
  readonly method: MethodDescriptor | undefined
  readonly error: RpcError
}

/** Reads the requests of one contract. */
export interface CallReader<Context> {
  /**
   * Checks a request: envelope, method, parameters (JSON-RPC 2.0, section 4; specification 2.2).
   * @param context the context of the caller
   */
  read(item: JsonValue, rawId: RawId, context: Context): ValidCall | InvalidCall
  /** Reads only the id and the method of a request, if they are readable. */
  identify(item: JsonValue, rawId: RawId): Omit<InvalidCall, 'error'>
}

const longestNameShown = 64
const mostProblemsShown = 16

/**
 * Creates the reader of a contract's requests.
 * @param options.hasDiscover true if the server answers `rpc.discover`, unless the contract declares it
 * @throws TypeError if a method has `x-scopes` and `scopes` is missing
 */
export function createCallReader<Context>(
  options: Pick<ProtocolOptions<Context>, 'methods' | 'envelope' | 'listed' | 'scopes'> & {
    readonly failures: Failures
    readonly hasDiscover: boolean
  },
): CallReader<Context> {
  const { failures, hasDiscover, listed, scopes } = options
  const requiredScopes = readRequiredScopes(options.methods)
  const [scoped] = requiredScopes.keys()
  if (scoped !== undefined && scopes === undefined)
    throw new TypeError(`The method "${scoped.name}" needs scopes: pass the option "scopes"`)
  const envelope = options.envelope ?? { idRequired: false }
  const readRequest = createReadRequest(envelope)
  const nullIsAbsent = envelope.nullIsAbsent !== false
  const methods = new Map(Object.values(options.methods).map((method) => [method.name, method]))
  if (hasDiscover && !methods.has(discoverMethod.name)) methods.set(discoverMethod.name, discoverMethod)

  return {
    read(item, rawId, context) {
      const request = readRequest(item, rawId)
      const { idText } = request
      if ('problem' in request) {
        const error = failureError(failures.invalidRequest, { detail: request.problem })
        return { idText, method: undefined, error }
      }
      const method = methods.get(request.method)
      if (method === undefined || !isListed(method, listed?.(context))) {
        const error = failureError(failures.methodNotFound, nameShown(request.method))
        return { idText, method, error }
      }
      const owned = requiredScopes.has(method) ? scopes?.(context) : undefined
      const missing = owned && requiredScopes.get(method)?.find((scope) => !owned.includes(scope))
      if (missing !== undefined) {
        const details = { detail: `the scope ${missing} is missing`, values: { scope: missing } }
        return { idText, method, error: failureError(failures.forbidden, details) }
      }
      if (method.notification && idText !== undefined) {
        const detail = 'this method is a notification and takes no id'
        return { idText, method, error: failureError(failures.invalidRequest, { detail }) }
      }
      if (idText === undefined && method.extensions['x-subscription'] !== undefined) {
        // The caller would never learn the id of the subscription.
        const detail = 'a call that subscribes needs an id'
        return { idText, method, error: failureError(failures.invalidRequest, { detail }) }
      }
      const given = request.params ?? (method.paramStructure === 'by-name' ? {} : [])
      const sent = nullIsAbsent && isList(given) ? withoutNulls(method, given) : given
      const problems = method.validateParams(sent)
      if (problems.length > 0) return { idText, method, error: invalidParams(failures, problems) }
      return { idText, method, params: prepared(method, isList(sent) ? sent : byPosition(method, sent)) }
    },
    identify(item, rawId) {
      const request = readRequest(item, rawId)
      const method = 'problem' in request ? undefined : methods.get(request.method)
      return { idText: idTextOf(request), method }
    },
  }
}

function isListed(method: MethodDescriptor, listed: readonly string[] | undefined): boolean {
  return listed === undefined || method === discoverMethod || listed.includes(method.name)
}

/** Maps each method with `x-scopes` to its required scopes. */
function readRequiredScopes(methods: Methods): ReadonlyMap<MethodDescriptor, readonly string[]> {
  return new Map(
    Object.values(methods).flatMap((method) => {
      const required = method.extensions['x-scopes']
      return Array.isArray(required) && required.length > 0 ? [[method, required.map(String)] as const] : []
    }),
  )
}

/** The name of an unknown method, for the message. A long name is cut. */
function nameShown(name: string): Pick<FailureDetails, 'detail' | 'values'> {
  const isShort = name.length <= longestNameShown
  const shown = isShort ? name : `${name.slice(0, longestNameShown)}…`
  // Programs look for a word in the place of the name.
  const word = shown === '' ? '(empty)' : shown.replaceAll(/\s/gu, encodeURIComponent)
  return isShort ? { detail: name, values: { method: word } } : { values: { method: word } }
}

/** Creates the error. Its message contains the first problem, because many clients show only the message. */
function invalidParams(
  { invalidParams: failure }: Failures,
  problems: readonly ValidationProblem[],
): RpcError {
  const [first] = problems
  const detail = first && `${first.path} ${first.message}`.trim()
  return failureError(failure, { data: shown(problems), ...(detail ? { detail } : {}) })
}

/** The first problems, with only the members that callers see. */
function shown(problems: readonly ValidationProblem[]) {
  return problems.slice(0, mostProblemsShown).map(({ path, rule, message }) => ({ path, rule, message }))
}

/** Converts named parameters to positional ones. */
function byPosition(method: MethodDescriptor, named: JsonObject): PositionalParams {
  return method.params.map(({ name }) => (Object.hasOwn(named, name) ? named[name] : undefined))
}

/** Replaces null by undefined for optional parameters without such a value; returns the same list when there are none. */
function withoutNulls({ params }: MethodDescriptor, sent: readonly JsonValue[]): PositionalParams {
  if (!sent.includes(null)) return sent
  return sent.map((value, position) => {
    const param = params[position]
    return value === null && param !== undefined && !param.required && !param.nullable ? undefined : value
  })
}

/** Adds defaults and removes ignored members; returns the same list when nothing changes. */
function prepared(method: MethodDescriptor, params: PositionalParams): PositionalParams {
  let changed: (JsonValue | undefined)[] | undefined
  const declared = method.params
  for (let position = 0; position < declared.length; position++) {
    const { default: preset, ignored } = declared[position] ?? {}
    const sent = params[position]
    const given = sent === undefined ? preset : sent
    const value = ignored === undefined ? given : withoutMembers(given, ignored)
    if (value === sent) continue
    changed ??= [...params]
    while (changed.length < position) changed.push(undefined)
    changed[position] = value
  }
  return changed ?? params
}

function withoutMembers(value: JsonValue | undefined, names: readonly string[]): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (!names.some((name) => Object.hasOwn(value, name))) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

function isList<List extends PositionalParams>(params: List | JsonObject): params is List {
  return Array.isArray(params)
}
