import t from 'tap'
import { shareText } from '../../../../../src/gateway/dashboard/parts/format.js'

t.test('shares are rounded: only a whole is 100 %, and only zero is 0 %', (t) => {
  const rows: readonly [part: number, whole: number, text: string][] = [
    [0, 0, '–'],
    [0, 3, '0 %'],
    [3, 3, '100 %'],
    [1, 3, '33.3 %'],
    [2, 3, '66.7 %'],
    [1, 6, '16.7 %'],
    [9_999, 10_000, '99.9 %'],
    [1, 10_000, '0.1 %'],
    [985, 1_000, '98.5 %'],
    [30_000, 25_000, '120 %'],
  ]
  for (const [part, whole, text] of rows) t.equal(shareText(part, whole), text, `${part} of ${whole}`)
  t.end()
})
