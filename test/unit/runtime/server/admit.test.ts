import t from 'tap'
import { RpcError } from '../../../../src/runtime/rpc/index.js'
import {
  type Admission,
  type AdmissionRequest,
  type Admit,
  createService,
  type ErrorReport,
} from '../../../../src/runtime/server/index.js'
import { createCalculator, methods } from './calculator.js'

const call = (id: number, params: unknown = [1, 2]) => ({ jsonrpc: '2.0', id, method: 'add', params })
const spent = new RpcError({ code: -32005, message: 'spent', httpStatus: 429 })

/** A service with an admission. Each entry of the list is a question. */
function serviceOf(admit: Admit<string>) {
  const asked: { readonly calls: number; readonly code: number | undefined; readonly user: string }[] = []
  const errors: ErrorReport<string>[] = []
  const service = createService({
    methods,
    handlers: createCalculator(),
    document: '{}',
    onError: (report) => errors.push(report),
    admit(request: AdmissionRequest<string>) {
      asked.push({ calls: request.calls, code: request.refusal?.code, user: request.context })
      return admit(request)
    },
  })
  const send = async (body: unknown, exchange = service.begin('ada')) => {
    const answer = await service.handle(typeof body === 'string' ? body : JSON.stringify(body), exchange)
    return { ...answer, body: answer.body && JSON.parse(String(answer.body)) }
  }
  return { service, asked, errors, send }
}

t.test('each message is charged once, before its calls are validated', async (t) => {
  const { send, asked } = serviceOf(({ calls }) => ({ admitted: calls, headers: { left: '3' } }))
  const cases: readonly (readonly [body: unknown, calls: number])[] = [
    [call(1), 1],
    [call(1, ['wrong']), 1],
    [{ jsonrpc: '2.0', id: 1, method: 'unknown' }, 1],
    [{ jsonrpc: '2.0', id: 1, method: 'rpc.discover' }, 1],
    [[call(1), 7, call(3)], 3],
    [[], 1],
    ['{', 1],
    [{ ...call(1), id: undefined }, 1],
  ]
  for (const [body] of cases) t.match(await send(body), { headers: { left: '3' } })
  t.same(
    asked,
    cases.map(([, calls]) => ({ calls, code: undefined, user: 'ada' })),
  )
})

t.test('the admitted calls run, the others get the error, and the status can be chosen', async (t) => {
  const partly = serviceOf(async () => ({ admitted: 1, error: spent }))
  const { status, body } = await partly.send([call(1), call(2), { ...call(3), method: 'unknown' }])
  t.equal(status, 200)
  t.match(body, [{ result: 3 }, { id: 2, error: { code: -32005 } }, { id: 3, error: { code: -32005 } }])
  const none = serviceOf(() => ({ admitted: 0, error: spent }))
  t.match(await none.send([call(1), call(2)]), { status: 429, body: { id: null, error: { code: -32005 } } })
  t.match(await none.send(call(7)), { status: 429, body: { id: 7 } })
  const chosen = serviceOf(() => ({ admitted: 1, error: spent, status: 203 }))
  t.match(await chosen.send(call(1)), { status: 203, body: { result: 3 } })
  t.match(await chosen.send([call(1), call(2)]), { status: 203, body: [{ result: 3 }, { error: {} }] })
})

t.test('a message that the service refuses is not charged, and its answer gets the headers', async (t) => {
  const { service, asked } = serviceOf(() => ({ admitted: 9, headers: { left: '3' }, status: 200 }))
  const answer = await service.refuse('bodyTooLarge', service.begin('ada'))
  t.match(answer, { status: 413, headers: { left: '3' } })
  const draining = await service.receive(JSON.stringify(call(5)), service.begin('ada'), spent)
  t.match(draining, { status: 429, headers: { left: '3' } })
  t.match(JSON.parse(String(draining.body)), { id: 5, error: { code: -32005 } })
  t.same(asked, [
    { calls: 0, code: -32600, user: 'ada' },
    { calls: 0, code: -32005, user: 'ada' },
  ])
})

t.test('errors of the admission refuse the message', async (t) => {
  for (const fail of [
    () => {
      throw spent
    },
    () => Promise.reject(spent),
  ])
    t.match(await serviceOf(fail).send(call(4)), { status: 429, body: { id: 4, error: { code: -32005 } } })
  const broken = serviceOf(() => Promise.reject(new TypeError('a bug')))
  t.match(await broken.send(call(4)), { status: 500, body: { id: 4, error: { code: -32603 } } })
  t.match(broken.errors, [{ kind: 'handlerFailed', cause: { message: 'a bug' }, context: 'ada' }])
})

t.test('a caller who disconnects while the admission waits is told, and no call runs', async (t) => {
  const { service, send, errors } = serviceOf(
    ({ signal, calls }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ admitted: calls }))),
  )
  const exchange = service.begin('ada')
  const answer = send({ ...call(1, ['throws']), method: 'odd' }, exchange)
  exchange.disconnect()
  t.match(await answer, { status: 499, body: null })
  t.same(errors, [])
})

t.test('an admission that would break the answer refuses the message', async (t) => {
  const unusable: readonly (readonly [admission: object, cause: RegExp])[] = [
    [{}, /number of admitted calls is undefined/],
    [{ admitted: Number.NaN }, /number of admitted calls is NaN/],
    [{ admitted: 1, headers: { left: '3\r\nset-cookie: a' } }, /header "left"/],
    [{ admitted: 1, headers: { left: '3 €' } }, /header "left"/],
    [{ admitted: 1, headers: { 'le ft': '3' } }, /header "le ft"/],
    [{ admitted: 1, status: 42 }, /status 42/],
  ]
  for (const [admission, message] of unusable) {
    for (const admit of [() => admission as Admission, async () => admission as Admission]) {
      const { send, errors } = serviceOf(admit)
      t.strictSame((await send(call(4))).headers, {})
      t.match(await send(call(4)), { status: 500, body: { id: 4, error: { code: -32603 } } })
      t.match(errors, [{}, { kind: 'handlerFailed', cause: { message }, context: 'ada' }])
    }
  }
  const empty = serviceOf(() => ({ admitted: 1, status: 204 }))
  t.match(await empty.send(call(4)), { status: 200, body: { result: 3 } }, 'an answer with a body')
})
