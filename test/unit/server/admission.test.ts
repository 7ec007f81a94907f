import t from 'tap'
import { type JsonValue, RpcError } from '../../../src/rpc/index.js'
import { type Admission, createProtocolHandler, handlersToCall } from '../../../src/server/index.js'
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

/**
 * A server whose admission answers with `admission`, immediately or a turn later. It records the requests for
 * admission.
 */
function metered(admission: Admission | (() => Admission), later: boolean) {
  const asked: number[] = []
  const protocol = createProtocolHandler<string>({
    methods,
    call: handlersToCall(methods, createCalculator()),
    envelope: { idRequired: true },
    admit(items: number) {
      asked.push(items)
      if (later)
        return Promise.resolve().then(() => (typeof admission === 'function' ? admission() : admission))
      return typeof admission === 'function' ? admission() : admission
    },
  })
  const post = async (body: string) => {
    const answer = await protocol.handle(Buffer.from(body), 'alice')
    return { status: answer.status, headers: answer.headers, text: String(answer.body) }
  }
  return { asked, post, protocol }
}

for (const later of [false, true]) {
  t.test(`admission that answers ${later ? 'later' : 'immediately'}`, async (t) => {
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
        const { asked, post } = metered({ admitted: cost, headers }, later)
        const answer = await post(body)
        const name = body.slice(0, 40)
        t.same(asked, [cost], `${name} costs ${cost}`)
        t.equal(answer.status, status, `${name}: status`)
        t.same(answer.headers, headers, `${name}: headers`)
      }
    })

    t.test('the first requests of a batch run, and the others are refused', async (t) => {
      const { post } = metered({ admitted: 2, error: spent, headers }, later)
      const { status, text, headers: sent } = await post(JSON.stringify([call(1), 7, call('c'), 8]))
      t.equal(status, 200)
      const responses = JSON.parse(text)
      t.match(responses[0], { id: 1, result: 3 })
      t.match(responses[1], { id: null, error: { code: -32600 } })
      t.equal(JSON.stringify(responses[2]), spentText('"c"'))
      t.equal(JSON.stringify(responses[3]), spentText('null'))
      t.same(sent, headers, 'no Retry-After')
    })

    t.test('a refused body gets one error object, whatever it contains', async (t) => {
      const { post } = metered({ admitted: 0, error: spent, headers }, later)
      const cases: { body: string; id: string }[] = [
        { body: JSON.stringify(call(5)), id: '5' },
        { body: '{"id":9007199254740993}', id: '9007199254740993' },
        { body: JSON.stringify([call(1), call(2)]), id: 'null' },
        { body: '{', id: 'null' },
        { body: '[]', id: 'null' },
        { body: '7', id: 'null' },
      ]
      for (const { body, id } of cases) {
        const { status, text, headers: sent } = await post(body)
        t.equal(status, 429, body)
        t.equal(text, spentText(id), body)
        t.same(sent, { ...headers, 'retry-after': '7' }, body)
      }
    })

    t.test('a failed admission is answered with its error', async (t) => {
      const unavailable = new RpcError({
        code: -32002,
        message: 'no lease',
        httpStatus: 503,
        retryAfterSeconds: 2,
      })
      const thrown = metered(() => {
        throw unavailable
      }, later)
      const { status, text, headers: sent } = await thrown.post(JSON.stringify(call(1)))
      t.equal(status, 503)
      t.equal(text, '{"jsonrpc":"2.0","id":null,"error":{"code":-32002,"message":"no lease"}}')
      t.same(sent, { 'retry-after': '2' })
      const broken = metered(() => {
        throw new TypeError('a bug')
      }, later)
      const answer = await broken.post(JSON.stringify([call(1)]))
      t.equal(answer.status, 500)
      t.match(JSON.parse(answer.text), { id: null, error: { code: -32603 } })
    })

    t.test('a refusal without an error is an internal error', async (t) => {
      const { post } = metered({ admitted: 0 }, later)
      t.equal((await post(JSON.stringify(call(1)))).status, 500)
    })

    t.test('a free answer only requests the headers', async (t) => {
      const { asked, protocol } = metered({ admitted: 0, headers }, later)
      const answer = await protocol.refuse('bodyTooLarge', 'alice')
      t.same(asked, [0])
      t.match(answer, { status: 413, headers })
    })
  })
}
