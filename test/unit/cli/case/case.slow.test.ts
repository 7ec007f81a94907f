import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { conform, libraryService, passing, runCommand } from '../conform/conform-harness.js'

/** A case that fails on the library: it has no book 7. */
const failing = `
scenario: Book 7 is Emma.
rule: books.title
steps:
  - call: book
    params: [7]
    expect: { result: { $has: { title: Emma } } }
`

t.test('a request in a report becomes a case', async (t) => {
  const files = { 'books/missing.yaml': passing, 'books/emma.yaml': failing }
  const { deployment, contract, folder, run } = await libraryService(t, files)
  const report = join(folder, 'report.json')
  await run(['--report', `json=${report}`])
  const mine = join(folder, 'mine')
  const caseNew = (id: string, from: string, ...more: readonly string[]) =>
    runCommand('case', [
      ...['new', id, '--from', `${report}#${from}`, '--contract', contract, '--scenarios', mine],
      ...more,
    ])
  const text = (id: string) => readFile(join(mine, `${id}.yaml`), 'utf8')

  await t.test('the answer of a passed case is expected', async (t) => {
    const { code, out, err } = await caseNew('books/again', 'books/missing')
    t.equal(code, 0, out + err)
    t.ok(out.includes(`wrote ${join(mine, 'books', 'again.yaml')}`))
    t.same(parse(await text('books/again')), {
      scenario: 'A book that is not there is null.',
      rule: 'books.missing-null',
      steps: [{ call: 'book', params: [7], expect: { result: null } }],
    })
    const only = ['--contract', contract, '--scenarios', mine, '--only', 'books/*']
    const rerun = await conform([deployment.url, ...only])
    t.equal(rerun.code, 0, rerun.out)
  })

  await t.test('the case runs if a URL is given', async (t) => {
    const { code, out, err } = await caseNew(
      'books/error',
      'books/emma',
      '--expect',
      'error -32602',
      deployment.url,
    )
    t.equal(code, 1, 'the library answers null')
    t.match(out, /wrote .*error\.yaml\n[\s\S]*1 failed/)
    t.notMatch(out + err, new URL(deployment.url).pathname.slice(1))
    const before = await text('books/error')
    t.same(parse(before), {
      scenario: 'Book 7 is Emma.',
      rule: 'books.title',
      steps: [{ call: 'book', params: [7], expect: { error: { code: -32602 } } }],
    })
    const again = await caseNew('books/error', 'books/missing')
    t.match(again, { code: 2, err: /error\.yaml exists; choose another id/ })
    t.equal(await text('books/error'), before)
  })

  const refusals: readonly (readonly [from: string, args: readonly string[], message: RegExp])[] = [
    ['books/emma', [], /books\/emma did not pass, so its answer is not expected: give --expect/],
    ['books/none', [], /has no request of a case "books\/none"/],
    ['books/missing', ['--expect', 'Emma'], /--expect takes JSON, such as "0x1" or null, or error -32602/],
    ['books/missing', ['--expect', 'error -1'], /the contract does not declare the error -1; it has /],
    ['books/missing', ['--expect', '"Emma"'], /the contract does not allow this result/],
  ]
  for (const [from, args, message] of refusals) {
    await t.test(`refused: ${from} ${args.join(' ')}`, async (t) => {
      t.match(await caseNew('books/refused', from, ...args), { code: 2, out: '', err: message })
      await t.rejects(text('books/refused'), { code: 'ENOENT' })
    })
  }
})

const mistakes: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['--from', 'report.json#x'], /missing required argument 'GROUP\/NAME'/],
  [['a/b'], /required option '--from <REPORT\.json#ID>' not specified\. See --help\./],
  [
    ['Books/Emma', '--from', 'report.json#x'],
    /GROUP\/NAME needs group\/name in lower case with hyphens, such as books\/missing/,
  ],
  [['a/b', 'http://c', 'd', '--from', 'report.json#x'], /too many arguments/],
  [['a/b', '--from', 'report.json'], /--from needs REPORT\.json#ID/],
  [['a/b', '--from', 'none.json#x'], /none\.json cannot be read \(ENOENT\)/],
]
t.test('wrong arguments are refused', async (t) => {
  for (const [args, message] of mistakes) {
    t.match(await runCommand('case', ['new', ...args]), { code: 2, out: '', err: message })
  }
})
