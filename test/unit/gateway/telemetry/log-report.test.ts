import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import t from 'tap'
import { failure } from '../../../../generated/errors.js'
import { createLog } from '../../../../src/gateway/telemetry/log.js'
import { createReportLog } from '../../../../src/gateway/telemetry/log-report.js'

const minute = 60_000
const context = {
  id: 'key_1',
  userId: 'usr_1',
  network: 'test',
  response: new ServerResponse(new IncomingMessage(new Socket())),
  startedAt: 0,
  inBatch: false,
  heldBytes: 0,
  answerBytes: 0,
  dailyLimit: null,
  monthlyLimit: null,
  access: {},
  origin: undefined,
} as const
const answered = (cause: Error) =>
  ({
    kind: 'errorWithCause',
    reference: undefined,
    method: 'eth_call',
    problems: [],
    cause,
    context,
  }) as const
const full = () => failure('noQuotaLease', { cause: new TypeError('no space left') })

t.test(
  'server failures are logged as errors, once a minute; client errors are logged at debug level',
  async (t) => {
    const lines: { level: number; err: { message: string; stack: string } }[] = []
    let at = 0
    const report = createReportLog(
      createLog('debug', (line) => lines.push(JSON.parse(line))),
      () => at,
    )
    for (let sent = 0; sent < 3; sent++) report(answered(full()))
    report(answered(failure('noNode', { cause: new TypeError('refused') })))
    report(answered(failure('executionReverted', { cause: new TypeError('theirs') })))
    at = minute - 1
    report(answered(full()))
    at = minute
    report(answered(full()))
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
  const report = createReportLog(
    createLog('info', (line) => lines.push(JSON.parse(line))),
    () => at,
  )
  const says = (node: string, beginning: string) =>
    report(answered(failure('nodeAnsweredRubbish', { cause: { node, beginning } })))
  says('a', 'no answer within 5003 ms for 0xab')
  says('a', 'no answer within 5017 ms for 0xcd')
  says('b', 'no answer within 5017 ms for 0xcd')
  says('a', '<html>')
  report(answered(failure('nodeLacksMethod', { cause: { code: -32601, message: 'no' } })))
  t.equal(lines.length, 4)
  for (let cause = 0; cause < 1_000; cause++) says('a', 'x'.repeat(cause))
  t.equal(lines.length, 100)
  at = minute
  says('a', 'no answer within 5003 ms for 0xab')
  t.equal(lines.length, 101)
})

t.test('a defect is logged each time', async (t) => {
  const lines: string[] = []
  const report = createReportLog(createLog('info', (line) => lines.push(line)))
  const defect = { ...answered(new TypeError('a bug')), kind: 'handlerFailed', reference: 'abc' } as const
  report(defect)
  report(defect)
  t.equal(lines.length, 2)
  t.match(lines[0], '"reference":"abc"')
})
