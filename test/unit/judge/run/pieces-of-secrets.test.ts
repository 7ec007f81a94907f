import t from 'tap'
import { terminalReport } from '../../../../src/judge/index.js'
import { jsonReport } from '../../../../src/judge/report/json-report.js'
import { type Answer, startDeployment } from './deployment.js'
import { runSuite } from './run-suite.js'

const lookup = `
scenario: A book that is not there is null.
rule: books.missing-null
steps:
  - call: book
    params: [7]
    expect: { result: null }
`

/** A key that keeps long fragments when its numbers are replaced. */
const ownKey = 'Zq7bcdefghijkLmnopQrstu4vwxyzABCDEFG2-N'

/** Fragments that are long enough to identify the key. */
const pieces = Array.from({ length: ownKey.length - 7 }, (_, at) => ownKey.slice(at, at + 8))

const answers: Readonly<Record<string, (padding: string) => Answer>> = {
  'a page that repeats the path': (padding) => ({ body: `<p>${padding}/${ownKey}</p>` }),
  'an error that repeats the path': (padding) => ({
    error: { code: -32602, message: `${padding}${ownKey}` },
  }),
  'a result that repeats the path': (padding) => ({ result: { title: 7, [`${padding}${ownKey}`]: ownKey } }),
  'a result with the path in an escaped form': (padding) => ({
    result: `${padding}${[...ownKey].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('')}`,
  }),
}

for (const [name, answer] of Object.entries(answers)) {
  t.test(`${name}: no fragment of the key is in a report, wherever a long text is truncated`, async (t) => {
    for (const length of [0, 40, 130, 140, 150, 160, 170, 180, 190]) {
      const { origin } = await startDeployment(t, () => answer('x'.repeat(length)))
      const report = await runSuite(t, `${origin}/${ownKey}`, { 'books/one.yaml': lookup })
      const failed = report.cases.filter(({ verdict, group }) => verdict === 'fail' && group === 'books')
      t.equal(failed.length, 1)
      const written = [
        jsonReport(report),
        terminalReport(report, { colours: false, again: () => '' }).join('\n'),
      ].join('\n')
      const plain = decodeURIComponent(written.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
      t.same(
        pieces.filter((piece) => plain.includes(piece)),
        [],
        `after ${length} characters`,
      )
    }
  })
}
