import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { conform, libraryService, passing, runCommand } from '../conform/conform-harness.js'
import '../../../support/plain-children.js'

const program = fileURLToPath(new URL('../../../../bin/concordat.js', import.meta.url))

/** Runs `concordat case new` with these lines on its standard input. */
async function caseNew(cwd: string, args: readonly string[], lines: readonly string[]) {
  const child = spawn(process.execPath, [program, 'case', 'new', ...args], { cwd })
  child.stdin.on('error', () => undefined)
  child.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

t.test('questions are asked until the answers fit the contract, and the case runs', async (t) => {
  const { deployment, contract } = await libraryService(t, { 'books/missing.yaml': passing })
  const folder = await temporaryFolder(t)
  const args = ['books/emma', '--contract', contract, deployment.url]
  const lines = [
    ...['', 'Book 1 is Emma.'],
    ...['books.none', 'books.title'],
    ...['bok', 'book'],
    ...['1', '{"number": -1}'],
    ...['Emma', '{"title":"Emma","shelf":2}', 'error -1', 'error -32602'],
  ]
  const refused = await caseNew(folder, args, lines)
  t.equal(refused.code, 1, 'the library finds no error in -1')
  for (const words of [
    'reports of a failure begin with this sentence',
    'the contract has no rule "books.none"',
    'the contract has no method "bok"; it has newest, book, lend, unmarked',
    'write a JSON list such as ["latest", false], or an object',
    'write JSON, such as "0x1" or null, or error -32602',
    'number must be at least 0; a result is only possible for valid parameters: expect an error',
    'the contract does not declare the error -1; it has ',
    `wrote ${join('cases', 'books', 'emma.yaml')}`,
    '1 failed',
  ]) {
    t.ok(refused.out.includes(words), `${words}\n${refused.out}${refused.err}`)
  }
  const file = join(folder, 'cases', 'books', 'emma.yaml')
  const before = await readFile(file, 'utf8')
  t.same(parse(before), {
    scenario: 'Book 1 is Emma.',
    rule: 'books.title',
    steps: [{ call: 'book', params: { number: -1 }, expect: { error: { code: -32602 } } }],
  })
  const again = await caseNew(folder, args, lines)
  t.equal(again.code, 2)
  t.match(again.err, /emma\.yaml exists; choose another id/)
  t.equal(await readFile(file, 'utf8'), before)
  t.notMatch(refused.out + refused.err + again.err, new URL(deployment.url).pathname.slice(1))
})

t.test('a request in a report becomes a case; its answer is proposed if the case passed', async (t) => {
  const { deployment, contract, folder, run } = await libraryService(t, { 'books/missing.yaml': passing })
  const report = join(folder, 'report.json')
  await run(['--report', `json=${report}`])
  const args = ['--contract', contract, '--from', `${report}#books/missing`, '--scenarios', 'mine']
  const { code, out, err } = await caseNew(folder, args, ['books/again', '', '-', '', '', ''])
  t.equal(code, 0, out + err)
  t.match(out, /Parameters as JSON \[\[7\]\]:/)
  t.match(out, /error CODE \[null\]:/)
  t.same(parse(await readFile(join(folder, 'mine', 'books', 'again.yaml'), 'utf8')), {
    scenario: 'A book that is not there is null.',
    steps: [{ call: 'book', params: [7], expect: { result: null } }],
  })
  const rerun = await conform([
    deployment.url,
    '--contract',
    contract,
    '--scenarios',
    join(folder, 'mine'),
    '--only',
    'books/*',
  ])
  t.equal(rerun.code, 0, rerun.out)
  const ended = await caseNew(folder, args, ['books/third', ''])
  t.equal(ended.code, 2)
  t.match(ended.err, /the input ended before an answer to "Rule of the contract, or - for none"/)
  await t.rejects(readFile(join(folder, 'mine', 'books', 'third.yaml')))
})

const mistakes: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [['Books/Emma'], /"Books\/Emma" is no id: write group\/name in lower case with hyphens/],
  [['a/b', 'c/d'], /more than one id or URL was given/],
  [['a/b', '--from', 'report.json'], /--from needs REPORT\.json#ID/],
  [['a/b', '--from', 'none.json#x'], /none\.json cannot be read \(ENOENT\)/],
]
t.test('wrong arguments are refused before the first question', async (t) => {
  for (const [args, message] of mistakes) {
    const { code, out, err } = await runCommand('case', ['new', ...args])
    t.equal(code, 2)
    t.equal(out, '')
    t.match(err, message)
  }
})
