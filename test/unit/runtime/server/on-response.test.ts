import t from 'tap'
import { type JsonValue, RpcError } from '../../../../src/runtime/rpc/index.js'
import { createProtocolHandler, type ProtocolOptions } from '../../../../src/runtime/server/index.js'
import { methods } from './calculator.js'

const request = (method: string, params: unknown, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params })

/** The reported responses to a body: method, error code and context. */
async function told(body: unknown, options: Partial<ProtocolOptions<string>> = {}) {
  const all: unknown[] = []
  const protocol = createProtocolHandler<string>({
    methods,
    call: (_method, [first = null]) => first as JsonValue,
    envelope: { idRequired: true },
    onResponse: (method, error, context) => all.push([method?.name, error?.code, context]),
    ...options,
  })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  await protocol.handle(Buffer.from(text), 'ada')
  return all
}

t.test('each response is reported once, with its method, its error and its context', async (t) => {
  t.same(await told(request('add', [1, 2])), [['add', undefined, 'ada']])
  t.same(await told(request('nothing', [])), [[undefined, -32601, 'ada']])
  t.same(await told(request('add', ['1'])), [['add', -32602, 'ada']])
  t.same(await told({ ...request('add', [1, 2]), jsonrpc: '1' }), [[undefined, -32600, 'ada']])
  t.same(await told('{'), [[undefined, -32700, 'ada']])
  t.same(await told([]), [[undefined, -32600, 'ada']])
})

t.test('exceptions of a call are reported, synchronous and asynchronous', async (t) => {
  const busy = new RpcError({ code: -32005, message: 'busy' })
  const fail = () => {
    throw busy
  }
  t.same(await told(request('add', [1, 2]), { call: fail }), [['add', -32005, 'ada']])
  t.same(await told(request('add', [1, 2]), { call: async () => fail() }), [['add', -32005, 'ada']])
  const bug = () => Promise.reject(new TypeError('a bug'))
  t.same(await told(request('add', [1, 2]), { call: bug }), [['add', -32603, 'ada']])
  const wrong = { call: () => 'no number', validateResults: true }
  t.same(await told(request('add', [1, 2]), wrong), [['add', -32603, 'ada']])
})

t.test('each request of a batch is reported', async (t) => {
  const batch = [request('add', [1, 2]), 1, request('nothing', [])]
  t.same(await told(batch), [
    ['add', undefined, 'ada'],
    [undefined, -32600, 'ada'],
    [undefined, -32601, 'ada'],
  ])
})

t.test('a refusal after authorization has a context, and a failure before it has none', async (t) => {
  const all: unknown[] = []
  const protocol = createProtocolHandler<string>({
    methods,
    call: () => null,
    onResponse: (_method, error, context) => all.push([error?.httpStatus, context]),
  })
  protocol.refuse('bodyTooLarge', 'ada')
  protocol.fail(new RpcError({ code: -32016, message: 'no', httpStatus: 401 }))
  t.same(all, [
    [413, 'ada'],
    [401, undefined],
  ])
})
