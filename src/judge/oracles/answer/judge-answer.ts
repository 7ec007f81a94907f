import { isArray, isObject, member } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { methodsIn } from '../../checks/listed-members.js'
import { deviationOf } from '../../expect/deviation.js'
import { inCallOrder } from '../../expect/in-call-order.js'
import {
  completeAnswer,
  describe,
  type Finding,
  type TransportTrouble,
  type ViolatedRule,
} from '../../report/index.js'
import type { Request } from '../../requests/build-request.js'
import type { Expectation, Tolerance } from '../../scenario/scenario.js'
import { isConnectionUrl } from '../../send/connection-url.js'
import { type Exchange, isUnanswered } from '../../send/exchange.js'
import { errorCodeOf, type LimitErrors } from '../../send/limit-errors.js'
import { type ReplyView, replyView } from '../../send/reply-view.js'
import { sendDefaults } from '../../send/send-defaults.js'
import { runDefaults } from '../../terms/run-defaults.js'
import { contractOracles, statedOracles } from '../oracles.js'
import type { AutomaticFinding } from './automatic-checks.js'
import { causeOf, isCause, tellsMore } from './cause.js'
import { isSilent } from './subscription-findings.js'
import { violatedRule } from './violated-rule.js'

/** Result of judging one answer. */
export type Judgement =
  | { readonly kind: 'pass'; readonly view: ReplyView }
  | {
      readonly kind: 'tolerated'
      readonly view: ReplyView
      readonly reason: string
      readonly dependsOn: Tolerance['dependsOn']
      /** By how much the answer deviates. */
      readonly deviation: string
      /** True for the deviation that a mistake of the service would give. */
      readonly isSuspect: boolean
    }
  | { readonly kind: 'no-answer'; readonly trouble: TransportTrouble }
  /** The rate limit is exhausted, and the step does not test the limit. */
  | { readonly kind: 'limited' }
  /** The answer proves nothing about the step. */
  | { readonly kind: 'inconclusive'; readonly reason: string }
  | {
      readonly kind: 'fail'
      readonly view: ReplyView | undefined
      readonly findings: readonly Finding[]
      readonly cause: string
      /** Set if a rule for every answer is the cause. */
      readonly violated?: ViolatedRule | undefined
      /** True when an automatic check failed, whatever the step expected. */
      readonly breaksContract: boolean
    }

/** Criteria for judging an answer, with variables filled in. */
export interface Terms {
  readonly expect: Expectation
  readonly tolerate: readonly Tolerance[]
  readonly inconclusive: readonly Tolerance[]
  readonly isBatch: boolean
  readonly rules: readonly string[]
  readonly checks: Checks
  /** Rate-limit errors. Undefined if the contract states no HTTP statuses for errors. */
  readonly limitErrors: LimitErrors | undefined
  /** Replaces every secret in a text. */
  readonly redact: (text: string) => string
}

/**
 * Judges one exchange. The order is transport, automatic checks and expectation, then tolerated and
 * inconclusive alternatives.
 */
export function judgeAnswer(request: Request, exchange: Exchange, terms: Terms): Judgement {
  const { reply, trouble } = exchange
  if (trouble !== undefined && isUnanswered(trouble)) return { kind: 'no-answer', trouble }
  if (reply === undefined) {
    const got = trouble?.message ?? 'nothing'
    return {
      kind: 'fail',
      view: undefined,
      findings: [{ where: 'transport', expected: 'a complete answer', got }],
      cause: `transport ${trouble?.kind ?? 'other'}`,
      violated: completeAnswer,
      breaksContract: true,
    }
  }
  const { listed } = terms.checks
  const methods = listed === undefined ? [] : methodsIn(request.outgoing.body)
  const parsed = replyView(reply)
  const ids = (terms.isBatch && !terms.checks.areBatchesOrdered && request.calls?.map(({ id }) => id)) || []
  const received = ids.length === 0 ? parsed : inCallOrder(parsed, ids)
  const view = listed?.view(received, methods) ?? received
  const { isBatch, checks } = terms
  const record = { request, reply, view, milliseconds: exchange.milliseconds, isBatch, checks }
  const judged = judgedBy(terms.expect)
  if (judged.findings.length === 0) {
    const { subscription } = request.outgoing
    const hasNoItem = subscription !== undefined && isSilent(subscription, reply)
    return hasNoItem ? { kind: 'inconclusive', reason: NO_ITEM } : { kind: 'pass', view }
  }
  if (isLimited(request, view, terms)) return { kind: 'limited' }
  if (isUnavailable(request, view)) return { kind: 'inconclusive', reason: UNAVAILABLE }
  for (const { expect, reason, dependsOn, suspect } of terms.tolerate) {
    if (judgedBy(expect).findings.length > 0) continue
    const deviation = deviationOf(terms.expect, view, judged.findings)
    const isSuspect = suspect !== undefined && judgedBy(suspect).findings.length === 0
    return { kind: 'tolerated', view, reason, dependsOn, deviation, isSuspect }
  }
  for (const { expect, reason } of terms.inconclusive) {
    if (judgedBy(expect).findings.length === 0) return { kind: 'inconclusive', reason }
  }
  const scopes = scopesFinding(request, view, terms)
  if (scopes !== undefined) {
    return { kind: 'fail', view, findings: [scopes], cause: SCOPES, breaksContract: false }
  }
  return { kind: 'fail', view, ...judged }

  function judgedBy(stated: Expectation) {
    const expect = withoutStatus(listed?.expectation(stated, methods) ?? stated, request)
    const automatic = contractOracles.flatMap((oracle) => oracle({ ...record, expect }))
    const mismatches = statedOracles.flatMap((oracle) => oracle({ ...record, expect }))
    if (automatic.length + mismatches.length === 0) return followed
    // Without JSON, findings about the body only repeat that the body is unreadable.
    const isUnreadable = automatic.some(({ check }) => check === 'body')
    const telling = isUnreadable ? mismatches.filter(isOfHttp) : mismatches
    const findings = [
      ...automatic.filter(tellsMore).map(plain),
      ...telling,
      ...automatic.filter((finding) => !tellsMore(finding)).map(plain),
    ]
    return {
      findings: distinct(findings).slice(0, runDefaults.findingsOfAnAnswer),
      cause: causeOf(automatic, mismatches, terms.rules, terms.redact) ?? '',
      violated: decidingCheck(automatic, mismatches),
      breaksContract: automatic.length > 0,
    }
  }
}

/** The judgement of an answer without findings. */
const followed = { findings: [], cause: '', violated: undefined, breaksContract: false }

/** Returns the rule of the automatic check that is the cause of a failure, if one is. */
function decidingCheck(
  [broken]: readonly AutomaticFinding[],
  stated: readonly Finding[],
): ViolatedRule | undefined {
  return broken !== undefined && isCause(broken, stated)
    ? { ...violatedRule(broken), isAlone: stated.length === 0 }
    : undefined
}

const NO_ITEM = `the subscription sent no item within ${sendDefaults.itemMilliseconds / 1_000} s`

/** Removes the expected HTTP status over a connection without HTTP, which has none. */
function withoutStatus(expectation: Expectation, { outgoing }: Request): Expectation {
  if (!isConnectionUrl(outgoing.url)) return expectation
  const { status: _, ...rest } = expectation
  return rest
}

/**
 * A limit can also be exhausted in the middle of a batch. Then the HTTP status is 200 and single items carry
 * the error. Over a connection without HTTP, the error is all there is.
 */
function isLimited(
  { outgoing }: Request,
  { status, json }: ReplyView,
  { expect, limitErrors }: Terms,
): boolean {
  if (outgoing.expectsLimit === true || outgoing.effect === 'spends-quota') return false
  const codes = (isArray(json) ? json : [json]).map(errorCodeOf)
  if (status === 429) {
    // A 429 from a proxy carries no JSON-RPC error.
    return limitErrors === undefined || codes[0] === undefined || limitErrors.has(codes[0])
  }
  if (!isArray(json) && !isConnectionUrl(outgoing.url)) return false
  const stated = JSON.stringify(expect)
  // The code of a limit may have other meanings. An item with a code that the case states is no sign of a limit.
  const refused = codes.filter(
    (code) =>
      code !== undefined &&
      limitErrors?.has(code) === true &&
      !new RegExp(`"code":${code}(?!\\d)`).test(stated),
  )
  // A stated error that another one replaces is a fault, unless the service asks to wait.
  const isStated = stated.includes('"error"')
  return refused.some((code) => !isStated || limitErrors?.get(code ?? 0) !== undefined)
}

/** A proxy that cannot reach the service answers HTTP 503 without JSON-RPC. */
const UNAVAILABLE =
  'HTTP 503 without a JSON-RPC answer: a proxy in front of the service got no answer from it'

function isUnavailable({ outgoing }: Request, { status, json }: ReplyView): boolean {
  if (status !== 503 || outgoing.expectsLimit === true) return false
  return !isArray(json) && errorCodeOf(json) === undefined
}

const SCOPES = 'the caller lacks a scope'

/** Finds a refusal for a scope that the caller lacks. The step cannot be judged then. */
function scopesFinding({ calls = [] }: Request, { json }: ReplyView, { checks }: Terms): Finding | undefined {
  const answers = isArray(json) ? json : [json]
  for (const [at, answer] of answers.entries()) {
    const method = calls[at]?.method
    const scopes = method === undefined ? [] : checks.refusedScopes(method, errorCodeOf(answer))
    if (method === undefined || scopes.length === 0) continue
    const expected = `a caller with the scopes of ${method}: ${scopes.join(', ')} (--header can send its token)`
    const got = describe(isObject(answer) ? member(answer, 'error') : undefined)
    return { where: 'scopes', expected, got }
  }
  return undefined
}

function plain({ where, expected, got }: Finding): Finding {
  return { where, expected, got }
}

function isOfHttp({ where }: Finding): boolean {
  return where === 'status' || where.startsWith('header ')
}

function distinct(findings: readonly Finding[]): readonly Finding[] {
  const seen = new Set<string>()
  return findings.filter((finding) => {
    const text = JSON.stringify([finding.where, finding.expected, finding.got])
    return !seen.has(text) && seen.add(text)
  })
}
