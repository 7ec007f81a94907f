import { readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import t, { type Test } from 'tap'
import { type ReportFormat, reportFormats } from '../../../../src/judge/index.js'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import type { Answer, Call } from '../../judge/run/deployment.js'
import { libraryContract } from '../../judge/run/library-contract.js'
import { libraryService } from './conform-harness.js'
import { sarifProblems } from './sarif-form.js'

const caseOf = (rule: string, call: string, more = '') => `
scenario: The rule ${rule} holds.
rule: ${rule}
${more}steps:
  - ${call}
    expect: { result: { $not: 1 } }
`

/** Three cases of three rules fail by one cause, a fourth waits for one of them, and a fifth is about a value. */
const files = {
  'books/one.yaml': caseOf('books.missing-null', 'call: book\n    params: [1]'),
  'books/two.yaml': caseOf('books.title', 'call: book\n    params: [2]'),
  'books/three.yaml': caseOf(
    'shelf.length',
    'batch: [{ call: newest }, { call: book, params: [3] }]',
  ).replace('{ result: { $not: 1 } }', '{ items: [{ result: { $not: 1 } }, { result: { $not: 1 } }] }'),
  'books/waits.yaml': caseOf('shelf.order', 'call: newest', 'after: [books/two]\n'),
  'books/value.yaml': caseOf('books.title', 'call: book\n    params: [5]').replace('{ $not: 1 }', 'null'),
}

const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`member${at}`, at]))

/** A library whose books have no title, except the fifth. */
const book = ({ params: [number] }: Call): Answer => ({
  result: number === 5 ? { title: 'Emma', shelf: 2 } : { shelf: 2, ...many },
})

async function reports(t: Test) {
  const service = await libraryService(t, files, { book })
  await writeFile(service.contract, JSON.stringify(libraryContract, null, 2))
  const file = (name: string) => join(service.folder, `report.${name}`)
  const { code, out } = await service.run(
    reportFormats.flatMap((name) => ['--report', `${name}=${file(name)}`]),
  )
  t.equal(code, 1)
  const texts = await Promise.all(
    reportFormats.map(async (name) => [name, await readFile(file(name), 'utf8')]),
  )
  return { ...service, out, text: Object.fromEntries(texts) as Record<ReportFormat, string> }
}

t.test('every format names the rule, what differs, the call and the way to repeat it', async (t) => {
  const { out, text } = await reports(t)
  const rule = 'The result of book fits its schema.'
  const place = '#/components/schemas/Book/required'
  const html = text.html.replaceAll(/<[^>]+>/g, '')
  const github = text.github.replaceAll('%25', '%')
  for (const [name, shown] of Object.entries({ out, ...text, html, github })) {
    if (name === 'json') continue
    t.match(shown, /answer\.result/, `${name} has the id of the rule`)
    t.match(shown.replaceAll(/[`\\]/g, ''), rule, `${name} has its sentence`)
    if (name !== 'github') t.match(shown, place, `${name} has its place`)
    t.match(shown, /book\(\[1\]\)/, `${name} has the call`)
    t.match(shown, /books\/waits/, `${name} has the case that did not run`)
    t.match(shown, /--replay books\/one/, `${name} has the command`)
    t.match(shown, /without it: shelf, member0, member1/, `${name} shows which members there are`)
  }
  t.match(out, /✗ \/result must have the member "title"\n {4}cases +3 cases with this cause: books\/one, /)
  t.match(out, /follow-up +1 case did not run because of it: books\/waits\n/)
  t.match(text.tap, 'book([3]), call 2 of a batch of 2')
  t.match(text.tap, 'follow_ups:')
})

t.test('SARIF: one result for each cause, at the line of the contract or of the case', async (t) => {
  const { text } = await reports(t)
  const log = JSON.parse(text.sarif)
  t.same(sarifProblems(log), [])
  const [run] = log.runs
  t.same(
    run.results.map(({ ruleId, properties }: { ruleId: string; properties: JsonObject }) => [
      ruleId,
      properties['cases'],
      properties['followUps'],
    ]),
    [
      ['answer.result', ['books/one', 'books/three', 'books/two'], ['books/waits']],
      ['books.title', ['books/value'], []],
    ],
  )
})

t.test('annotations and SARIF point at the line of the contract and of the case file', async (t) => {
  const service = await libraryService(t, files, { book })
  const contractText = JSON.stringify(libraryContract, null, 2)
  await writeFile(service.contract, contractText)
  const before = process.cwd()
  t.teardown(() => process.chdir(before))
  // The scenarios of the harness are in another folder.
  process.chdir(service.folder)
  const { out } = await service.run(['--report', 'github=-'])
  const line = contractText
    .slice(
      0,
      contractText.lastIndexOf(
        '"required": [',
        contractText.indexOf('"title"', contractText.indexOf('"Book"')),
      ),
    )
    .split('\n').length
  t.match(out, new RegExp(`^::error file=library\\.json,line=${line},title=answer\\.result%3A 3 cases::`))
  t.match(out, /^::error file=library\.json,line=\d+,title=books\.title%3A books\/value::/m)
  t.notMatch(out, /node_modules|\.\.\//)
  const scenarios = String(service.suite.at(-1))
  process.chdir(scenarios)
  const inCases = await service.run(['--report', 'sarif=-'])
  const [, second] = JSON.parse(inCases.out).runs[0].results
  t.same(second.locations[0].physicalLocation, {
    artifactLocation: { uri: relative(scenarios, join(scenarios, 'books/value.yaml')) },
    region: { startLine: 2 },
  })
})
