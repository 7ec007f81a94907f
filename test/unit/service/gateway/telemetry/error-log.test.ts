import t from 'tap'
import { failure } from '../../../../../generated/errors.js'
import { createLog } from '../../../../../src/service/gateway/index.js'
import { causeText, createErrorLog } from '../../../../../src/service/gateway/telemetry/error-log.js'

const minute = 60_000
const facts = { requestId: 'r1', keyId: 'key_1', network: 'test', method: 'eth_call' }
const full = () => failure('noQuotaLease', { cause: new TypeError('no space left') })

t.test(
  'server failures are logged as errors, once a minute; client errors are logged at debug level',
  async (t) => {
    const lines: { level: number; err: { message: string; stack: string } }[] = []
    let at = 0
    const report = createErrorLog(
      createLog('debug', (line) => lines.push(JSON.parse(line))),
      () => at,
    )
    for (let sent = 0; sent < 3; sent++) report(full(), facts)
    report(failure('noNode', { cause: new TypeError('refused') }), facts)
    report(failure('executionReverted', { cause: new TypeError('theirs') }), facts)
    at = minute - 1
    report(full(), facts)
    at = minute
    report(full(), facts)
    t.same(
      lines.map(({ level }) => level),
      [50, 20, 20, 50, 20, 20, 50],
    )
    t.match(lines[0]?.err.stack, 'no space left', 'the cause is logged')
  },
)

t.test('each cause is logged once a minute, up to a limit', async (t) => {
  const lines: { level: number; err: { cause?: unknown; stack: string } }[] = []
  let at = 0
  const report = createErrorLog(
    createLog('info', (line) => lines.push(JSON.parse(line))),
    () => at,
  )
  const says = (node: string, beginning: string) =>
    report(failure('nodeAnsweredRubbish', { cause: { node, beginning } }), facts)
  says('a', 'no answer within 5003 ms for 0xab')
  says('a', 'no answer within 5017 ms for 0xcd')
  says('b', 'no answer within 5017 ms for 0xcd')
  says('a', '<html>')
  report(failure('nodeLacksMethod', { cause: { code: -32601, message: 'no' } }), facts)
  t.equal(lines.length, 4)
  for (let cause = 0; cause < 1_000; cause++) says('a', 'x'.repeat(cause))
  t.equal(lines.length, 100)
  at = minute
  says('a', 'no answer within 5003 ms for 0xab')
  t.equal(lines.length, 101)
})

t.test('a defect is logged each time', async (t) => {
  const lines: string[] = []
  const report = createErrorLog(createLog('info', (line) => lines.push(line)))
  const defect = failure('handlerFailed', { cause: new TypeError('a bug'), data: { reference: 'abc' } })
  report(defect, facts)
  report(defect, facts)
  t.equal(lines.length, 2)
  t.match(lines[0], '"reference":"abc"')
})

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
