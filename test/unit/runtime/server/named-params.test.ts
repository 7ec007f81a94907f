import t from 'tap'
import type { JsonValue } from '../../../../src/runtime/rpc/index.js'
import {
  createProtocolHandler,
  handlersToCall,
  MissingHandlerError,
} from '../../../../src/runtime/server/index.js'
import { createCalculator, methods } from './calculator.js'

const protocol = createProtocolHandler({ methods, call: handlersToCall(methods, createCalculator()) })

async function call(method: string, params: string): Promise<unknown> {
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`)
  const response = JSON.parse(String((await protocol.handle(body, undefined)).body))
  return 'result' in response ? response.result : response.error.data
}

const missing = (path: string): JsonValue => ({ path, rule: 'required', message: 'is missing' })
const unknown: JsonValue = { path: '', rule: 'maxItems', message: 'too many' }
const noText = (path: string): JsonValue => ({ path, rule: 'type', message: 'must be a string' })

t.test('parameters by name and by position', async (t) => {
  const cases: { name: string; method: string; params: string; want: JsonValue }[] = [
    { name: 'by position', method: 'label', params: '["a","m","?"]', want: 'a m ?' },
    { name: 'by position, with a default in a gap', method: 'label', params: '["a"]', want: 'a - !' },
    { name: 'by name', method: 'label', params: '{"text":"a","unit/kind":"m","mark":"?"}', want: 'a m ?' },
    {
      name: 'by name, in any order',
      method: 'label',
      params: '{"mark":"?","text":"a","unit/kind":"m"}',
      want: 'a m ?',
    },
    { name: 'a gap without a default', method: 'label', params: '{"text":"a","mark":"?"}', want: 'a - ?' },
    { name: 'a gap and a default', method: 'label', params: '{"text":"a"}', want: 'a - !' },
    {
      name: 'null is not a gap',
      method: 'label',
      params: '{"text":"a","unit/kind":null}',
      want: [noText('/unit~1kind')],
    },
    { name: 'a required one missing', method: 'label', params: '{"mark":"?"}', want: [missing('/text')] },
    { name: 'all missing', method: 'label', params: '{}', want: [missing('/text')] },
    {
      name: 'an invalid one after a gap',
      method: 'label',
      params: '{"text":"a","mark":7}',
      want: [noText('/mark')],
    },
    {
      name: 'an unknown one',
      method: 'label',
      params: '{"text":"a","x/y":1}',
      want: [unknown],
    },
    {
      name: 'an unknown __proto__',
      method: 'label',
      params: '{"text":"a","__proto__":{"mark":"?"}}',
      want: [unknown],
    },
    {
      name: 'inherited members do not count',
      method: 'named',
      params: '{"constructor":"a"}',
      want: [missing('/__proto__')],
    },
    {
      name: 'names of Object.prototype',
      method: 'named',
      params: '{"__proto__":"a"}',
      want: [['__proto__', 'a']],
    },
    {
      name: 'both of them',
      method: 'named',
      params: '{"constructor":"b","__proto__":"a"}',
      want: [
        ['__proto__', 'a'],
        ['constructor', 'b'],
      ],
    },
    {
      name: 'a list for a method by name',
      method: 'named',
      params: '["a"]',
      want: [{ path: '', rule: 'type', message: 'must be an object' }],
    },
    {
      name: 'an object for a method by position',
      method: 'add',
      params: '{}',
      want: [{ path: '', rule: 'type', message: 'must be a list' }],
    },
  ]
  for (const { name, method, params, want } of cases) t.same(await call(method, params), want, name)
})

t.test('handlers that do not match the contract are refused at creation', async (t) => {
  const { add: _add, ...rest } = createCalculator()
  const incomplete = rest as ReturnType<typeof createCalculator>
  t.throws(() => handlersToCall(methods, incomplete), {
    name: 'MissingHandlerError',
    methods: ['add'],
    message: 'No handler for add',
  })
  const { toString: _toString, ...inherited } = createCalculator()
  const without = inherited as ReturnType<typeof createCalculator>
  t.throws(
    () => handlersToCall(methods, without),
    { name: 'MissingHandlerError', methods: ['toString'] },
    'members of Object.prototype are not handlers',
  )
})

t.test('handlers may be a class instance', async (t) => {
  class Adder {
    readonly #offset = 100
    add({ left, right }: { left: number; right: number }): number {
      return this.#offset + left + right
    }
  }
  const call = handlersToCall({ add: methods.add }, new Adder())
  t.equal(await call(methods.add, [1, 2], undefined), 103)
  t.throws(() => call(methods.scale, [1], undefined), MissingHandlerError, 'an unknown method')
})
