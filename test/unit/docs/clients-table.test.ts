import { readFile } from 'node:fs/promises'
import t from 'tap'
import { type PeerName, peers } from '../../../lab/bench/client-peers.js'
import { clientTable, type Figures } from '../../../lab/bench/client-table.js'

const guide = await readFile(new URL('../../../docs/integrator.md', import.meta.url), 'utf8')

const rowsOf = (text: string) =>
  [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()))

t.test('the table of the integrator guide has the rows of `npm run bench -- clients`', (t) => {
  const section = guide.split(/^##+ /m).find((part) => part.startsWith('Beside other clients\n')) ?? ''
  const printed = rowsOf(clientTable({ costs: new Map(), sizes: {} as Figures['sizes'] }))
  const shown = rowsOf(section)
  t.same(
    shown.map(([name]) => name),
    printed.map(([name]) => name),
  )
  for (const [at, cells] of printed.entries()) {
    const figure = cells.includes('NaN')
      ? /^(\d+\.\d\d|–)$/
      : /^(\d+\.\d kB(; \d+\.\d kB by `createPlainClient`)?|–)$/
    const hasFigures = cells.some((cell) => cell.startsWith('NaN'))
    if (hasFigures) for (const cell of shown[at]?.slice(1) ?? []) t.match(cell, figure, cells[0] ?? '')
    else t.same(shown[at], cells, cells[0] ?? '')
  }
  t.end()
})

t.test('costs are ratios to the first client of their row', (t) => {
  const names = Object.keys(peers) as PeerName[]
  const costs = new Map(
    names.map((name, at) => [name, { sequential: at + 1, concurrent: at + 1, heapBytes: [] }]),
  )
  const rows = rowsOf(clientTable({ costs, sizes: {} as Figures['sizes'] })).slice(-5)
  t.same(
    rows.map(([, ...cells]) => cells),
    [
      ['1.00', '7.00', '8.00', '10.00', '11.00'],
      ['1.00', '6.00', '8.00', '–', '–'],
      ['1.00', '2.00', '2.67', '–', '–'],
      ['1.00', '3.50', '4.50', '5.00', '5.50'],
      ['1.00', '1.75', '2.25', '2.50', '2.75'],
    ],
  )
  t.end()
})
