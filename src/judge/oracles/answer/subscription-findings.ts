import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  parseJson,
} from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import { cut, describe } from '../../report/index.js'
import { ownIds } from '../../send/connection-attempt.js'
import type { Reply, SubscriptionMethods } from '../../send/exchange.js'
import type { AnswerRecord } from './answer-record.js'
import { type AutomaticFinding, answerFindings } from './automatic-checks.js'

/**
 * Judges the messages of a subscription. Every item must arrive after the subscription id and before the response to
 * the unsubscribe call, carry the id, and match the parameter schemas of the notification.
 */
export function subscriptionFindings(
  { notification, unsubscribe }: SubscriptionMethods,
  { reply: { messages = [] }, checks }: AnswerRecord,
): readonly AutomaticFinding[] {
  if (messages.length === 0) return []
  const all = messages.map((text) => parseJson(text))
  const names = all.map(methodOf)
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
  const where = `/messages/${endedAt}`
  return [...items, ...unsubscribeFindings(all[endedAt] ?? null, [id], unsubscribe, where, checks)]
}

/** True if a server sent neither an item of a subscription nor the notification of its end. */
export function isSilent({ notification, end }: SubscriptionMethods, { messages = [] }: Reply): boolean {
  const names = messages.map((text) => methodOf(parseJson(text)))
  return (
    messages.length > 0 &&
    !names.some((name) => name === notification || (name !== undefined && name === end))
  )
}

function methodOf(message: JsonValue | undefined): JsonValue | undefined {
  return isObject(message) ? member(message, 'method') : undefined
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
