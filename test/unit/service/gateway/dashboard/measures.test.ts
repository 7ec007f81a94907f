import t from 'tap'
import {
  durationText,
  minuteText,
  ratioText,
  shareText,
} from '../../../../../src/service/gateway/dashboard/parts/format.js'
import { errorMessage, outcomeOf } from '../../../../../src/service/gateway/usage/index.js'

t.test('shares are rounded: only a whole is 100 %, and only zero is 0 %', async (t) => {
  const rows: readonly [part: number, whole: number, text: string][] = [
    [0, 0, '–'],
    [0, 3, '0 %'],
    [3, 3, '100 %'],
    [1, 3, '33.3 %'],
    [2, 3, '66.7 %'],
    [1, 6, '16.7 %'],
    [24_999, 25_000, '99.9 %'],
    [1, 10_000, '0.1 %'],
    [985, 1_000, '98.5 %'],
    [30_000, 25_000, '120 %'],
  ]
  for (const [part, whole, text] of rows) t.equal(shareText(part, whole), text, `${part} of ${whole}`)
})

t.test('ratios have two decimals below ten', async (t) => {
  t.equal(ratioText(0, 0), '–')
  t.equal(ratioText(0, 7), '0')
  t.equal(ratioText(1, 1_000), '0.01')
  t.equal(ratioText(4, 3), '1.33')
  t.equal(ratioText(3_201, 2), '1,601')
})

t.test('durations are short', async (t) => {
  t.equal(durationText(null), '–')
  t.equal(durationText(undefined), '–')
  t.equal(durationText(0.04), '0.04 ms')
  t.equal(durationText(9.94), '9.9 ms')
  t.equal(durationText(35.4), '35 ms')
  t.equal(durationText(2_540), '2.5 s')
  t.equal(minuteText(new Date('2026-05-17T09:30:59Z')), '2026-05-17 09:30 UTC')
})

t.test('the cause of an answer is the client, the server or neither', async (t) => {
  t.equal(outcomeOf(0), 'result')
  for (const code of [3, -32700, -32600, -32601, -32602, -32016, -32001, -32003])
    t.equal(outcomeOf(code), 'caller', String(code))
  t.equal(outcomeOf(-32005), 'limit')
  for (const code of [-32603, -32002]) t.equal(outcomeOf(code), 'service', String(code))
  t.equal(errorMessage(-32602), 'Invalid params')
  t.equal(errorMessage(1), '')
})
