import { limits } from '@concordat/node-access-contract/contract'
import type { JsonObject, JsonValue } from '@concordat/rpc'
import {
  type Fault,
  type FaultHooks,
  type HttpReply,
  type HttpRequest,
  headerOf,
  isList,
  isObject,
  jsonOf,
  jsonReply,
  rpcError,
  withBody,
  withHeader,
  without,
  withoutHeader,
} from 'concordat/conformance'

const LEFT = 'ratelimit'
const POLICY = 'ratelimit-policy'
const SPENT = -32005

/** Remaining requests from the RateLimit header; undefined without the header. */
function leftOf({ headers }: HttpReply): number | undefined {
  const [, left] = /;r=(\d+)/.exec(headerOf(headers, LEFT) ?? '') ?? []
  return left === undefined ? undefined : Number(left)
}

/** Replaces the number of remaining requests in the header. */
function withLeft(reply: HttpReply, left: number): HttpReply {
  const value = headerOf(reply.headers, LEFT)?.replace(/;r=\d+/, `;r=${Math.max(0, left)}`)
  return { ...reply, headers: withHeader(reply.headers, LEFT, value) }
}

/** Miscounts requests in the header only, by a number for each exchange. */
function miscounted(by: (reply: HttpReply, request: HttpRequest) => number): () => FaultHooks {
  return () => {
    let offset = 0
    return {
      reply(reply, request) {
        offset += by(reply, request)
        const left = leftOf(reply)
        return left === undefined || offset === 0 ? reply : withLeft(reply, left + offset)
      },
    }
  }
}

const errorOf = (answer: JsonValue | undefined): JsonObject | undefined => {
  const error = isObject(answer) ? answer['error'] : undefined
  return isObject(error) ? error : undefined
}

const isSpent = (answer: JsonValue | undefined) => errorOf(answer)?.['code'] === SPENT

/** Changes the error answer of an exhausted limit. */
function onRefusal(
  change: (reply: HttpReply, answer: JsonObject, error: JsonObject) => HttpReply,
): () => FaultHooks {
  return () => ({
    reply(reply) {
      const answer = jsonOf(reply.body)
      const error = errorOf(answer)
      return error?.['code'] === SPENT ? change(reply, answer as JsonObject, error) : reply
    },
  })
}

/**
 * Admits some requests that the service rejected with 429. The answer repeats an earlier result of the same
 * method.
 */
function admitting(isMeant: (reply: HttpReply, request: HttpRequest) => boolean): FaultHooks {
  const known = new Map<JsonValue | undefined, JsonValue>()
  return {
    reply(reply, request) {
      const call = jsonOf(request.body)
      const answer = jsonOf(reply.body)
      const answers = isList(answer) ? answer : [answer]
      for (const [index, item] of (isList(call) ? call : [call]).entries()) remember(item, answers[index])
      const result = isObject(call) ? known.get(call['method']) : undefined
      if (reply.status !== 429 || !isSpent(answer) || result === undefined || !isMeant(reply, request))
        return reply
      const text = Buffer.from(reply.body).toString()
      const head = text.slice(0, text.indexOf('"error":'))
      return jsonReply(reply, 200, `${head}"result":${JSON.stringify(result)}}`)
    },
  }

  function remember(call: JsonValue | undefined, answer: JsonValue | undefined): void {
    if (!isObject(call) || !isObject(answer) || answer['result'] === undefined) return
    known.set(call['method'], answer['result'])
  }
}

/** Faults in the daily limit and its headers (specification 8). */
export const quotaFaults: readonly Fault[] = [
  {
    name: 'one-request-too-many-admitted',
    rule: 'quota.exact',
    description: 'One request more than the limit is admitted.',
    begin: () => {
      let admitted = 0
      return admitting(() => admitted++ === 0)
    },
  },
  {
    name: 'last-request-refused',
    rule: 'quota.exact',
    description: 'The last request within the limit is refused.',
    begin: () => ({
      reply(reply, request) {
        const answer = jsonOf(reply.body)
        const limit = Number(/;q=(\d+)/.exec(headerOf(reply.headers, POLICY) ?? '')?.[1])
        const error = spent(limit)
        if (leftOf(reply) !== 0 || reply.status === 429) return reply
        if (isList(answer)) {
          const last = answer.findLastIndex((item) => !isSpent(item))
          return withBody(reply, JSON.stringify(answer.with(last, { ...idOf(answer[last]), error })))
        }
        const refusal = { ...idOf(answer ?? jsonOf(request.body)), error }
        return jsonReply(reply, 429, JSON.stringify(refusal))
      },
    }),
  },
  {
    name: 'limit-per-key',
    rule: 'quota.daily',
    description: 'Each key of a user has its own full limit.',
    begin: () => {
      // The limit applies to the first key only. Other keys continue after it is exhausted.
      let first: string | undefined
      const hooks = admitting((_reply, { path }) => path !== first)
      return {
        reply(reply, request, forward) {
          if (leftOf(reply) !== undefined) first ??= request.path
          return hooks.reply?.(reply, request, forward) ?? reply
        },
      }
    },
  },
  {
    name: 'rate-limit-frozen',
    rule: 'quota.headers-fall',
    description: 'The remaining requests in RateLimit do not decrease.',
    begin: () => {
      let first: number | undefined
      return {
        reply(reply) {
          first ??= leftOf(reply)
          return first === undefined || leftOf(reply) === undefined ? reply : withLeft(reply, first)
        },
      }
    },
  },
  {
    name: 'rate-limit-absent',
    rule: 'quota.headers',
    description: 'Answers lack RateLimit.',
    begin: () => withoutHeader(LEFT),
  },
  {
    name: 'rate-limit-policy-absent',
    rule: 'quota.headers',
    description: 'Answers lack RateLimit-Policy.',
    begin: () => withoutHeader(POLICY),
  },
  {
    name: 'rate-limit-on-good-answers-only',
    rule: 'quota.headers',
    description: 'Answers with an error status lack RateLimit.',
    begin: () => withoutHeader(LEFT, ({ status }) => status >= 400),
  },
  {
    name: 'refusal-without-data',
    rule: 'quota.refusal',
    description: 'The refusal beyond the limit lacks the limit and its reset time.',
    begin: onRefusal((reply, answer, error) =>
      withBody(reply, JSON.stringify({ ...answer, error: without(error, 'data') })),
    ),
  },
  {
    name: 'large-body-of-a-spent-limit-breaks',
    rule: 'quota.refused-unread',
    description: 'Beyond the limit, a large body breaks the connection, which proxies answer with 502.',
    begin: () => ({
      reply: (reply, { body }) =>
        isSpent(jsonOf(reply.body)) && body.length > limits.smallBodyBytes
          ? jsonReply(reply, 502, rpcError(-32603, 'bad gateway'))
          : reply,
    }),
  },
  {
    name: 'refusal-is-403',
    rule: 'quota.refusal',
    description: 'Beyond the limit the answer is HTTP 403.',
    begin: onRefusal((reply) => (reply.status === 429 ? { ...reply, status: 403 } : reply)),
  },
  {
    name: 'refusal-has-another-code',
    rule: 'quota.refusal',
    description: 'Beyond the limit the code is -32002.',
    begin: onRefusal((reply, answer, error) =>
      withBody(reply, JSON.stringify({ ...answer, error: { ...error, code: -32002 } })),
    ),
  },
  {
    name: 'retry-after-of-hours',
    rule: 'quota.retry-after',
    description: 'Retry-After is sent for a limit that resets in hours, so clients sleep for hours.',
    begin: onRefusal((reply) =>
      reply.status === 429 ? { ...reply, headers: withHeader(reply.headers, 'retry-after', '21600') } : reply,
    ),
  },
  {
    name: 'batch-charged-as-one',
    rule: 'quota.charge-batch',
    description: 'A batch is charged 1, whatever its size.',
    begin: miscounted(({ body }) => {
      const answers = jsonOf(body)
      return isList(answers) ? answers.length - 1 : 0
    }),
  },
  {
    name: 'batch-charged-one-too-few',
    rule: 'quota.charge-batch',
    description: 'A batch of n requests is charged n - 1.',
    begin: miscounted(({ body }) => (isList(jsonOf(body)) ? 1 : 0)),
  },
  {
    name: 'batch-errors-charged-twice',
    rule: 'quota.charge-batch',
    description: 'An error in a batch is charged two.',
    begin: miscounted(({ body }) => {
      const answers = jsonOf(body)
      return isList(answers) ? -answers.filter((answer) => errorOf(answer) !== undefined).length : 0
    }),
  },
  {
    name: 'batch-errors-after-the-first-not-charged',
    rule: 'quota.charge-batch',
    description: 'An error in a batch is only charged if it is the first item.',
    begin: miscounted(({ body }) => {
      const answers = jsonOf(body)
      return isList(answers) ? answers.slice(1).filter((answer) => errorOf(answer) !== undefined).length : 0
    }),
  },
  {
    name: 'limit-changes-now-and-then',
    rule: 'quota.headers',
    description: 'One answer in three states another limit.',
    begin: () => {
      let answers = 0
      return {
        reply(reply) {
          const policy = headerOf(reply.headers, POLICY)
          if (policy === undefined || answers++ % 3 !== 1) return reply
          return { ...reply, headers: withHeader(reply.headers, POLICY, policy.replace(/;q=/, ';q=1')) }
        },
      }
    },
  },
  {
    name: 'reset-two-hours-off',
    rule: 'quota.daily',
    description: 'RateLimit states a reset that differs from 00:00 UTC by two hours.',
    begin: () => ({
      reply(reply) {
        const left = headerOf(reply.headers, LEFT)
        const other = left?.replace(/;t=(\d+)/, (_, seconds) => `;t=${(Number(seconds) + 7_200) % 86_400}`)
        return left === undefined ? reply : { ...reply, headers: withHeader(reply.headers, LEFT, other) }
      },
    }),
  },
  {
    name: 'errors-not-charged',
    rule: 'quota.charge-single',
    description: 'A request that is answered with an error is not charged.',
    begin: miscounted(({ body, status }) => (status === 200 && errorOf(jsonOf(body)) !== undefined ? 1 : 0)),
  },
  {
    name: 'reverts-charged-twice',
    rule: 'quota.charge-single',
    description: 'A call that reverts is charged two.',
    begin: miscounted(({ body }) => {
      const answer = jsonOf(body)
      return -(isList(answer) ? answer : [answer]).filter((one) => errorOf(one)?.['code'] === 3).length
    }),
  },
  {
    name: 'unreadable-body-not-charged',
    rule: 'quota.charge-unreadable',
    description: 'A body that is not a request is not charged.',
    begin: miscounted(({ status }) => (status === 400 ? 1 : 0)),
  },
  {
    name: 'wrong-verb-charged',
    rule: 'quota.charge-nothing',
    description: 'Refused verbs and content types, and OPTIONS, are charged.',
    begin: miscounted(({ status }) => ([204, 405, 415].includes(status) ? -1 : 0)),
  },
  {
    name: 'batch-over-the-limit-refused-whole',
    rule: 'quota.batch-part',
    description: 'A batch that exceeds the limit is refused as a whole.',
    begin: () => ({
      reply(reply) {
        const answers = jsonOf(reply.body)
        const refused = isList(answers) ? answers.find(isSpent) : undefined
        return refused === undefined ? reply : jsonReply(reply, 429, JSON.stringify(refused))
      },
    }),
  },
  {
    name: 'spent-batch-answered-item-by-item',
    rule: 'quota.batch-part',
    description: 'A batch entirely beyond the limit is answered with HTTP 200 and a list of errors.',
    begin: () => ({
      reply(reply, { body }) {
        const calls = jsonOf(body)
        const error = errorOf(jsonOf(reply.body))
        if (!isList(calls) || calls.length === 0 || error?.['code'] !== SPENT) return reply
        return jsonReply(reply, 200, JSON.stringify(calls.map((call) => ({ ...idOf(call), error }))))
      },
    }),
  },
  {
    name: 'refusals-charged',
    rule: 'quota.charge-nothing',
    description: 'Requests beyond the limit count as used.',
    begin: () => {
      let refusals = 0
      return onRefusal((reply, answer, error) => {
        const data = isObject(error['data']) ? error['data'] : {}
        const used = Number(data['used']) + refusals++
        return withBody(reply, JSON.stringify({ ...answer, error: { ...error, data: { ...data, used } } }))
      })()
    },
  },
  {
    name: 'farther-limit-named',
    rule: 'quota.nearer-limit',
    description: 'The refusal of a key that has spent its own limit names the limit of its user.',
    begin: onRefusal((reply, answer, error) => {
      const data = isObject(error['data']) ? error['data'] : {}
      const farther = { ...data, limit: Number(data['limit']) + 1 }
      return withBody(reply, JSON.stringify({ ...answer, error: { ...error, data: farther } }))
    }),
  },
  {
    name: 'refused-keys-charged',
    rule: 'quota.charge-nothing',
    description: 'A request with a refused key is charged.',
    begin: miscounted(({ status }) => (status === 401 ? -1 : 0)),
  },
  {
    name: 'large-body-charged',
    rule: 'quota.charge-nothing',
    description: 'A body refused for its size is charged.',
    begin: miscounted(({ status }, { body }) => (status === 413 && body.length > limits.bodyBytes ? -1 : 0)),
  },
  {
    name: 'too-large-batch-charged-whole',
    rule: 'quota.charge-unreadable',
    description: 'A batch with too many requests is charged one per request.',
    begin: miscounted(({ status }, { body }) => {
      const calls = status === 413 ? jsonOf(body) : undefined
      return isList(calls) ? 1 - calls.length : 0
    }),
  },
  {
    name: 'unreadable-body-answered-when-spent',
    rule: 'quota.charge-unreadable',
    description: 'Beyond the limit, a body that is not JSON is still answered with a parse error.',
    begin: () => ({
      reply: (reply, { body }) =>
        reply.status === 429 && jsonOf(body) === undefined
          ? jsonReply(reply, 400, rpcError(-32700, 'The body is not JSON in UTF-8'))
          : reply,
    }),
  },
]

const idOf = (value: JsonValue | undefined) => ({
  jsonrpc: '2.0',
  id: isObject(value) ? (value['id'] ?? null) : null,
})

const spent = (limit: number) => ({
  code: SPENT,
  message: 'The request limit is spent',
  data: { limit, used: limit, resetAt: '2100-01-01T00:00:00.000Z', scope: 'daily' },
})
