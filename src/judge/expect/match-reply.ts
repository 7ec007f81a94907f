import {
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  joinPointer,
  member,
} from '../../toolkit/contract/index.js'
import { count, cut, describe, describeList, type Finding } from '../report/index.js'
import type { Expectation } from '../scenario/scenario.js'
import { describeNoJson, type ReplyView } from '../send/reply-view.js'
import { matchValue } from './match-value.js'
import { describeMatcher } from './matcher.js'
import type { SchemaCheck } from './schema-check.js'

/**
 * Compares a response with an expectation whose variables are filled in. Parts without an expectation are
 * ignored.
 * @returns the differences; empty if everything matches
 */
export function matchReply(expectation: Expectation, reply: ReplyView, schemas: SchemaCheck): Finding[] {
  const { status, headers, items, body } = expectation
  const findings: Finding[] = []
  if (status !== undefined) findings.push(...matchValue(status, reply.status, 'status', schemas))
  for (const [name, expected] of Object.entries(headers ?? {})) {
    const value = member(reply.headers, name.toLowerCase())
    findings.push(...matchValue(expected, value, `header ${name}`, schemas))
  }
  const answer: Answer = { body: bodyOf(reply), id: reply.ids[0], where: '' }
  findings.push(...matchAnswer(expectation, answer, schemas))
  if (items !== undefined) findings.push(...matchItems(items, reply, schemas))
  if (body !== undefined) findings.push(...matchBody(body, reply, schemas))
  return findings
}

/** One response: that of a call, or an item of a batch response. */
interface Answer {
  /** The parsed body, or a description if it is not JSON. */
  readonly body: { readonly json: JsonValue } | { readonly words: string }
  readonly id: string | undefined
  /** JSON pointer of the response in the body. */
  readonly where: string
}

function bodyOf(reply: ReplyView): Answer['body'] {
  if (reply.json !== undefined) return { json: reply.json }
  return { words: describeNoJson(reply.text, describe) }
}

/** Compares id, result and error of one response. */
function matchAnswer(expectation: Expectation, answer: Answer, schemas: SchemaCheck): readonly Finding[] {
  const { result, error, id } = expectation
  const object = 'json' in answer.body && isObject(answer.body.json) ? answer.body.json : undefined
  const findings: Finding[] = []
  if (id !== undefined && (object === undefined || answer.id !== id)) {
    const came = object === undefined ? wordsOf(answer) : (answer.id ?? 'no id member')
    findings.push({ where: `${answer.where}/id`, expected: cut(id), got: cut(came) })
  }
  if (result !== undefined) findings.push(...matchResult(result, object, answer, schemas))
  if (error !== undefined) findings.push(...matchError(error, object, answer, schemas))
  return findings
}

function matchResult(
  expected: JsonValue,
  object: JsonObject | undefined,
  answer: Answer,
  schemas: SchemaCheck,
): readonly Finding[] {
  const where = `${answer.where}/result`
  if (object !== undefined && !isError(object)) {
    return matchValue(expected, member(object, 'result'), where, schemas)
  }
  return [{ where, expected: describeMatcher(expected), got: wordsOf(answer) }]
}

function matchError(
  expected: NonNullable<Expectation['error']>,
  object: JsonObject | undefined,
  answer: Answer,
  schemas: SchemaCheck,
): readonly Finding[] {
  const where = `${answer.where}/error`
  const error = object === undefined ? undefined : member(object, 'error')
  if (!isObject(error)) return [{ where, expected: errorText(expected), got: wordsOf(answer) }]
  const findings: Finding[] = []
  for (const name of ['code', 'message', 'data'] as const) {
    const matcher = expected[name]
    if (matcher !== undefined)
      findings.push(...matchValue(matcher, member(error, name), `${where}/${name}`, schemas))
  }
  return findings
}

function matchItems(
  items: readonly Expectation[],
  reply: ReplyView,
  schemas: SchemaCheck,
): readonly Finding[] {
  const where = '/items'
  const { json } = reply
  const expected = `${count(items.length)} ${items.length === 1 ? 'answer' : 'answers'}`
  if (!isArray(json)) {
    return [{ where, expected, got: wordsOf({ body: bodyOf(reply), id: undefined, where }) }]
  }
  if (json.length !== items.length) {
    return [{ where, expected, got: describeList(json) }]
  }
  return items.flatMap((item, at) => {
    const answer = { body: { json: json[at] ?? null }, id: reply.ids[at], where: joinPointer(where, at) }
    return matchAnswer(item, answer, schemas)
  })
}

/** Compares the whole body. A missing body counts as absent and as empty. */
function matchBody(expected: JsonValue, reply: ReplyView, schemas: SchemaCheck): readonly Finding[] {
  if (reply.json !== undefined) return matchValue(expected, reply.json, 'body', schemas)
  const asNothing = matchValue(expected, undefined, 'body', schemas)
  if (
    reply.text === '' &&
    (asNothing.length === 0 || matchValue(expected, '', 'body', schemas).length === 0)
  ) {
    return []
  }
  return [{ where: 'body', expected: describeMatcher(expected), got: describeNoJson(reply.text, describe) }]
}

/** Describes a response: its error, its result, or why it has neither. */
function wordsOf({ body }: Answer): string {
  if ('words' in body) return body.words
  const { json } = body
  if (isArray(json)) return describeList(json)
  if (!isObject(json)) return describe(json)
  if (isError(json)) return gotError(member(json, 'error'))
  const result = member(json, 'result')
  return result === undefined ? 'neither result nor error member' : cut(`result ${describe(result)}`)
}

/** JSON-RPC 1.0 sends a null `error` beside the result. It counts as a result. */
function isError(answer: JsonObject): boolean {
  const error = member(answer, 'error')
  return error !== undefined && (error !== null || member(answer, 'result') === undefined)
}

function gotError(error: JsonValue | undefined): string {
  if (!isObject(error)) return cut(`error ${describe(error)}`)
  const code = describe(member(error, 'code'), 'without code')
  return cut(`error ${code} ${describe(member(error, 'message'), 'without message')}`)
}

function errorText(expected: NonNullable<Expectation['error']>): string {
  const parts = Object.entries(expected).map(([name, matcher]) => `${name} ${describeMatcher(matcher)}`)
  return parts.length === 0 ? 'an error' : cut(`error with ${parts.join(', ')}`)
}
