import { join } from 'node:path'
import t from 'tap'
import { placeOf } from '../../../../src/cli/conform/reports/place-of.js'
import { renderReportFile } from '../../../../src/cli/conform/reports/render-report-file.js'
import { failure, report, result } from '../../conformance/report/sample-report.js'

const hostile = '100% a:b,c\r\n::error::x\u2028'

t.test('properties and messages are escaped as GitHub requires', (t) => {
  const text = renderReportFile(
    'github',
    report([
      result(hostile, 'fail', {
        ...failure,
        scenario: hostile,
        findings: [{ where: '/x', expected: '%', got: hostile }],
      }),
      result('b/stale', 'stale', { reason: 'it passes' }),
    ]),
    {
      again: () => 'again',
      placeOf: ({ id }) => (id === hostile ? { file: 'cases/a,b:c%.yaml', line: 7 } : undefined),
      difference: undefined,
      baseline: undefined,
    },
  )
  const message = String.raw`100%25 a:b,c\u000d\u000a::error::x\u2028`
  const title = String.raw`100%25 a%3Ab%2Cc\u000d\u000a%3A%3Aerror%3A%3Ax\u2028`
  t.same(text.split('\n'), [
    `::error file=cases/a%2Cb%3Ac%25.yaml,line=7,title=${title}::${message}%0A/x: expected %25, received ${message}%0Aagain`,
    '::error title=b/stale::it passes',
    '',
  ])
  t.end()
})

t.test('the place of a case is its file in the project', (t) => {
  const place = (file: string, origin: 'file' | 'derived' = 'file') =>
    placeOf({ source: { file, line: 3 }, origin })
  t.same(place('cases/one.yaml'), { file: join('cases', 'one.yaml'), line: 3 })
  t.same(place(join(process.cwd(), 'cases/one.yaml')), { file: join('cases', 'one.yaml'), line: 3 })
  t.equal(place('cases/one.yaml', 'derived'), undefined)
  t.equal(place('/elsewhere/one.yaml'), undefined)
  t.equal(place('node_modules/concordat/conformance/one.yaml'), undefined)
  t.equal(placeOf(undefined), undefined)
  t.end()
})
