import t from 'tap'
import { readAnswer, readBatch } from '../../../../../../src/service/gateway/nodes/answers/read-answer.js'
import type { NodeAnswer } from '../../../../../../src/service/gateway/nodes/index.js'

const id = 7

t.test('responses are accepted as nodes send them', async (t) => {
  const answers: readonly [why: string, body: string, wanted: NodeAnswer][] = [
    ['a standard JSON-RPC response', '{"jsonrpc":"2.0","id":7,"result":"0x1"}', { result: '0x1' }],
    ['a null result', '{"jsonrpc":"2.0","id":7,"result":null}', { result: null }],
    ['without jsonrpc', '{"id":7,"result":[]}', { result: [] }],
    [
      'without id',
      '{"error":{"code":-32011,"message":"slow"}}',
      { error: { code: -32011, message: 'slow' } },
    ],
    ['id null', '{"id":null,"error":{"code":1,"message":""}}', { error: { code: 1, message: '' } }],
    [
      'the id "null", as jsonrpc4j sends it',
      '{"jsonrpc":"2.0","id":"null","error":{"code":-32700,"message":"JSON parse error"}}',
      { error: { code: -32700, message: 'JSON parse error' } },
    ],
    ['a result with error null', '{"id":7,"error":null,"result":false}', { result: false }],
    [
      'an error beside a result',
      '{"id":7,"error":{"code":1,"message":"m"},"result":1}',
      { error: { code: 1, message: 'm' } },
    ],
    [
      'an error with data',
      '{"id":7,"error":{"code":3,"message":"m","data":"0x"}}',
      { error: { code: 3, message: 'm', data: '0x' } },
    ],
    ['an error without a message', '{"id":7,"error":{"code":3}}', { error: { code: 3, message: '' } }],
    ['a large number', '{"id":7,"result":[1.7e308]}', { result: [1.7e308] }],
    ['a long number', `{"id":7,"result":[1${'0'.repeat(308)}]}`, { result: [1e308] }],
  ]
  for (const [why, body, wanted] of answers) t.strictSame(readAnswer(body, id), wanted, why)
})

t.test('everything else is an invalid response', async (t) => {
  const bodies = [
    '',
    '<html>502</html>',
    '{"jsonrpc":"2.0","id":7,"result":"0x1"',
    'null',
    '"0x1"',
    '[{"jsonrpc":"2.0","id":7,"result":"0x1"}]',
    '{}',
    '{"id":7}',
    '{"id":8,"result":"0x1"}',
    '{"id":"7","result":"0x1"}',
    '{"result":"0x1"}',
    '{"id":null,"result":"0x1"}',
    '{"id":"null","result":"0x1"}',
    '{"id":8,"error":{"code":3,"message":"m"}}',
    '{"id":7,"error":"no"}',
    '{"id":7,"error":{"message":"no code"}}',
    '{"id":7,"error":{"code":1.5,"message":"m"}}',
    '{"id":7,"error":{"code":"1","message":"m"}}',
    '{"id":7,"result":{"number":1e400}}',
    '{"id":7,"result":[-1E+999]}',
    `{"id":7,"result":{"number":${'9'.repeat(400)}}}`,
    '{"id":7,"error":{"code":3,"message":"m","data":[1.5e309]}}',
  ]
  for (const body of bodies) t.equal(readAnswer(body, id), undefined, body)
})

t.test('a response has at most 100,000 values and members, and 64 levels', async (t) => {
  // The object, its members `id` and `result`, the id and the list are five.
  const listOf = (values: number) => `{"id":7,"result":[${'0,'.repeat(values - 6)}0]}`
  t.match(readAnswer(listOf(100_000), id), { result: { length: 99_995 } })
  t.equal(readAnswer(listOf(100_001), id), undefined)
  const nested = (levels: number) => `{"id":7,"result":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  t.type(readAnswer(nested(64), id), 'object')
  t.equal(readAnswer(nested(65), id), undefined)
  const batch = (values: number) => `[{"id":7,"result":[${'0,'.repeat(values - 7)}0]}]`
  t.match(readBatch(batch(100_000), [{ id }]), { answers: [{}] })
  t.equal(readBatch(batch(100_001), [{ id }]), undefined)
})

t.test('an object in a response has at most 64 members, wherever it is', async (t) => {
  const object = (members: number, last = '"last":[]') =>
    `{${Array.from({ length: members - 1 }, (_, at) => `"m${at}":{"a":":,{"}`).join()},${last}}`
  const places: Readonly<Record<string, (object: string) => string>> = {
    'as the result': (object) => `{"id":7,"result":${object}}`,
    'in a list': (object) => `{"id":7,"result":{"transactions":[{},${object}]}}`,
    'as data of an error': (object) => `{"id":7,"error":{"code":3,"message":"m","data":[${object}]}}`,
    'before another member': (object) => `{"other":${object},"id":7,"result":[]}`,
  }
  for (const [place, answer] of Object.entries(places)) {
    t.type(readAnswer(answer(object(64)), id), 'object', place)
    t.equal(readAnswer(answer(object(65)), id), undefined, `${place}, one more`)
    t.equal(readAnswer(answer(object(65, '"m0":0')), id), undefined, `${place}, the same name twice`)
  }
  t.type(readAnswer(`{"id":7,"result":[${object(60)},${object(60)}]}`, id), 'object', 'in each of two')
})

t.test("a node's message is truncated, and data that is too long is omitted", async (t) => {
  const refused = (message: string, data: string) =>
    readAnswer(JSON.stringify({ id: 7, error: { code: 3, message, data } }), id)?.error
  t.strictSame(refused('a'.repeat(1_025), '0x'), { code: 3, message: 'a'.repeat(1_024), data: '0x' })
  const longest = `0x${'00'.repeat(524_288)}`
  t.strictSame(refused('m', longest), { code: 3, message: 'm', data: longest })
  t.strictSame(refused('m', `${longest}00`), { code: 3, message: 'm' })
})

t.test("addresses in a node's message are omitted", async (t) => {
  const message =
    'upstream https://user:secret@10.0.0.7:8545/v2/KEY failed, also ws://node.internal, dial tcp 10.0.0.7:8545: refused'
  const body = JSON.stringify({ id, error: { code: -32000, message } })
  const words = readAnswer(body, id)?.error?.message
  t.equal(words, 'upstream (address) failed, also (address) dial tcp (address): refused')
})

t.test('responses of a batch are matched by id alone', async (t) => {
  const answers = (text: string) => {
    const batch = readBatch(text, [{ id: 1 }, { id: 2 }])
    return batch?.answers ?? batch?.refusal?.code
  }
  const rows: readonly [why: string, body: string, wanted: unknown][] = [
    [
      'in any order',
      '[{"id":2,"result":"0x2"},{"id":1,"result":null}]',
      [{ result: null }, { result: '0x2' }],
    ],
    ['an invalid item', '[{"id":1},{"id":2,"result":"0x2"}]', [undefined, { result: '0x2' }]],
    ['none', '[]', [undefined, undefined]],
    ['a response to only one call', '[{"id":2,"result":"0x2"}]', [undefined, { result: '0x2' }]],
    ['an unexpected id', '[{"id":1,"result":"0x1"},{"id":3,"result":"0x3"}]', 0],
    ['one response too many', '[{"id":1,"result":"0x1"},{"id":2,"result":"0x2"},{"id":3,"result":"0x3"}]', 0],
    ['without ids', '[{"result":"0x1"}]', 0],
    ['the id "null"', '[{"id":"null","error":{"code":-32700,"message":"JSON parse error"}}]', 0],
    ['a duplicate id', '[{"id":1,"result":"0x1"},{"id":1,"result":"0x2"}]', 0],
    ['an item that is not an object', '[1]', 0],
    [
      'one object, as Rootstock answers more than 50 calls',
      '{"error":{"code":-32600,"message":"Cannot dispatch"}}',
      -32600,
    ],
    ['one object with the id of a call', '{"id":1,"error":{"code":-32005,"message":"busy"}}', -32005],
    ['one object with another id', '{"id":3,"error":{"code":-32005,"message":"busy"}}', 0],
    ['one object that is a valid response', '{"id":1,"result":"0x1"}', 0],
    ['no JSON', '<html>', undefined],
    ['a text', '"no"', undefined],
  ]
  for (const [why, body, wanted] of rows) t.strictSame(answers(body), wanted, why)
})
