import { rawIds } from '@concordat/rpc'
import { type Contract, isArray, isObject, type JsonValue, member } from '../../../toolkit/contract/index.js'
import type { Checks } from '../../checks/checks.js'
import type { Exchange } from '../../send/exchange.js'
import { replyView } from '../../send/reply-view.js'
import { compareAnswers, type Difference, type Likeness } from './differences.js'
import { exactJson } from './exact-json.js'

/** Two exchanges of the same request. */
export interface ExchangePair {
  /** Methods of the calls in the request. */
  readonly methods: readonly string[]
  readonly isBatch: boolean
  readonly a: Exchange
  readonly b: Exchange
}

/** What the oracle of pairs is told beside the exchanges. */
export interface PairContext {
  readonly contract: Contract
  readonly checks: Pick<Checks, 'listed'>
  /** Returns by how much numbers in results of a method may differ, such as 10 or `10%`; undefined if not at all. */
  readonly toleranceOf: (method: string) => JsonValue | undefined
}

/** Verdict on a pair: what differs between its answers. */
export interface ComparedPair extends Likeness {
  /** Reason in one sentence why the answers cannot be compared. */
  readonly unanswered: string | undefined
}

/** Compares the answers of two deployments to the same request: results, and errors by code and data. */
export function comparePair(
  { methods, isBatch, a, b }: ExchangePair,
  { contract, checks, toleranceOf }: PairContext,
): ComparedPair {
  const [one, other] = [answersIn(a, methods, checks), answersIn(b, methods, checks)]
  const troubles = [
    ...('trouble' in one ? [`A: ${one.trouble}`] : []),
    ...('trouble' in other ? [`B: ${other.trouble}`] : []),
  ]
  if ('trouble' in one || 'trouble' in other) {
    return { unanswered: troubles.join('; '), differences: [], isWording: false, isOneRefused: false }
  }
  const status = (exchange: Exchange) => String(exchange.reply?.status)
  const differences: Difference[] =
    status(a) === status(b) ? [] : [{ where: 'status', a: status(a), b: status(b) }]
  if (one.isList !== other.isList || one.answers.length !== other.answers.length) {
    const words = ({ isList, answers }: Answers) =>
      isList ? `a list of ${answers.length} answers` : 'one answer'
    differences.push({ where: 'body', a: words(one), b: words(other) })
    return { unanswered: undefined, differences, isWording: false, isOneRefused: false }
  }
  const each = one.answers.map((answer, at) => {
    const method = one.isList || !isBatch ? methods[at] : undefined
    return compareAnswers(
      answer,
      other.answers[at] ?? null,
      volatileOf(contract, method),
      one.isList ? `/items/${at}` : '',
      method === undefined ? undefined : toleranceOf(method),
    )
  })
  return {
    unanswered: undefined,
    differences: [...differences, ...each.flatMap((likeness) => likeness.differences)],
    isWording: each.some(({ isWording }) => isWording),
    isOneRefused: each.some(({ isOneRefused }) => isOneRefused),
  }
}

interface Answers {
  /** Answers in the order of the calls, if their ids allow that. */
  readonly answers: readonly JsonValue[]
  readonly isList: boolean
}

/** True for HTTP statuses of a server that cannot answer, whatever the body. */
const isServerFailure = (status: number) => status === 429 || status >= 500

function answersIn(
  exchange: Exchange,
  methods: readonly string[],
  { listed }: PairContext['checks'],
): Answers | { readonly trouble: string } {
  const { reply, trouble, outgoing } = exchange
  if (reply === undefined) return { trouble: trouble?.message ?? 'no answer came' }
  if (isServerFailure(reply.status))
    return { trouble: `HTTP ${reply.status} means that the deployment cannot answer` }
  const view = replyView(reply)
  const { json, text, ids } = view
  const listedOnly = (answer: JsonValue, at: number): JsonValue =>
    listed?.view({ ...view, json: answer }, [methods[at]]).json ?? answer
  const isAnswer = (value: JsonValue) =>
    isObject(value) && (member(value, 'result') !== undefined || member(value, 'error') !== undefined)
  const list = isArray(json) ? json : [json]
  if (
    json === undefined ||
    text === undefined ||
    !list.every((item) => item !== undefined && isAnswer(item))
  ) {
    return { trouble: `HTTP ${reply.status} without a JSON-RPC answer` }
  }
  const exact = exactJson(text)
  if (!isArray(exact)) return { answers: [listedOnly(exact, 0)], isList: false }
  const sent = rawIds(Buffer.from(outgoing.body ?? []).toString('utf8'))
  const isTold = new Set(sent).size === sent.length && sent.every((id) => ids.includes(id))
  const order =
    isTold && sent.length === exact.length ? sent.map((id) => ids.indexOf(id)) : exact.map((_, at) => at)
  return { answers: order.map((at) => exact[at] ?? null).map(listedOnly), isList: true }
}

function volatileOf({ methods }: Contract, name: string | undefined): readonly string[] {
  const list = methods.find((method) => method.name === name)?.extensions['x-volatile']
  return isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
