import t from 'tap'
import type { EnvelopeRules } from '../../../../../src/runtime/rpc/index.js'
import {
  createProtocolHandler,
  handlersToCall,
  type ProtocolOptions,
} from '../../../../../src/runtime/server/index.js'
import { wholeText } from '../../../../../src/runtime/server/protocol/encode-answer.js'
import { createCalculator, methods } from '../calculator.js'

const strict: EnvelopeRules = { idRequired: true, idPattern: '-?(0|[1-9][0-9]*)' }
const DOCUMENT = '{ "openrpc" : "1.3.2",\n "as": "authored" }'

function calculator(options: Partial<ProtocolOptions<unknown>> = {}, noted: string[] = []) {
  const call = handlersToCall(methods, createCalculator(noted))
  const protocol = createProtocolHandler({ methods, call, document: DOCUMENT, envelope: strict, ...options })
  return async (body: string | Uint8Array) => {
    const answer = await protocol.handle(typeof body === 'string' ? Buffer.from(body) : body, undefined)
    return {
      ...answer,
      text: answer.body === null ? null : Buffer.from(await wholeText(answer.body)).toString(),
    }
  }
}

const request = (method: string, params: unknown, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const error = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`
const result = (id: string, text: string): string => `{"jsonrpc":"2.0","id":${id},"result":${text}}`

t.test('every body gets its answer', async (t) => {
  const invalid = (id: string, detail: string) => error(id, -32600, `Invalid request: ${detail}`)
  const noId = invalid('null', 'the id is missing')
  const badId = invalid('null', 'the id must be a number that matches -?(0|[1-9][0-9]*) or a string')
  const unread = error('null', -32700, 'Parse error')
  const cases: { name: string; body: string | Uint8Array; status?: number; text: string }[] = [
    { name: 'a call', body: request('add', [1, 2]), text: result('1', '3') },
    {
      name: 'params absent',
      body: '{"jsonrpc":"2.0","id":1,"method":"toString"}',
      text: result('1', '"a calculator"'),
    },
    { name: 'a string id', body: request('add', [1, 2], 'a"\ud800'), text: result('"a\\"\\ud800"', '3') },
    { name: 'id absent', body: '{"jsonrpc":"2.0","method":"add","params":[1,2]}', status: 400, text: noId },
    { name: 'id null', body: request('add', [1, 2], null), status: 400, text: badId },
    {
      name: 'id a fraction',
      body: '{"jsonrpc":"2.0","id":1.0,"method":"add","params":[1,2]}',
      status: 400,
      text: badId,
    },
    {
      name: 'version wrong',
      body: '{"jsonrpc":"1.0","id":9007199254740993,"method":"add"}',
      status: 400,
      text: invalid('9007199254740993', 'jsonrpc must be \\"2.0\\"'),
    },
    {
      name: 'params null',
      body: request('add', null),
      status: 400,
      text: invalid('1', 'params must be a list or an object, as the method requires'),
    },
    {
      name: 'params an object',
      body: request('add', { left: 1, right: 2 }),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: must be a list","data":[{"path":"","rule":"type","message":"must be a list"}]}}',
    },
    {
      name: 'too few params',
      body: request('add', [1]),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: /1 is missing","data":[{"path":"/1","rule":"required","message":"is missing"}]}}',
    },
    {
      name: 'too many params',
      body: request('add', [1, 2, 3]),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: too many","data":[{"path":"","rule":"maxItems","message":"too many"}]}}',
    },
    {
      name: 'null for an optional parameter, which is absent',
      body: request('scale', [1, null]),
      text: result('1', '10'),
    },
    {
      name: 'null for an optional parameter without default',
      body: request('label', ['a', null, '?']),
      text: result('1', '"a - ?"'),
    },
    {
      name: 'null for all optional parameters',
      body: request('label', ['a', null, null]),
      text: result('1', '"a - !"'),
    },
    {
      name: 'null for a parameter that has this value',
      body: request('shown', [null]),
      text: result('1', 'null'),
    },
    { name: 'an absent parameter that may be null', body: request('shown', []), text: result('1', '7') },
    {
      name: 'null for a required parameter',
      body: request('add', [1, null]),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: /1 must be a number","data":[{"path":"/1","rule":"type","message":"must be a number"}]}}',
    },
    {
      name: 'null for an optional parameter by name',
      body: request('label', { text: 'a', mark: null }),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: /mark must be a string","data":[{"path":"/mark","rule":"type","message":"must be a string"}]}}',
    },
    {
      name: 'null beyond the parameters',
      body: request('scale', [1, 2, null]),
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: too many","data":[{"path":"","rule":"maxItems","message":"too many"}]}}',
    },
    {
      name: 'null for an optional parameter in a batch',
      body: `[${request('scale', [1, null])}]`,
      text: `[${result('1', '10')}]`,
    },
    { name: 'a default', body: request('scale', [4]), text: result('1', '40') },
    { name: 'a value instead of the default', body: request('scale', [4, 2]), text: result('1', '8') },
    {
      name: 'an unknown method',
      body: request('subtract', []),
      text: error('1', -32601, 'Method not found: subtract'),
    },
    {
      name: 'a long method name',
      body: request('x'.repeat(65), []),
      text: error('1', -32601, 'Method not found'),
    },
    {
      name: 'method __proto__',
      body: request('__proto__', []),
      text: error('1', -32601, 'Method not found: __proto__'),
    },
    {
      name: 'method constructor',
      body: request('constructor', []),
      text: error('1', -32601, 'Method not found: constructor'),
    },
    {
      name: 'method hasOwnProperty',
      body: request('hasOwnProperty', []),
      text: error('1', -32601, 'Method not found: hasOwnProperty'),
    },
    { name: 'a method called toString', body: request('toString', []), text: result('1', '"a calculator"') },
    {
      name: 'an error of the contract',
      body: request('divide', [6, 0]),
      status: 409,
      text: '{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"by zero","data":{"left":6}}}',
    },
    { name: 'a raw result', body: request('raw', ['{"a":  1.0}']), text: result('1', '{"a":  1.0}') },
    { name: 'raw bytes', body: request('rawBytes', ['"ä\\u00e4"'], 'ü'), text: result('"ü"', '"ä\\u00e4"') },
    { name: 'the document', body: request('rpc.discover', []), text: result('1', DOCUMENT) },
    {
      name: 'the document, params absent',
      body: '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}',
      text: result('1', DOCUMENT),
    },
    { name: 'nothing', body: '', status: 400, text: unread },
    { name: 'invalid JSON', body: '{"jsonrpc":"2.0",', status: 400, text: unread },
    { name: 'invalid UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), status: 400, text: unread },
    {
      name: 'half of a surrogate pair in UTF-8',
      body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
      status: 400,
      text: unread,
    },
    { name: 'a byte order mark', body: `\ufeff${request('add', [1, 2])}`, status: 400, text: unread },
    { name: 'UTF-16', body: Buffer.from(request('add', [1, 2]), 'utf16le'), status: 400, text: unread },
    { name: 'a scalar', body: '7', status: 400, text: invalid('null', 'a request is an object') },
    {
      name: 'an empty batch',
      body: '[]',
      status: 400,
      text: invalid('null', 'a batch needs at least one request'),
    },
    {
      name: 'a batch of scalars',
      body: '[1,null,"x",[]]',
      text: `[${Array(4).fill(invalid('null', 'a request is an object')).join()}]`,
    },
    {
      name: 'a batch',
      body: `[${request('later', ['slow'], 1)},${request('add', [1, 2], 2)},{"id":3},${request('rawBytes', ['4'], 4)}]`,
      text: `[${result('1', '"slow"')},${result('2', '3')},${invalid('3', 'jsonrpc must be \\"2.0\\"')},${result('4', '4')}]`,
    },
    { name: 'a batch of one', body: `[${request('add', [1, 2])}]`, text: `[${result('1', '3')}]` },
    {
      name: 'an error in a batch',
      body: `[${request('divide', [6, 0])}]`,
      text: '[{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"by zero","data":{"left":6}}}]',
    },
    {
      name: 'huge ids in a batch',
      body: '[{"id":1e2},{"id":-0,"jsonrpc":"2.0","method":"toString"}]',
      text: `[${badId},${result('-0', '"a calculator"')}]`,
    },
  ]
  const handle = calculator()
  for (const { name, body, status = 200, text } of cases) {
    const answer = await handle(body)
    t.equal(answer.text, text, name)
    t.equal(answer.status, status, `${name}: status`)
  }
})

t.test('both sides of every limit', async (t) => {
  const handle = calculator()
  const call = request('add', [1, 2])
  const hundred = await handle(`[${Array(100).fill(call).join()}]`)
  t.equal(hundred.status, 200)
  t.equal(JSON.parse(hundred.text ?? '').length, 100, 'a batch of 100 is answered')
  const more = await handle(`[${Array(101).fill(call).join()}]`)
  t.equal(more.status, 413)
  t.equal(
    more.text,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The batch has 101 requests: the limit is 100","data":{"limit":100,"unit":"requests","sent":101}}}',
    'a batch of 101 is refused as a whole',
  )

  const deep = (depth: number) =>
    `{"jsonrpc":"2.0","id":1,"method":"echo","params":[${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}]}`
  t.equal((await handle(deep(64))).status, 200, 'nested 64 deep')
  const deeper = await handle(deep(65))
  t.equal(deeper.status, 400)
  t.match(
    deeper.text,
    '"message":"The body is nested more than 64 levels deep: the limit is 64"',
    'nested 65 deep',
  )
})

t.test('a body has at most 50,000 values and members', async (t) => {
  const handle = calculator()
  const body = (values: number) => `[${'0,'.repeat(values - 2)}0]`
  const most = await handle(body(50_000))
  t.match(most, { status: 413, text: 'The batch has 49999 requests: the limit is 100' })
  const more = await handle(body(50_001))
  t.match(more, { status: 413, text: '"data":{"limit":50000,"unit":"values and members"}' })
})

t.test('limits and messages come from the contract', async (t) => {
  const failures = {
    batchTooLarge: {
      code: -1,
      message: '{sent} {unit}',
      httpStatus: 418,
      retryAfterSeconds: 9,
      withoutData: true,
    },
    invalidRequest: { code: -2, message: 'wrong.', httpStatus: 400 },
  }
  const handle = calculator({ limits: { batchItems: 1, nestingDepth: 3, bodyValues: 5 }, failures })
  const { status, text, headers } = await handle('[1,2]')
  t.same(
    { status, text, headers },
    { status: 418, text: error('null', -1, '2 requests'), headers: { 'retry-after': '9' } },
  )
  t.equal((await handle('[1]')).text, `[${error('null', -2, 'wrong: a request is an object')}]`)
  t.match((await handle('[[[[]]]]')).text, '"data":{"limit":3,"unit":"levels"}')
  t.match(
    (await handle('[1,2,3,4,5]')).text,
    'The body holds more than 5 JSON values and members: the limit is 5',
  )
})

t.test('notifications, where the contract allows them', async (t) => {
  const noted: string[] = []
  const handle = calculator({ envelope: { idRequired: false } }, noted)
  const note = (text: unknown) => JSON.stringify({ jsonrpc: '2.0', method: 'note', params: [text] })
  const cases: { name: string; body: string; status: number; text: string | null }[] = [
    { name: 'one', body: note('one'), status: 204, text: null },
    {
      name: 'by name',
      body: '{"jsonrpc":"2.0","method":"note","params":{"text":"two"}}',
      status: 204,
      text: null,
    },
    { name: 'a batch of them', body: `[${note('three')},${note('four')}]`, status: 204, text: null },
    {
      name: 'a mixed batch',
      body: `[${note('five')},${request('add', [1, 2])}]`,
      status: 200,
      text: `[${result('1', '3')}]`,
    },
    {
      name: 'of a method with a result',
      body: '{"jsonrpc":"2.0","method":"add","params":[1,2]}',
      status: 204,
      text: null,
    },
    { name: 'with wrong parameters', body: note(7), status: 204, text: null },
    { name: 'of an unknown method', body: '{"jsonrpc":"2.0","method":"nobody"}', status: 204, text: null },
    {
      name: 'of a handler that throws',
      body: '{"jsonrpc":"2.0","method":"odd","params":["throws"]}',
      status: 204,
      text: null,
    },
    {
      name: 'invalid',
      body: '{"jsonrpc":"2.0","method":1,"params":"bar"}',
      status: 400,
      text: error('null', -32600, 'Invalid request: method must be a string'),
    },
    { name: 'id null is an id', body: request('add', [1, 2], null), status: 200, text: result('null', '3') },
    {
      name: 'called with an id',
      body: request('note', ['six']),
      status: 400,
      text: error('1', -32600, 'Invalid request: this method is a notification and takes no id'),
    },
  ]
  for (const { name, body, status, text } of cases) {
    const answer = await handle(body)
    t.same({ status: answer.status, text: answer.text }, { status, text }, name)
  }
  t.same(noted, ['one', 'two', 'three', 'four', 'five'])
})

t.test('rpc.discover needs a document and takes no parameters', async (t) => {
  const body = request('rpc.discover', [])
  t.equal(
    (await calculator({ document: undefined })(body)).text,
    error('1', -32601, 'Method not found: rpc.discover'),
  )
  const found = await calculator()(request('rpc.discover', []))
  t.same(await calculator()(request('rpc.discover', {})), found, 'an empty object counts as no parameters')
  for (const params of [[1], { a: 1 }]) {
    const { text } = await calculator()(request('rpc.discover', params))
    t.match(JSON.parse(text ?? '').error, {
      code: -32602,
      data: [{ path: '', message: 'takes no parameters' }],
    })
  }
})

t.test('synchronous handlers are answered without a promise', async (t) => {
  const protocol = createProtocolHandler({ methods, call: handlersToCall(methods, createCalculator()) })
  t.notOk(protocol.handle(Buffer.from(request('add', [1, 2])), undefined) instanceof Promise, 'a call')
  t.notOk(
    protocol.handle(Buffer.from(`[${request('add', [1, 2])}]`), undefined) instanceof Promise,
    'a batch',
  )
  t.ok(
    protocol.handle(Buffer.from(request('later', [1])), undefined) instanceof Promise,
    'an asynchronous call',
  )
})
