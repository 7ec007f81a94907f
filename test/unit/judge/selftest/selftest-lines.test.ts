import t from 'tap'
import {
  type FaultOutcome,
  isProven,
  matrixLines,
  outcomeLines,
  type SelftestReport,
  summaryLines,
} from '../../../../src/judge/selftest/index.js'

const killed: FaultOutcome = {
  name: 'logs-reversed',
  rule: 'logs.ordered',
  ruleText: 'Logs are ordered.',
  description: 'Logs come in the reverse order.',
  verdict: 'killed',
  killers: ['logs/ordered', 'logs/again'].map((id) => ({ id, reason: 'step 1: …', findings: [] })),
  passed: [],
  collateral: [],
  unaffected: [],
  reason: undefined,
}
const survived: FaultOutcome = {
  ...killed,
  name: 'logs-dropped',
  verdict: 'survived',
  killers: [],
  reason: 'no case claims the rule',
}
const report = (
  faults: readonly FaultOutcome[],
  broken: SelftestReport['broken'] = [],
  idle: readonly string[] = [],
): SelftestReport => ({
  schema: 'concordat-selftest-report/1',
  milliseconds: 61_400,
  faults,
  broken,
  idle,
})
const broken = [{ id: 'logs/x', verdict: 'fail', reason: 'step 2: /result: expected 1, got 2' }]

t.test('a killed fault is one line with the case that detected it', async (t) => {
  t.same(outcomeLines(killed), ['  killed    logs-reversed  by logs/ordered and 1 more'])
})

t.test('a surviving fault is described with the reason', async (t) => {
  t.same(outcomeLines(survived), [
    '  SURVIVED  logs-dropped  (rule logs.ordered)',
    '            Logs come in the reverse order.',
    '            no case claims the rule',
  ])
})

t.test('the summary counts faults and names cases that prove nothing', async (t) => {
  t.same(summaryLines(report([killed, survived])), ['', '  2 faults: 1 killed, 1 survived; 1 min 1 s'])
  t.match(summaryLines(report([killed])).at(-1), /^ {2}1 fault: 1 killed, 0 survived; /)
  t.match(
    summaryLines(report([killed], broken)).join('\n'),
    /logs\/x: fail without a fault.*\n.*expected 1, got 2/,
  )
})

t.test('a case without a fault that fails it is named', async (t) => {
  t.equal(
    summaryLines(report([killed], [], ['logs/y']))[0],
    '  IDLE      logs/y: no fault of its rules makes it fail',
  )
})

t.test('the judge is proven when every fault was killed by cases that pass without it', async (t) => {
  t.equal(isProven(report([killed])), true)
  t.equal(isProven(report([killed, survived])), false)
  t.equal(isProven(report([killed], broken)), false)
  t.equal(isProven(report([killed], [], ['logs/y'])), false)
})

t.test('failing cases of other rules are counted', async (t) => {
  const collateral = [{ id: 'blocks/x', reason: 'step 1: …', findings: [] }]
  t.same(outcomeLines({ ...killed, collateral }), [
    '  killed    logs-reversed  by logs/ordered and 1 more; also fails 1 case of other rules',
  ])
})

t.test('the matrix has a row for each fault and a column for each case', async (t) => {
  const collateral = [{ id: 'blocks/x', reason: 'step 1: …', findings: [] }]
  const faults = [
    { ...killed, collateral, unaffected: ['blocks/y'] },
    { ...survived, passed: ['logs/again'], unaffected: ['blocks/x'] },
  ]
  t.same(
    matrixLines(report(faults), ['blocks/x', 'blocks/y', 'blocks/never', 'logs/ordered', 'logs/again']).slice(
      2,
    ),
    ['    blocks: x y', '    logs: ordered again', '', '  logs-reversed  +.|##', '  logs-dropped   . | .'],
  )
})
