import t from 'tap'
import type { JsonValue, MethodDescriptor, ServiceDescriptor } from '../../../src/runtime/rpc/index.js'
import { createService, type ServiceOptions } from '../../../src/runtime/server/index.js'
import {
  methods as calculatorMethods,
  createCalculator,
  method,
  ODD_KINDS,
  SECRET,
} from '../../unit/runtime/server/calculator.js'
import { call } from './server-harness.js'
import { transports } from './transport-harness.js'

const isAnything = () => undefined
const value = (name: string) => ({ name, check: isAnything })
/** A method that takes any number of parameters. */
const open = (descriptor: MethodDescriptor): MethodDescriptor => ({ ...descriptor, validateParams: () => [] })

const document = { openrpc: '1.3.2', info: { title: 'Calculator', version: '1.0.0' }, methods: [] }
/** What generated methods carry. */
const service: ServiceDescriptor = {
  limits: {},
  envelope: undefined,
  failures: {},
  errors: {},
  withoutData: [],
  document: async () => JSON.stringify(document),
}

/** The methods of the examples in JSON-RPC 2.0, section 7. */
const methods = {
  ...calculatorMethods,
  subtract: method('subtract', [value('minuend'), value('subtrahend')], { structure: 'either' }),
  sum: open(method('sum', [value('a'), value('b'), value('c')])),
  update: open(method('update', [], { notification: true })),
  notify_hello: method('notify_hello', [value('count')], { notification: true }),
  get_data: { ...method('get_data', [], { result: isAnything }), service },
}

const handlers = {
  ...createCalculator(),
  subtract: ({ minuend, subtrahend }: { minuend: number; subtrahend: number }) => minuend - subtrahend,
  sum: ({ a, b, c }: { a: number; b: number; c: number }) => a + b + c,
  update: () => undefined,
  notify_hello: () => undefined,
  get_data: () => ['hello', 5],
}

function create(options: Partial<ServiceOptions<undefined, typeof methods>> = {}) {
  return createService<undefined>({ methods, handlers, onError: () => undefined, ...options })
}

const error = (id: JsonValue, code: number) => ({ jsonrpc: '2.0', id, error: { code, message: String } })
const result = (id: JsonValue, own: JsonValue) => ({ jsonrpc: '2.0', id, result: own })
const nothing = undefined

/** The examples of JSON-RPC 2.0, section 7. */
const examples: readonly (readonly [string, unknown])[] = [
  ['{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}', result(1, 19)],
  ['{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}', result(2, -19)],
  [
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    result(3, 19),
  ],
  [
    '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    result(4, 19),
  ],
  ['{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}', nothing],
  ['{"jsonrpc": "2.0", "method": "foobar"}', nothing],
  ['{"jsonrpc": "2.0", "method": "foobar", "id": "1"}', error('1', -32601)],
  ['{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]', error(null, -32700)],
  ['{"jsonrpc": "2.0", "method": 1, "params": "bar"}', error(null, -32600)],
  [
    '[{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},{"jsonrpc": "2.0", "method"]',
    error(null, -32700),
  ],
  ['[]', error(null, -32600)],
  ['[1]', [error(null, -32600)]],
  ['[1,2,3]', [error(null, -32600), error(null, -32600), error(null, -32600)]],
  [
    `[
        {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
        {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
        {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
        {"foo": "boo"},
        {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
        {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
    ]`.replaceAll('\n', ' '),
    [result('1', 7), result('2', 19), error(null, -32600), error('5', -32601), result('9', ['hello', 5])],
  ],
  [
    '[{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},{"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]',
    nothing,
  ],
]

/** Inputs that end or mislead servers in use today. */
const inputs: readonly (readonly [string, string | Uint8Array, unknown])[] = [
  ['params null', '{"jsonrpc":"2.0","id":1,"method":"add","params":null}', error(1, -32600)],
  ['params absent', '{"jsonrpc":"2.0","id":1,"method":"add"}', error(1, -32602)],
  ['a batch of null', '[null]', [error(null, -32600)]],
  ['a batch in a batch', '[[]]', [error(null, -32600)]],
  ['null', 'null', error(null, -32600)],
  ['a text', '"add"', error(null, -32600)],
  ['white space', '  ', error(null, -32700)],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), error(null, -32700)],
  ['a byte order mark', `\ufeff${call('add', [1, 2])}`, error(null, -32700)],
  ['extra parameters', call('add', [1, 2, 3]), error(1, -32602)],
  [
    'parameters by name for a method by position',
    '{"jsonrpc":"2.0","id":1,"method":"add","params":{"left":1}}',
    error(1, -32602),
  ],
  ['a parameter of the wrong type', call('add', ['1', 2]), error(1, -32602)],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"get_data"}', error(1, -32600)],
  ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"get_data"}', error(null, -32600)],
  [
    'a huge id',
    '{"jsonrpc":"2.0","id":123456789012345678901,"method":"get_data"}',
    /^{"jsonrpc":"2.0","id":123456789012345678901,/,
  ],
  ['the method constructor', call('constructor', []), error(1, -32601)],
  ['a notification that fails', '{"jsonrpc":"2.0","method":"divide","params":[1,0]}', nothing],
  ['a notification with an id', call('note', ['x']), error(1, -32600)],
  ['a declared error', call('divide', [6, 0]), { id: 1, error: { code: -32010, data: { left: 6 } } }],
  ['the document', call('rpc.discover', []), result(1, document)],
  ['the document again', call('rpc.discover', []), result(1, document)],
  ['the document with parameters', call('rpc.discover', ['x']), error(1, -32602)],
  ['the document without an id', '{"jsonrpc":"2.0","method":"rpc.discover"}', nothing],
  ['a result that arrives later', call('later', ['ä']), result(1, 'ä')],
  [
    'nesting over the limit',
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":[${'['.repeat(70)}${']'.repeat(70)}]}`,
    error(null, -32600),
  ],
]

for (const [name, start] of Object.entries(transports)) {
  t.test(name, async (t) => {
    const ask = await start(t, create())
    const answer = async (input: string | Uint8Array, want: unknown, comment: string) => {
      const text = await ask(input, want === nothing)
      if (want === nothing) t.equal(text, undefined, comment)
      else if (want instanceof RegExp) t.match(text, want, comment)
      else t.match(JSON.parse(text ?? 'null'), want, comment)
    }
    for (const [input, want] of examples) await answer(input, want, input)
    for (const [comment, input, want] of inputs) await answer(input, want, comment)
    for (const kind of ODD_KINDS) {
      const text = (await ask(call('odd', [kind]))) ?? ''
      t.match(JSON.parse(text), { id: 1, error: { code: Number } }, kind)
      t.notMatch(text, SECRET, kind)
    }
  })
}

t.test('a message over the limit is refused on every transport', async (t) => {
  for (const [name, start] of Object.entries(transports)) {
    if (name === 'web-socket') continue
    const ask = await start(t, create({ limits: { bodyBytes: 1_000 } }))
    const ofBytes = (bytes: number) => call('label', ['x'.repeat(bytes - call('label', ['']).length)])
    t.match(JSON.parse((await ask(ofBytes(1_000))) ?? ''), { id: 1, result: String }, name)
    t.match(JSON.parse((await ask(ofBytes(1_001))) ?? ''), error(null, -32600), name)
    t.match(JSON.parse((await ask(ofBytes(200_000))) ?? ''), error(null, -32600), name)
    t.match(JSON.parse((await ask(call('add', [1, 2]))) ?? ''), result(1, 3), name)
  }
})
