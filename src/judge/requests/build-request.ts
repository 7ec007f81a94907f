import { isArray, isObject, type JsonValue, parseJson } from '../../toolkit/contract/index.js'
import { cut } from '../report/index.js'
import { fill, fillText, type Variables } from '../scenario/fill.js'
import type { BatchStep, CallStep, CallTemplate, RawPart, RawStep, Scenario } from '../scenario/scenario.js'
import { ScenarioRunError } from '../scenario/scenario-run-error.js'
import type { Outgoing, SubscriptionMethods } from '../send/exchange.js'
import type { Target } from '../send/target.js'

/** A call after variables were filled in. */
export interface SentCall {
  readonly method: string
  readonly params: JsonValue | undefined
  /** The id as JSON text. */
  readonly id: string
}

/** A request and the calls in it. */
export interface Request {
  readonly outgoing: Outgoing
  /** Calls in order; undefined for raw bytes. */
  readonly calls: readonly SentCall[] | undefined
}

/** Context for building requests. */
export interface RequestContext {
  readonly target: Target
  /** Returns the next request id of the run. */
  readonly nextId: () => number
  /** The subscriptions of the contract, by the method that subscribes. Over HTTP, there are none. */
  readonly subscriptions?: ReadonlyMap<string, SubscriptionMethods> | undefined
  /** Scenario that sends the requests; safe mode depends on it. */
  readonly owner: Pick<Scenario, 'builtIn' | 'effect'> & Pick<Outgoing, 'isOfRun' | 'session'>
}

/** Requests that end a subscription: the unsubscribe call, and one more to receive late items. */
const requestsToEnd = 2

/** Upper bound in bytes for a body. A larger body is a mistake in `times`. */
const LARGEST_BODY = 256 * 1024 * 1024

/** Upper bound for the calls of a batch. A larger batch is a mistake in `times`. */
const MOST_CALLS = 100_000

/**
 * Builds the request of a step and fills in its variables.
 * @param expectsLimit true when the step expects a rate-limit answer, so the sender does not wait and retry
 * @throws ScenarioRunError for unknown variables and unusable values
 */
export function buildRequest(
  step: CallStep | BatchStep | RawStep,
  variables: Variables,
  context: RequestContext,
  expectsLimit: boolean,
): Request {
  const calls = callsOf(step, variables, context.nextId)
  const { body, pauses } =
    step.kind === 'raw'
      ? rawBody(step.body, variables)
      : { body: callBody(step.kind, calls ?? []), pauses: [] }
  const { builtIn, effect, isOfRun, session } = context.owner
  const subscription = step.kind === 'call' ? context.subscriptions?.get(calls?.[0]?.method ?? '') : undefined
  return {
    calls,
    outgoing: {
      verb: step.verb ?? 'POST',
      url: context.target.urlFor({
        ...(step.path === undefined ? {} : { path: fillText(step.path, variables) }),
        ...(step.key === undefined ? {} : { key: keyOf(step.key, variables) }),
      }),
      headers: headersOf(step.headers, body !== undefined, variables),
      body,
      methods: calls?.map(({ method }) => method),
      billed:
        step.kind === 'raw' ? billedOf(body) : (calls?.length ?? 1) + (subscription ? requestsToEnd : 0),
      builtIn,
      effect,
      expectsLimit,
      ...(isOfRun === true && { isOfRun }),
      ...(session !== undefined && { session }),
      ...(pauses.length > 0 && { pauses }),
      ...(subscription && { subscription }),
    },
  }
}

function callsOf(
  step: CallStep | BatchStep | RawStep,
  variables: Variables,
  nextId: () => number,
): readonly SentCall[] | undefined {
  if (step.kind === 'raw') return undefined
  const call = ({ method, params, id }: CallTemplate): SentCall => ({
    method: fillText(method, variables),
    params: params === undefined ? undefined : fill(params, variables),
    id: id === undefined ? String(nextId()) : idText(fillText(id, variables)),
  })
  if (step.kind === 'call') return [call(step.call)]
  let count = 0
  return step.items.flatMap((item) => {
    const times = item.times === undefined ? 1 : countOf(item.times, variables)
    count += times
    if (count > MOST_CALLS) throw new ScenarioRunError(`the batch has more than ${MOST_CALLS} calls`)
    return Array.from({ length: times }, () => call(item))
  })
}

/** Ids may contain values captured from answers. A captured value must not turn one call into several. */
function idText(text: string): string {
  const id = parseJson(text)
  if (id !== undefined && !isArray(id) && !isObject(id)) return text
  throw new ScenarioRunError(`the id ${cut(text, 80)} is not the JSON text of a string, a number or null`)
}

/**
 * Fills in a template that must give a count.
 * @throws ScenarioRunError for anything but a safe integer from 0
 */
export function countOf(template: JsonValue, variables: Variables): number {
  const filled = fill(template, variables)
  const number = typeof filled === 'string' ? Number(filled) : filled
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw new ScenarioRunError(
    `${JSON.stringify(template)} is ${JSON.stringify(filled)}, which is not a number of repetitions`,
  )
}

function callBody(kind: 'call' | 'batch' | 'raw', calls: readonly SentCall[]): Uint8Array {
  const texts = calls.map((call) => callText(call).toString())
  return Buffer.from(kind === 'batch' ? `[${texts.join(',')}]` : texts.join(''))
}

/** JSON text of a call. */
export function callText({ method, params, id }: SentCall): Buffer {
  const rest = params === undefined ? '' : `,"params":${JSON.stringify(params)}`
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${rest}}`)
}

/** Bytes of a raw body, and the offsets at which sending pauses. */
function rawBody(
  parts: readonly RawPart[],
  variables: Variables,
): { readonly body: Uint8Array | undefined; readonly pauses: NonNullable<Outgoing['pauses']> } {
  if (parts.length === 0) return { body: undefined, pauses: [] }
  const pauses: { at: number; milliseconds: number }[] = []
  let size = 0
  const bounded = (bytes: number) => {
    size += bytes
    if (size > LARGEST_BODY) throw new ScenarioRunError(`the body is larger than ${LARGEST_BODY} bytes`)
  }
  const chunks: Buffer[] = []
  for (const part of parts) {
    if ('pause' in part) {
      const at = chunks.reduce((sum, { length }) => sum + length, 0)
      pauses.push({ at, milliseconds: secondsOf(part.pause, variables) * 1000 })
    } else chunks.push(bytesOf(part))
  }
  return { body: Buffer.concat(chunks), pauses }

  function bytesOf(part: Exclude<RawPart, { pause: unknown }>): Buffer {
    if ('hex' in part) return Buffer.from(part.hex, 'hex')
    if ('text' in part) return Buffer.from(fillText(part.text, variables))
    const text = fillText(part.repeat, variables)
    const times = countOf(part.times, variables)
    bounded(Buffer.byteLength(text) * times)
    return Buffer.from(text.repeat(times))
  }
}

/** Upper bound for a pause within a body. Servers and proxies time out earlier. */
const LONGEST_PAUSE_SECONDS = 600

function secondsOf(template: JsonValue, variables: Variables): number {
  const seconds = Number(fill(template, variables))
  if (seconds > 0 && seconds <= LONGEST_PAUSE_SECONDS) return seconds
  throw new ScenarioRunError(
    `${JSON.stringify(template)} is not a number of seconds up to ${LONGEST_PAUSE_SECONDS}`,
  )
}

/** A raw batch is billed per item; any other raw body as one request. */
function billedOf(body: Uint8Array | undefined): number {
  const value = parseJson(Buffer.from(body ?? []).toString())
  return isArray(value) ? Math.max(1, value.length) : 1
}

function headersOf(
  stated: Readonly<Record<string, string | null>>,
  hasBody: boolean,
  variables: Variables,
): Readonly<Record<string, string>> {
  const headers = new Map(hasBody ? [['content-type', 'application/json']] : [])
  for (const [name, value] of Object.entries(stated)) {
    if (value === null) headers.delete(name.toLowerCase())
    else headers.set(name.toLowerCase(), fillText(value, variables))
  }
  return Object.fromEntries(headers)
}

function keyOf(
  key: Exclude<CallStep['key'], undefined>,
  variables: Variables,
): Exclude<CallStep['key'], undefined> {
  return typeof key === 'string' ? key : { literal: fillText(key.literal, variables) }
}
