import t from 'tap'
import { matchReply } from '../../../../src/judge/expect/match-reply.js'
import type { Expectation } from '../../../../src/judge/scenario/scenario.js'
import { replyView } from '../../../../src/judge/send/reply-view.js'

interface Came {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

const match = (
  expectation: Expectation,
  text: string | undefined,
  { status = 200, headers = {} }: Came = {},
) =>
  matchReply(expectation, replyView({ status, headers, bytes: new Uint8Array(), text }), () => []).map(
    ({ where, expected, got }) => [where, expected, got],
  )

const ok = (result: string) => `{"jsonrpc":"2.0","id":1,"result":${result}}`
const error = (members: string) => `{"jsonrpc":"2.0","id":1,"error":${members}}`

type Row = readonly [
  expectation: Expectation,
  text: string | undefined,
  findings: readonly string[][],
  came?: Came,
]

const rows: readonly Row[] = [
  [{}, 'anything', []],
  [{ result: null }, ok('null'), []],
  [{ result: null }, ok('[]'), [['/result', 'null', 'an empty list']]],
  [{ result: [] }, ok('null'), [['/result', 'an empty list', 'null']]],
  [{ result: null }, '{"jsonrpc":"2.0","id":1}', [['/result', 'null', 'no result member']]],
  [{ result: null }, error('{"code":-32000,"message":"gone"}'), [['/result', 'null', 'error -32000 "gone"']]],
  [
    { result: { $not: null } },
    error('{"code":1}'),
    [['/result', 'anything but null', 'error 1 without message']],
  ],
  [{ result: 1 }, error('"text"'), [['/result', '1', 'error "text"']]],
  [{ result: 1 }, error('null'), [['/result', '1', 'error null']]],
  [{ result: 1 }, '{"result":1,"error":null}', []],
  [{ result: 1 }, '{"result":1,"error":{"code":2,"message":"b"}}', [['/result', '1', 'error 2 "b"']]],
  [
    { result: { $absent: true } },
    error('{}'),
    [['/result', 'nothing', 'error without code without message']],
  ],
  [{ error: {} }, error('{"code":-32602,"message":"a"}'), []],
  [{ error: { code: -32602 } }, error('{"code":-32602,"message":"a"}'), []],
  [{ error: { code: -32602 } }, error('{"code":-32600}'), [['/error/code', '-32602', '-32600']]],
  [{ error: { code: -32602 } }, error('{"code":"-32602"}'), [['/error/code', '-32602', '"-32602"']]],
  [
    { error: { code: 1, message: 'a', data: null } },
    error('{"code":1,"message":"b"}'),
    [
      ['/error/message', '"a"', '"b"'],
      ['/error/data', 'null', 'no data member'],
    ],
  ],
  [{ error: { data: { $absent: true } } }, error('{"code":1,"message":"b"}'), []],
  [{ error: {} }, ok('null'), [['/error', 'an error', 'result null']]],
  [{ error: { code: -32602 } }, ok('[]'), [['/error', 'error with code -32602', 'result an empty list']]],
  [{ error: {} }, '{"id":1}', [['/error', 'an error', 'neither result nor error member']]],
  [{ error: {} }, '[]', [['/error', 'an error', 'an empty list']]],
  [{ result: 1 }, '[{"result":1}]', [['/result', '1', 'a list of 1: [{"result":1}]']]],
  [{ result: 1 }, '"1"', [['/result', '1', '"1"']]],
  [{ result: 1 }, '', [['/result', '1', 'an empty body']]],
  [{ result: 1 }, '<html>', [['/result', '1', 'a body that is not JSON: "<html>"']]],
  [{ result: 1 }, undefined, [['/result', '1', 'bytes that are not UTF-8']]],
  [
    { result: 1 },
    '\uFEFF{"result":1}',
    [['/result', '1', 'a body that is not JSON: "\uFEFF{\\"result\\":1}"']],
  ],
  [{ result: 1 }, '['.repeat(100_000), [['/result', '1', 'JSON nested deeper than 512']]],
  [{ status: 400 }, '', [['status', '400', '200']]],
  [{ status: { '$one-of': [200, 400] } }, '', []],
  [{ headers: { 'Retry-After': '1' } }, '', [], { headers: { 'retry-after': '1' } }],
  [
    { headers: { 'Retry-After': '1' } },
    '',
    [['header Retry-After', '"1"', '"2"']],
    { headers: { 'retry-after': '2' } },
  ],
  [{ headers: { 'Retry-After': '1' } }, '', [['header Retry-After', '"1"', 'no such header']]],
  [{ headers: { A: { $absent: true } } }, '', []],
  [{ headers: { A: { $absent: true } } }, '', [['header A', 'nothing', '"b"']], { headers: { a: 'b' } }],
  [{ headers: { constructor: { $absent: true } } }, '', []],
  [{ id: '1' }, ok('1'), []],
  [{ id: '"1"' }, ok('1'), [['/id', '"1"', '1']]],
  [
    { id: '12345678901234567890' },
    '{"id":12345678901234567891}',
    [['/id', '12345678901234567890', '12345678901234567891']],
  ],
  [{ id: '1' }, '{"id":1.0}', [['/id', '1', '1.0']]],
  [{ id: 'null' }, '{"id":null}', []],
  [{ id: 'null' }, '{}', [['/id', 'null', 'no id member']]],
  [{ id: 'null' }, 'x', [['/id', 'null', 'a body that is not JSON: "x"']]],
  [{ id: '1' }, '[{"id":1}]', [['/id', '1', 'a list of 1: [{"id":1}]']]],
  [{ items: [{ result: 1 }, {}] }, '[{"result":1},{"error":{}}]', []],
  [
    { items: [{ result: 1 }, { error: { code: 1 } }, { id: '3' }] },
    '[{"result":2},{"result":null},{"id":4}]',
    [
      ['/items/0/result', '1', '2'],
      ['/items/1/error', 'error with code 1', 'result null'],
      ['/items/2/id', '3', '4'],
    ],
  ],
  [{ items: [{}, {}] }, '[{"id":1}]', [['/items', '2 answers', 'a list of 1: [{"id":1}]']]],
  [{ items: [{}] }, '[]', [['/items', '1 answer', 'an empty list']]],
  [
    { items: [{}] },
    error('{"code":-32005,"message":"spent"}'),
    [['/items', '1 answer', 'error -32005 "spent"']],
  ],
  [{ items: [{ result: 1 }] }, '[null]', [['/items/0/result', '1', 'null']]],
  [{ body: { $empty: true } }, '', []],
  [{ body: { $absent: true } }, '', []],
  [{ body: { $empty: true } }, '[]', []],
  [
    { body: { $empty: true } },
    'x',
    [['body', 'an empty list, object, text or body', 'a body that is not JSON: "x"']],
  ],
  [{ body: { a: 1 } }, '{"a":2}', [['body/a', '1', '2']]],
  [{ body: { $length: 1 } }, '', [['body', 'length 1', 'an empty body']]],
  [{ body: null }, '', [['body', 'null', 'an empty body']]],
  [{ body: [{ id: 1 }] }, '[{"id":1}]', []],
  [
    { result: 1, status: 400, headers: { A: 'b' } },
    ok('2'),
    [
      ['status', '400', '200'],
      ['header A', '"b"', 'no such header'],
      ['/result', '1', '2'],
    ],
  ],
]

t.test('a reply is compared with its expectation', async (t) => {
  for (const [expectation, text, findings, came] of rows) {
    t.strictSame(match(expectation, text, came), findings, JSON.stringify([expectation, text?.slice(0, 80)]))
  }
})

t.test('errors with very long messages are described briefly', async (t) => {
  const [finding] = match({ result: 1 }, error(`{"code":1,"message":"${'m'.repeat(100_000)}"}`))
  t.ok(finding?.every((text) => text.length <= 200))
})

t.test('a member named error inside a result is not an error', async (t) => {
  t.strictSame(match({ result: { error: 1 } }, ok('{"error":1}')), [])
})
