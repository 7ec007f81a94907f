import { rawIds } from '@concordat/rpc'
import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
  valueAt,
} from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { Problem } from '../../expect/schema-check.js'
import { count, cut, describe, describeMember, type Finding } from '../../report/index.js'
import type { SentCall } from '../../requests/build-request.js'
import type { Expectation } from '../../scenario/scenario.js'
import { isConnectionUrl } from '../../send/connection-url.js'
import { utf8Text } from '../../send/decode-body.js'
import { errorCodeOf } from '../../send/limit-errors.js'
import { describeNoJson, type ReplyView } from '../../send/reply-view.js'
import type { AnswerRecord } from './answer-record.js'

/** A finding of an automatic check, with the name of the check. */
export interface AutomaticFinding extends Finding {
  readonly check: 'body' | 'envelope' | 'id' | 'status' | 'result' | 'error' | 'subscription'
  /** The method of the answer, if the rule depends on it. */
  readonly method?: string | undefined
  /** JSON pointer of the rule in the contract. */
  readonly place?: string | undefined
}

/**
 * Checks that apply to every answer, without being stated in a step. They require JSON in the contract's
 * envelope, an id equal byte for byte, a result that fits the schema, and a declared error. An expected id, status or body
 * of the step replaces the automatic check.
 */
export function automaticFindings({
  request: { calls, outgoing },
  isBatch,
  view,
  expect: expectation,
  checks,
}: AnswerRecord): readonly AutomaticFinding[] {
  const { json } = view
  if (calls === undefined) {
    if (expectation.body !== undefined || (view.text === '' && mayBeEmpty(outgoing.verb, view))) return []
  }
  const isConnection = isConnectionUrl(outgoing.url)
  if (json === undefined) return [noJson(view, isConnection)]
  const context = { view, expectation, checks, isConnection }
  if (calls === undefined) {
    const answers = isArray(json) ? json : [json]
    const at = (index: number) => (isArray(json) ? `/items/${index}` : '')
    const findings = answers.flatMap((answer, index) => answerFindings(answer, undefined, at(index), checks))
    const id = findings.length === 0 && expectation.id === undefined ? rawIdFinding(outgoing.body, view) : []
    return [...findings, ...id, ...errorStatusFinding(json, context)]
  }
  if (isBatch && !speaksOfOneAnswer(expectation)) return batchFindings(json, calls, context)
  return singleFindings(json, isBatch ? undefined : calls[0], context)
}

interface Context {
  readonly view: ReplyView
  readonly expectation: Expectation
  readonly checks: Checks
  /** True for a connection without HTTP, whose answers have no status. */
  readonly isConnection: boolean
}

/** HTTP sends no body in response to HEAD. Responses to OPTIONS and with status 204 or 304 may have none. */
function mayBeEmpty(verb: string, { status }: ReplyView): boolean {
  return verb === 'HEAD' || verb === 'OPTIONS' || status === 204 || status === 304
}

/** A server answers a batch that it refuses as a whole with a single object. */
function speaksOfOneAnswer({ error, result, id }: Expectation): boolean {
  return error !== undefined || result !== undefined || id !== undefined
}

function noJson({ text, status }: ReplyView, isConnection: boolean): AutomaticFinding {
  const words = describeNoJson(text, describe)
  const got = isConnection ? words : `HTTP ${status} with ${words}`
  return { check: 'body', where: 'body', expected: 'a JSON-RPC answer', got }
}

function singleFindings(
  json: JsonValue,
  call: SentCall | undefined,
  context: Context,
): readonly AutomaticFinding[] {
  const { view, expectation, checks } = context
  const findings = answerFindings(json, call, '', checks)
  if (findings.some(({ check }) => check === 'envelope')) return findings
  const isChecked = call !== undefined && expectation.id === undefined && !isRefusedUnread(view)
  const id = isChecked ? idFinding(call.id, view.ids[0], '/id') : []
  const ok = isObject(json) && member(json, 'result') !== undefined
  const status = ok ? statusFinding(view, expectation) : errorStatusFinding(json, context)
  return [...findings, ...id, ...status]
}

/**
 * An unauthorized request may be answered with the id null, because its body need not be read (RFC 9110, 15.5.2,
 * 15.5.4).
 */
const isRefusedUnread = ({ status, ids: [id] }: ReplyView): boolean =>
  (status === 401 || status === 403) && id === 'null'

function batchFindings(
  json: JsonValue,
  calls: readonly SentCall[],
  { view, expectation, checks }: Context,
): readonly AutomaticFinding[] {
  const expected = `a list of ${count(calls.length)} answers, one per call`
  if (!isArray(json)) return [{ check: 'envelope', where: 'body', expected, got: describe(json) }]
  const length: AutomaticFinding[] =
    json.length === calls.length
      ? []
      : [{ check: 'envelope', where: 'body', expected, got: `${count(json.length)} answers` }]
  const each = json.flatMap((answer, index) => {
    const call = calls[index]
    const findings = answerFindings(answer, call, `/items/${index}`, checks)
    if (call === undefined || findings.some(({ check }) => check === 'envelope')) return findings
    return [...findings, ...idFinding(call.id, view.ids[index], `/items/${index}/id`)]
  })
  return [...length, ...each, ...statusFinding(view, expectation)]
}

/** Some clients ignore the body unless the HTTP status is 200. */
function statusFinding({ status }: ReplyView, expectation: Expectation): readonly AutomaticFinding[] {
  if (status === 200 || expectation.status !== undefined) return []
  return [{ check: 'status', where: 'status', expected: '200 with a result', got: String(status) }]
}

/** A single error must have one of the HTTP statuses that the contract declares for its code. */
function errorStatusFinding(
  json: JsonValue,
  { view, expectation, checks, isConnection }: Context,
): readonly AutomaticFinding[] {
  const code = errorCodeOf(json)
  if (code === undefined || expectation.status !== undefined || isConnection) return []
  const statuses = checks.errorStatuses(code)
  if (statuses === undefined || statuses.has(view.status)) return []
  const expected = `${[...statuses].join(' or ')} with error ${code}`
  return [{ check: 'error', where: 'status', expected, got: String(view.status) }]
}

function idFinding(sent: string, came: string | undefined, where: string): readonly AutomaticFinding[] {
  if (came === sent) return []
  return [{ check: 'id', where, expected: `${cut(sent)}, as it was sent`, got: cut(came ?? 'absent') }]
}

/** Raw bytes that are a request are answered with its id, or with null if the server did not read them. */
function rawIdFinding(body: Uint8Array | undefined, view: ReplyView): readonly AutomaticFinding[] {
  const text = body && utf8Text(body)
  const sent = parseJson(text ?? '')
  const isRequest = isObject(sent) && member(sent, 'jsonrpc') === '2.0' && isText(member(sent, 'method'))
  const hasId = isRequest && ['string', 'number'].includes(typeof member(sent, 'id'))
  const [id] = hasId && text !== undefined ? rawIds(text) : []
  const [came] = view.ids
  if (id === undefined || isArray(view.json ?? null) || came === id || came === 'null') return []
  return [
    {
      check: 'id',
      where: '/id',
      expected: `${cut(id)}, as it was sent, or null`,
      got: cut(came ?? 'absent'),
    },
  ]
}

const isText = (value: JsonValue | undefined) => typeof value === 'string'

/** Checks the envelope, then the result or the error, of one answer. */
export function answerFindings(
  answer: JsonValue,
  call: SentCall | undefined,
  at: string,
  checks: Checks,
): readonly AutomaticFinding[] {
  const envelope = checks.envelope(answer)
  if (envelope.length > 0 || !isObject(answer)) {
    return envelope.map((problem) => finding('envelope', problem, answer, at, undefined))
  }
  const error = member(answer, 'error')
  if (error !== undefined) {
    return checks
      .error(call?.method, error)
      .map((problem) => finding('error', problem, error, `${at}/error`, call?.method))
  }
  const result = member(answer, 'result')
  if (call === undefined || result === undefined) return []
  return checks
    .result(call.method, positional(call.params), result)
    .map((problem) => finding('result', problem, result, `${at}/result`, call.method))
}

function positional(params: JsonValue | undefined): readonly JsonValue[] | JsonObject {
  return isArray(params) || isObject(params) ? params : []
}

function finding(
  check: AutomaticFinding['check'],
  { path, message, member: name, place }: Problem,
  value: JsonValue,
  at: string,
  method: string | undefined,
): AutomaticFinding {
  const tokens = path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
  const part = valueAt(value, tokens)
  const got = name === undefined ? describe(part) : describeMember(part, name)
  return { check, where: `${at}${path}` || 'body', expected: message, got, method, place }
}
