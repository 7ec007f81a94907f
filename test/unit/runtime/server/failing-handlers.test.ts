import t from 'tap'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import {
  createProtocolHandler,
  type ErrorReport,
  handlersToCall,
  type ProtocolOptions,
} from '../../../../src/runtime/server/index.js'
import { createCalculator, methods, ODD_KINDS, SECRET } from './calculator.js'

function calculator(options: Partial<ProtocolOptions<string>> = {}) {
  const reports: ErrorReport<string>[] = []
  const protocol = createProtocolHandler<string>({
    methods,
    call: handlersToCall(methods, createCalculator()),
    onError: (report) => reports.push(report),
    ...options,
  })
  const call = async (method: string, params: readonly JsonValue[], batch = false) => {
    const request = { jsonrpc: '2.0', id: 1, method, params }
    const answer = await protocol.handle(Buffer.from(JSON.stringify(batch ? [request] : request)), 'alice')
    const text = String(answer.body)
    const parsed = JSON.parse(text)
    return { status: answer.status, text, response: batch ? parsed[0] : parsed }
  }
  return { call, reports, protocol }
}

/** Failures that only result validation finds, or that are errors for the caller. */
const NOT_FAILED = ['wrong', 'wrongRaw', 'errorWithCause']

t.test('every kind of handler failure is an internal error with a reference', async (t) => {
  for (const kind of ODD_KINDS.filter((kind) => !NOT_FAILED.includes(kind))) {
    const { call, reports } = calculator()
    const { status, text, response } = await call('odd', [kind])
    t.equal(status, 500, `${kind}: status`)
    t.equal(response.error.code, -32603, `${kind}: code`)
    t.equal(response.error.message, 'Internal error', `${kind}: message`)
    t.match(response.error.data, { reference: /^[0-9a-f]{10}$/ }, `${kind}: reference`)
    t.equal(response.id, 1, `${kind}: id`)
    t.notMatch(text, SECRET, `${kind}: no details of the cause`)
    t.notMatch(text, /stack|\.ts|TypeError/, `${kind}: no stack`)
    t.equal(reports.length, 1, `${kind}: reported once`)
    t.match(reports[0], { kind: 'handlerFailed', reference: response.error.data.reference })
    const inBatch = await call('odd', [kind], true)
    t.equal(inBatch.status, 200, `${kind}: 200 in a batch`)
    t.equal(inBatch.response.error.code, -32603, `${kind}: in a batch`)
  }
})

t.test('the report contains the details that the answer omits', async (t) => {
  const { call, reports } = calculator()
  await call('odd', ['rejects'])
  t.match(reports[0], { method: 'odd', context: 'alice', cause: new TypeError(SECRET), problems: [] })
})

t.test('references differ', async (t) => {
  const { call } = calculator()
  const references = await Promise.all(ODD_KINDS.map(() => call('odd', ['throws'])))
  t.equal(new Set(references.map(({ text }) => text)).size, ODD_KINDS.length)
})

t.test('an error of the contract is sent unchanged, and its cause is reported', async (t) => {
  const { call, reports } = calculator()
  const { status, text } = await call('odd', ['errorWithCause'])
  t.equal(status, 200)
  t.equal(text, '{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"with a cause"}}')
  t.match(reports, [{ kind: 'errorWithCause', reference: undefined, method: 'odd' }])
  await call('divide', [1, 0])
  t.equal(reports.length, 1, 'an error without a cause is not reported')
})

t.test('Retry-After is sent for single calls only', async (t) => {
  const { protocol } = calculator()
  const body = '{"jsonrpc":"2.0","id":1,"method":"divide","params":[1,0]}'
  const alone = await protocol.handle(Buffer.from(body), 'alice')
  t.same({ status: alone.status, headers: alone.headers }, { status: 409, headers: { 'retry-after': '3' } })
  const batch = await protocol.handle(Buffer.from(`[${body}]`), 'alice')
  t.same({ status: batch.status, headers: batch.headers }, { status: 200, headers: {} })
})

t.test('results that violate the contract', async (t) => {
  t.test('are sent unless results are validated', async (t) => {
    const { call, reports } = calculator()
    t.equal((await call('odd', ['wrong'])).response.result, 'no number')
    t.equal((await call('odd', ['wrongRaw'])).response.result, 'no number')
    t.equal(reports.length, 0)
  })
  t.test('are internal errors with validation', async (t) => {
    for (const kind of ['wrong', 'wrongRaw']) {
      const { call, reports } = calculator({ validateResults: true })
      const { status, response, text } = await call('odd', [kind])
      t.equal(status, 500, kind)
      t.match(response, { error: { code: -32603, data: { reference: reports[0]?.reference } } })
      t.notMatch(text, 'no number')
      const problems = [{ path: '', rule: 'type', message: 'must be a number' }]
      t.match(reports, [{ kind: 'resultInvalid', method: 'odd', context: 'alice', problems }])
    }
  })
  t.test('validation detects raw results that are invalid JSON', async (t) => {
    const { call, reports } = calculator({ validateResults: true })
    t.equal((await call('raw', ['{'])).response.error.code, -32603)
    t.match(reports, [{ kind: 'handlerFailed', method: 'raw' }])
    t.equal((await call('rawBytes', ['7'])).response.result, 7, 'a valid result passes')
  })
})

t.test('an exception in onError does not affect the answer', async (t) => {
  const { call } = calculator({
    onError: () => {
      throw new TypeError('the log is full')
    },
  })
  t.equal((await call('odd', ['throws'])).response.error.code, -32603)
})

t.test('an exception in a validator is a failed handler', async (t) => {
  const broken = {
    ...methods.add,
    validateParams: () => {
      throw new RangeError(SECRET)
    },
  }
  const { call, reports } = calculator({ methods: { add: broken } })
  t.equal((await call('add', [1, 2])).response.error.code, -32603)
  t.match(reports, [{ kind: 'handlerFailed', method: 'add' }])
})

t.test('of a thousand problems only the first ones are sent', async (t) => {
  const problems = Array.from({ length: 1_000 }, (_, at) => ({
    path: `/${at}`,
    rule: 'type',
    message: 'wrong',
  }))
  const { call } = calculator({ methods: { add: { ...methods.add, validateParams: () => problems } } })
  t.equal((await call('add', [])).response.error.data.length, 16)
})

t.test('fail and refuse answer without a request', async (t) => {
  const { protocol, reports } = calculator({})
  const failed = protocol.fail(new TypeError(SECRET))
  t.equal(failed.status, 500)
  t.notMatch(String(failed.body), SECRET)
  t.match(reports, [{ kind: 'handlerFailed', method: undefined }])
  const refused = protocol.refuse('unsupportedMediaType', 'alice')
  t.equal(refused.status, 415)
  t.equal(JSON.parse(String(refused.body)).id, null)
})
