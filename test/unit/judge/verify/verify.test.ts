import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Report } from '../../../../src/judge/index.js'
import { checksum } from '../../../../src/judge/report/json-report.js'
import { libraryService, passing, runCommand } from '../../cli/conform/conform-harness.js'
import type { Answer, Call } from '../run/deployment.js'
import { head } from '../run/library.js'
import { libraryContract } from '../run/library-contract.js'
import { type Files, scenarioFolder } from '../run/run-suite.js'

const verify = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCommand('verify', args, env)

/** The report of a run, and its options. */
async function reportOf(
  t: Test,
  files: Files,
  answers: Readonly<Record<string, (call: Call) => Answer>> = {},
  args: readonly string[] = [],
) {
  const { folder, contract, suite, deployment, run } = await libraryService(t, files, answers)
  const file = join(folder, 'report.json')
  const { err } = await run(['--report', `json=${file}`, ...args])
  t.match(err, /^(?:concordat conform: no case was judged, so the service was not tested)?$/)
  const sent = deployment.requests.length
  const hasSentMore = () => deployment.requests.length > sent
  const report = JSON.parse(await readFile(file, 'utf8')) as Report
  return { file, folder, contract, suite, report, hasSentMore }
}

/** Writes a changed contract and returns its path. */
async function otherContract(t: Test, change: (text: string) => string): Promise<string> {
  const folder = await scenarioFolder(t, { 'library.json': change(JSON.stringify(libraryContract)) })
  return join(folder, 'library.json')
}

const titled = `
scenario: The first book has a title.
rule: books.title
steps:
  - call: book
    params: [1]
    capture: { title: $.result.title }
    expect: { result: { $has: { title: { $type: string } } } }
  - call: book
    params: [1]
    expect: { result: { title: '\${title}', shelf: 2 } }
`

t.test('an unchanged judgement changes no verdict and sends no requests', async (t) => {
  const files = {
    'books/one.yaml': passing,
    'books/two.yaml': titled,
    'books/raw.yaml': `
scenario: What is no JSON is refused.
rule: books.title
steps:
  - raw: '{'
    expect: { status: 400 }
`,
    'books/batch.yaml': `
scenario: Books come in order.
rule: books.title
steps:
  - batch: [{ call: book, params: [1], id: '"a"' }, { call: book, params: [7] }]
    expect: { items: [{ result: { $type: object } }, { result: null }] }
  - call: book
    params: [7]
    repeat-until: { expect: { result: null }, at-most: 5 }
    expect: { result: null }
`,
  }
  const { file, suite, hasSentMore } = await reportOf(t, files)
  const { code, out, err } = await verify([file, ...suite])
  t.equal(hasSentMore(), false)
  t.equal(err, '')
  t.match(out, /4 of \d+ cases judged again, 0 changed|judged again, 0 changed/)
  t.match(out, 'the same as then')
  t.equal(code, 1, 'failures still fail')
  t.match(out, /still failing\n {2}✗ books\/raw {3}failed/)
})

t.test('a case that uses the start time of its run is judged with the same time', async (t) => {
  const dated = `
scenario: A book of this run.
rule: books.title
steps:
  - call: book
    params: ['\${run.started}']
    id: '"\${run.started}"'
    expect: { result: null }
`
  const { file, suite, report } = await reportOf(
    t,
    { 'books/dated.yaml': dated },
    { book: () => ({ result: null }) },
  )
  const { ids, evidence } = report.cases.find(({ id }) => id === 'books/dated') ?? { ids: [], evidence: [] }
  t.match(evidence[0]?.request.body, `0x${new Date(report.started).getTime().toString(16)}`)
  t.same(ids, [])
  const { code, out } = await verify([file, ...suite])
  t.equal(code, 0, out)
  t.match(out, 'judged again, 0 changed')
})

t.test('a newer contract changes verdicts, and the changes are explained', async (t) => {
  const { file, suite } = await reportOf(t, { 'books/one.yaml': passing, 'books/two.yaml': titled })
  const [, , ...scenarios] = suite
  const same = await verify([file, ...suite])
  t.equal(same.code, 0)
  const newer = await otherContract(t, (text) =>
    text
      .replace('"version":"2.1.0"', '"version":"2.2.0"')
      .replace('"title":{"type":"string"}', '"title":{"type":"string","maxLength":3}'),
  )
  const { code, out } = await verify([file, '--contract', newer, ...scenarios])
  t.equal(code, 1)
  t.match(out, 'Contract   Library 2.2.0')
  t.match(out, /\(then 2\.1\.0, sha256 [0-9a-f]{12}…\)/)
  t.match(out, /changed\n {2}✗ books\/two {3}passed → failed\n {6}step 1: \/result/)
  t.match(out, '1 changed')
})

t.test('newer scenarios are judged by the stored replies, as far as they send the same', async (t) => {
  const files = { 'books/one.yaml': passing, 'books/two.yaml': titled, 'books/gone.yaml': passing }
  const { file, contract } = await reportOf(t, files, {
    book: () => ({ result: { title: 'Emma', shelf: 2 } }),
  })
  const newer = await scenarioFolder(t, {
    'books/one.yaml': passing.replace('result: null', 'result: { $has: { title: Emma } }'),
    'books/two.yaml': titled.replaceAll('params: [1]', 'params: [2]'),
    'books/new.yaml': passing,
    'books/three.yaml': passing,
  })
  const { code, out } = await verify([file, '--contract', contract, '--scenarios', newer])
  t.equal(code, 0)
  t.match(out, '✓ books/one   failed → passed')
  t.match(out, '1  it now sends other requests than the report contains  (books/two)')
  t.match(out, '1  the case no longer exists  (books/gone)')
  t.match(out, /not in the report: books\/new, books\/three/)
})

t.test('cases that cannot be judged again are listed with the reason', async (t) => {
  const long = 'x'.repeat(100_000)
  // Incompressible replies are not kept.
  const noise = `x${randomBytes(400_000).toString('hex')}`
  const files = {
    'books/noise.yaml': passing
      .replace('params: [7]', 'params: [5]')
      .replace('result: null', 'result: { $has: { title: { $pattern: ^y } } }'),
    'books/cut.yaml': passing.replace('result: null', `result: { $has: { title: { $pattern: ^x } } }`),
    'books/write.yaml': passing
      .replace('call: book', 'call: lend')
      .replace('scenario:', 'effect: write\nscenario:'),
    'books/echo.yaml': passing
      .replace('params: [7]', 'params: [8]')
      .replace('result: null', 'result: { $has: { title: { $pattern: Qq7 } } }'),
    'books/often.yaml': `
scenario: A book comes in the end.
rule: books.title
steps:
  - call: book
    params: [9]
    repeat-until: { expect: { result: { $type: object } }, at-most: 30 }
    expect: { result: { $has: { title: Emma } } }
`,
    'books/found.yaml': `needs: [shelf]\n${passing.replace('params: [7]', 'params: [6]')}`,
    'fixtures/shelf.yaml': `
fixture: A shelf.
steps:
  - call: book
    params: [1]
    capture: { shelf: $.result.shelf }
`,
  }
  let asked = 0
  const { file, folder, suite, report } = await reportOf(t, files, {
    book: ({ params: [number], got }) => {
      if (number === 6) return { result: null }
      if (number === 5) return { result: { title: noise } }
      if (number === 8) return { result: { title: got.path } }
      if (number === 9) return { result: ++asked < 20 ? null : { title: 'Emma' } }
      if (number === 1) return { result: { title: 'Emma', shelf: 2 } }
      return { result: { title: long } }
    },
  })
  t.match(report.fixtures, { shelf: { shelf: 2 } })
  const { out, code } = await verify([file, ...suite])
  t.equal(code, 1, 'a failure that cannot be judged again still fails')
  t.match(out, /✗ books\/noise {3}failed then\n {6}a long answer is truncated in the report\n/)
  const verdictOf = (id: string) => report.cases.find((one) => one.id === id)?.evidence[0]?.response
  t.match(verdictOf('books/cut'), { altered: 'cut', whole: /^H4sI/ })
  t.notMatch(out, 'books/cut', 'a long reply is judged again')
  t.match(out, /✗ invariants\/no-secrets {3}failed then\n/)
  t.match(out, '1  the report lacks some answers of a repeated step  (books/often)')
  t.match(out, '1  it was not completed: it writes: --allow write  (books/write)')
  const { fixtures: _, sha256: __, ...rest } = report as Report & { sha256: string }
  const without = { ...rest, fixtures: {} }
  const changed = join(folder, 'changed.json')
  await writeFile(changed, JSON.stringify({ ...without, sha256: checksum(without) }))
  t.match(
    (await verify([changed, ...suite])).out,
    '1  the report does not contain the value of "shelf"  (books/found)',
  )
})

t.test('a comparison while the head moved proves nothing, then or now', async (t) => {
  const follows = `follows-head: true\n${passing}`
  let number = 16
  const moving = () => ({ result: { number: `0x${(number++).toString(16)}`, hash: '0xaa' } })
  const ran = await reportOf(
    t,
    { 'books/one.yaml': follows },
    { newest: moving, book: () => ({ result: { title: 'Emma' } }) },
  )
  t.equal(ran.report.cases[0]?.verdict, 'inconclusive')
  const again = await verify([ran.file, ...ran.suite])
  t.match(again.out, '1 inconclusive')
  t.equal(again.code, 0)
  const passed = await reportOf(t, { 'books/one.yaml': follows }, { newest: () => ({ result: head }) })
  const stricter = await scenarioFolder(t, {
    'books/one.yaml': follows.replace('result: null', 'result: { $has: { title: Emma } }'),
  })
  const judged = await verify([passed.file, '--contract', passed.contract, '--scenarios', stricter])
  t.match(judged.out, /passed → (?:inconclusive|failed)/)
})

t.test('a case without an answer has none when it is judged again', async (t) => {
  const { file, suite } = await reportOf(t, { 'books/one.yaml': passing }, { book: () => 'reset' })
  const { code, out } = await verify([file, ...suite])
  t.match(out, /still failing\n {2}✗ books\/one {3}without an answer\n {6}step 1: /)
  t.equal(code, 1)
})

t.test('without a case to judge again the exit code is 2', async (t) => {
  const { file, contract } = await reportOf(t, { 'books/one.yaml': passing })
  const empty = await scenarioFolder(t, { 'books/other.yaml': passing })
  const { code, err } = await verify([file, '--contract', contract, '--scenarios', empty])
  t.equal(code, 2)
  t.match(err, 'no case could be judged again')
})

t.test('an incomplete report is refused in one line with the reason', async (t) => {
  const { file, folder, report } = await reportOf(t, { 'books/one.yaml': passing })
  const text = await readFile(file, 'utf8')
  const table: readonly (readonly [given: string, wanted: RegExp])[] = [
    [text.slice(0, text.indexOf('"cases"')), /the file is truncated/],
    ['<html>', /not JSON/],
    ['[]', /not a report of concordat conform; --report json=FILE writes one/],
    ['{"schema":"another"}', /not a report of concordat conform/],
    [
      text.replace('report/2', 'report/1'),
      /its format is concordat-conformance-report\/1, but this version of concordat reads concordat-conformance-report\/2/,
    ],
    [text.replace('"verdict": "pass"', '"verdict": "fail"'), /it was changed after it was written/],
    [
      JSON.stringify({ ...report, more: 1 }),
      /violates the format .* at #: must NOT have additional properties \(more\)/,
    ],
    [JSON.stringify({ ...report, counts: {} }), /at #\/counts: must have required property 'pass'/],
  ]
  for (const [index, [given, wanted]] of table.entries()) {
    const other = join(folder, `${index}.json`)
    await writeFile(other, given)
    const { code, out, err } = await verify([other])
    t.equal(code, 2, err)
    t.equal(out, '')
    t.match(err, wanted)
    t.equal(err.split('\n').length, 1)
  }
})

t.test('invalid arguments are reported', async (t) => {
  const table: readonly (readonly [args: readonly string[], wanted: RegExp])[] = [
    [[], /missing required argument 'REPORT\.json'/],
    [['a', 'b'], /too many arguments/],
    [['/no/such/report.json'], /the file does not exist/],
    [['/'], /cannot be read \(EISDIR\)/],
    [['--nonsense'], /--nonsense/],
  ]
  for (const [args, wanted] of table) {
    const { code, err } = await verify(args)
    t.equal(code, 2)
    t.match(err, wanted)
  }
  const help = await verify(['--help'])
  t.equal(help.code, 0)
  t.match(help.out, 'Usage: concordat verify [options] <REPORT.json>')
  const { file, suite } = await reportOf(t, { 'books/one.yaml': passing })
  const other = await otherContract(t, (text) => text.replaceAll('north', 'west'))
  const [, , ...scenarios] = suite
  const { code, err } = await verify([file, '--contract', other, ...scenarios])
  t.equal(code, 2)
  t.match(err, 'the report does not match the contract: The contract has no network "north"')
})
