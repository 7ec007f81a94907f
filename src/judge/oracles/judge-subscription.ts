import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '../../toolkit/contract/index.js'
import type { Checks } from '../checks/checks.js'
import { cut, describe } from '../report/index.js'
import { ownIds } from '../send/connection-attempt.js'
import type { Outgoing, Reply } from '../send/exchange.js'
import { type AutomaticFinding, answerFindings } from './automatic-checks.js'

/** Result of judging a subscription. */
export interface SubscriptionJudgement {
  readonly findings: readonly AutomaticFinding[]
  /** True if the server sent neither an item nor the end notification. */
  readonly isSilent: boolean
}

/**
 * Judges the messages of a subscription. Every item must arrive after the subscription id and before the response to
 * the unsubscribe call, carry the id, and match the parameter schemas of the notification.
 */
export function judgeSubscription(
  { subscription }: Outgoing,
  { messages = [] }: Reply,
  checks: Checks,
): SubscriptionJudgement {
  if (subscription === undefined || messages.length === 0) return { findings: [], isSilent: false }
  const { notification, end, unsubscribe } = subscription
  const all = messages.map((text) => parseJson(text))
  const names = all.map((message) => (isObject(message) ? member(message, 'method') : undefined))
  const [answeredAt = -1, endedAt = -1] = names.flatMap((name, at) => (name === undefined ? [at] : []))
  const answer = all[answeredAt]
  const id = (isObject(answer) ? member(answer, 'result') : undefined) ?? null
  const items = all.flatMap((message, at) => {
    if (!isObject(message) || names[at] !== notification) return []
    const where = `/messages/${at}`
    if (at > answeredAt && at < endedAt) return itemFindings(message, id, where, checks)
    const got = at < answeredAt ? 'an item before the id' : 'an item after the end'
    return [finding(where, 'items between the answers to subscribe and unsubscribe', got)]
  })
  const unsubscribed = unsubscribeFindings(
    all[endedAt] ?? null,
    [id],
    unsubscribe,
    `/messages/${endedAt}`,
    checks,
  )
  const isSilent = !names.some((name) => name !== undefined && (name === notification || name === end))
  return { findings: [...items, ...unsubscribed], isSilent }
}

function finding(where: string, expected: string, got: string): AutomaticFinding {
  return { check: 'subscription', where, expected, got }
}

function itemFindings(
  message: JsonObject,
  id: JsonValue,
  at: string,
  checks: Checks,
): readonly AutomaticFinding[] {
  const params = member(message, 'params')
  const version = member(message, 'jsonrpc')
  const ownId = member(message, 'id')
  const sent = isArray(params) ? params.slice(0, 1) : isObject(params) ? Object.values(params) : []
  const wanted = JSON.stringify(id)
  return [
    ...(version === '2.0' ? [] : [finding(`${at}/jsonrpc`, '"2.0"', describe(version))]),
    ...(ownId === undefined ? [] : [finding(`${at}/id`, 'a notification without an id', describe(ownId))]),
    ...(sent.some((value) => JSON.stringify(value) === wanted)
      ? []
      : [finding(`${at}/params`, `the id ${cut(wanted)} of the subscription`, describe(params))]),
    ...checks
      .params(String(member(message, 'method')), params)
      .map(({ path, message: expected }) => finding(`${at}/params${path}`, expected, describe(params))),
  ]
}

function unsubscribeFindings(
  answer: JsonValue,
  params: readonly JsonValue[],
  method: string,
  at: string,
  checks: Checks,
): readonly AutomaticFinding[] {
  const sent = ownIds.unsubscribe
  const findings = answerFindings(answer, { method, params, id: String(sent) }, at, checks)
  const id = isObject(answer) ? member(answer, 'id') : undefined
  if (id === sent) return findings
  return [
    ...findings,
    { check: 'id', where: `${at}/id`, expected: `${sent}, as it was sent`, got: describe(id) },
  ]
}
