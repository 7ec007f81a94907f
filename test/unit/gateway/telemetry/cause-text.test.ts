import t from 'tap'
import { failure } from '../../../../generated/errors.js'
import { causeText } from '../../../../src/gateway/telemetry/cause-text.js'

t.test('a cause is one line of limited length without data', async (t) => {
  const rows: readonly [cause: unknown, wanted: string | undefined][] = [
    [undefined, undefined],
    [null, undefined],
    ['the head kept changing', 'the head kept changing'],
    [
      { node: 'a', reason: 'connect', code: 'ECONNREFUSED' },
      '{"node":"a","reason":"connect","code":"ECONNREFUSED"}',
    ],
    [{ code: -32000, message: 'boom', data: '0x1234' }, '{"code":-32000,"message":"boom"}'],
    [new TypeError('a bug'), 'TypeError: a bug'],
    [new TypeError('outer', { cause: new RangeError('inner') }), 'TypeError: outer (RangeError: inner)'],
    [failure('noNode', { cause: { node: 'a' } }), 'RpcError: No node is available ({"node":"a"})'],
    ['x'.repeat(10_000), 'x'.repeat(500)],
    [{ message: 'x'.repeat(10_000) }, `{"message":"${'x'.repeat(488)}`],
  ]
  for (const [cause, wanted] of rows) t.equal(causeText(cause), wanted)
})
