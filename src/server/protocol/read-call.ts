import {
  createReadRequest,
  type EnvelopeRules,
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
import type { PositionalParams } from './protocol-options.js'

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
export interface CallReader {
  /**
   * Checks a request: envelope, method, parameters (JSON-RPC 2.0, section 4; specification 2.2).
   * @param listed names of the methods that exist for the caller; all methods by default
   */
  read(item: JsonValue, rawId: RawId, listed?: readonly string[]): ValidCall | InvalidCall
  /** Reads only the id and the method of a request, if they are readable. */
  identify(item: JsonValue, rawId: RawId): Omit<InvalidCall, 'error'>
}

const longestNameShown = 64
const mostProblemsShown = 16

/**
 * Creates the reader of a contract's requests.
 * @param options.hasDiscover true if the server answers `rpc.discover`, unless the contract declares it
 */
export function createCallReader(options: {
  readonly methods: Readonly<Record<string, MethodDescriptor>>
  readonly envelope: EnvelopeRules | undefined
  readonly failures: Failures
  readonly hasDiscover: boolean
}): CallReader {
  const { failures, hasDiscover } = options
  const envelope = options.envelope ?? { idRequired: false }
  const readRequest = createReadRequest(envelope)
  const nullIsAbsent = envelope.nullIsAbsent !== false
  const methods = new Map(Object.values(options.methods).map((method) => [method.name, method]))
  if (hasDiscover && !methods.has(discoverMethod.name)) methods.set(discoverMethod.name, discoverMethod)

  return {
    read(item, rawId, listed) {
      const request = readRequest(item, rawId)
      const { idText } = request
      if ('problem' in request) {
        const error = failureError(failures.invalidRequest, { detail: request.problem })
        return { idText, method: undefined, error }
      }
      const method = methods.get(request.method)
      if (method === undefined || (listed !== undefined && !isListed(listed, method))) {
        const error = failureError(failures.methodNotFound, nameShown(request.method))
        return { idText, method, error }
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

function isListed(listed: readonly string[], method: MethodDescriptor): boolean {
  return method === discoverMethod || listed.includes(method.name)
}

/** The name of an unknown method, for the message. A long name is cut. */
function nameShown(name: string): Pick<FailureDetails, 'detail' | 'values'> {
  const isShort = name.length <= longestNameShown
  const values = { method: isShort ? name : `${name.slice(0, longestNameShown)}…` }
  return isShort ? { detail: name, values } : { values }
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
