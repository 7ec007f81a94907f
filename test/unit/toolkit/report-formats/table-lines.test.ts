import t from 'tap'
import { tableLines } from '../../../../src/toolkit/report-formats/index.js'

t.test('cells of a column begin, or end, at the same place', (t) => {
  const rows = [['a', '1', 'x'], [], ['longer', '1,000']]
  t.same(tableLines(rows, { right: [1], indent: 1 }), [' a           1  x', '', ' longer  1,000'])
  t.same(
    tableLines(
      [
        ['long', 'x'],
        ['a', 'y'],
      ],
      { gap: 1, widest: 3 },
    ),
    ['long x', 'a y'],
  )
  t.same(tableLines([]), [])
  t.end()
})

t.test('a table may have as many rows as a service has keys', (t) => {
  const lines = tableLines(Array.from({ length: 300_000 }, (_, at) => [`key_${at}`, 'active']))
  t.equal(lines[1], 'key_1       active')
  t.end()
})
