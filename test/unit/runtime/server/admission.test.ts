import t from 'tap'
import { type JsonValue, RpcError } from '../../../../src/runtime/rpc/index.js'
import {
  type Admission,
  defaultFailures,
  defaultLimits,
  handlersToCall,
} from '../../../../src/runtime/server/index.js'
import {
  billedItems,
  createAnswerMessage,
  readMessage,
} from '../../../../src/runtime/server/protocol/answer-message.js'
import { createItemHandler } from '../../../../src/runtime/server/protocol/item-handler.js'
import { createReporter } from '../../../../src/runtime/server/protocol/reporter.js'
import { createCalculator, methods } from './calculator.js'

const spent = new RpcError({
  code: -32005,
  message: 'spent',
  data: { limit: 3 },
  httpStatus: 429,
  retryAfterSeconds: 7,
})
const headers = { RateLimit: '"daily";r=2;t=60' }
const call = (id: JsonValue): JsonValue => ({ jsonrpc: '2.0', id, method: 'add', params: [1, 2] })
const spentText = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":-32005,"message":"spent","data":{"limit":3}}}`

const failures = defaultFailures
const answerMessage = createAnswerMessage(
  createItemHandler<string>(
    { methods, call: handlersToCall(methods, createCalculator()), envelope: { idRequired: true } },
    failures,
    createReporter(failures, undefined),
  ),
  failures,
  defaultLimits,
)

/** Answers a body with an admission. */
async function post(body: string, admission: Admission) {
  const { answer, items } = await answerMessage(readMessage(body, defaultLimits), admission, 'alice')
  return { status: answer.status, headers: answer.headers, text: String(answer.body), count: items.length }
}

t.test('a body costs one per request, and an invalid body costs one', async (t) => {
  const cases: { body: string; cost: number; status: number }[] = [
    { body: JSON.stringify(call(1)), cost: 1, status: 200 },
    { body: JSON.stringify([call(1)]), cost: 1, status: 200 },
    { body: JSON.stringify(Array(7).fill(call(1))), cost: 7, status: 200 },
    { body: JSON.stringify(Array(100).fill(call(1))), cost: 100, status: 200 },
    { body: JSON.stringify(Array(101).fill(call(1))), cost: 1, status: 413 },
    { body: '[1,2,3]', cost: 3, status: 200 },
    { body: '[]', cost: 1, status: 400 },
    { body: '', cost: 1, status: 400 },
    { body: '{', cost: 1, status: 400 },
    { body: '7', cost: 1, status: 400 },
    { body: '{}', cost: 1, status: 400 },
    { body: '['.repeat(65), cost: 1, status: 400 },
  ]
  for (const { body, cost, status } of cases) {
    const name = body.slice(0, 40)
    t.equal(billedItems(readMessage(body, defaultLimits), defaultLimits), cost, `${name} costs ${cost}`)
    const answer = await post(body, { admitted: cost, headers })
    t.match(answer, { status, headers, count: cost }, name)
  }
})

t.test('the first requests of a batch run, and the others are refused', async (t) => {
  const batch = JSON.stringify([call(1), 7, call('c'), 8])
  const { status, text, headers: sent } = await post(batch, { admitted: 2, error: spent, headers })
  t.equal(status, 200)
  const responses = JSON.parse(text)
  t.match(responses[0], { id: 1, result: 3 })
  t.match(responses[1], { id: null, error: { code: -32600 } })
  t.equal(JSON.stringify(responses[2]), spentText('"c"'))
  t.equal(JSON.stringify(responses[3]), spentText('null'))
  t.same(sent, headers, 'no Retry-After')
})

t.test('a refused body gets one error object, whatever it contains', async (t) => {
  const cases: { body: string; id: string }[] = [
    { body: JSON.stringify(call(5)), id: '5' },
    { body: '{"id":9007199254740993}', id: '9007199254740993' },
    { body: JSON.stringify([call(1), call(2)]), id: 'null' },
    { body: '{', id: 'null' },
    { body: '[]', id: 'null' },
    { body: '7', id: 'null' },
  ]
  for (const { body, id } of cases) {
    const { status, text, headers: sent } = await post(body, { admitted: 0, error: spent, headers })
    t.equal(status, 429, body)
    t.equal(text, spentText(id), body)
    t.same(sent, { ...headers, 'retry-after': '7' }, body)
  }
})

t.test('a refusal without an error is an internal error', async (t) => {
  t.equal((await post(JSON.stringify(call(1)), { admitted: 0 })).status, 500)
})
