import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checksum } from '../../../../src/judge/report/json-report.js'
import { libraryService, passing } from './conform-harness.js'

const failing = passing.replace('[7]', '[8]')

/** A library in which book 7 is missing and book 8 is not, until the test changes that. */
async function library(t: Test) {
  const held = new Set([8])
  const service = await libraryService(
    t,
    {
      'books/one.yaml': passing,
      'books/two.yaml': failing,
      'books/three.yaml': passing.replace('[7]', '[9]'),
    },
    {
      book: ({ params: [number] }) => ({
        result: held.has(Number(number)) ? { title: '50%: a,b\r\n::error::c' } : null,
      }),
    },
  )
  const file = (name: string) => join(service.folder, name)
  const { code } = await service.run(['--report', `json=${file('before.json')}`])
  t.equal(code, 1)
  return { ...service, held, file, before: file('before.json') }
}

t.test('the summary lists new failures, fixed ones and those that still fail', async (t) => {
  const { run, held, file, before } = await library(t)
  const same = ['--baseline', before, '--report', `markdown=${file('same.md')}`]
  t.match(await run(same), { code: 1, out: /Since the baseline:\n {2}1 still failing +books\/two/ })
  const summary = await readFile(file('same.md'), 'utf8')
  t.match(summary, /^## Library 2\.1\.0: 1 of 3 cases failed, for 1 reason\n/)
  t.match(summary, '### Still failing\n\n- `books/two`: ')
  t.match(summary, '  rule `books.missing-null` (`#/info/x-rules/0`): A book that is not there is null.  \n')
  t.match(summary, '  call `book([8])`  \n')
  t.match(summary, /0 new failures, 0 fixed, 1 still failing/)
  t.notMatch(summary, /### (?:New failures|Fixed|New cases|Removed cases)/)
  t.equal((await run([...same, '--fail-on', 'new'])).code, 0)

  held.add(7).delete(8)
  const changed = ['--baseline', before, '--report', `markdown=${file('changed.md')}`]
  t.match(await run([...changed, '--fail-on', 'new']), {
    code: 1,
    out: /1 new failures +books\/one\n.*1 fixed +books\/two/,
  })
  const change = await readFile(file('changed.md'), 'utf8')
  t.match(change, '### New failures\n\n- `books/one`')
  t.match(change, '--replay books/one`')
  t.match(change, '### Fixed\n\n- `books/two`')
  t.notMatch(change, '### Still failing')

  const part = await run(['--only', '!books/two', '--baseline', before, '--report', 'markdown=-'])
  t.match(part.out, '### Failed before, not judged now\n\n- `books/two`: not in this run')
  t.match(part.out, '### Removed cases\n\n- `books/two`')
})

t.test('each cause of failure is an annotation, which texts of the target cannot end', async (t) => {
  const { run, before } = await library(t)
  const { code, out } = await run(['--report', 'github=-'])
  t.equal(code, 1)
  const [line = '', ...others] = out.split('\n')
  t.same(others, [])
  t.match(
    line,
    /^::error title=books\.missing-null%3A books\/two::A book that is not there is null\.%0A\/result: expected null, received /,
  )
  t.match(line, '50%25: a,b')
  t.match(line, '%0Anpx concordat conform "$RPC_URL"')
  t.match((await run(['--report', 'github=-', '--baseline', before])).out, /^::warning /)
})

t.test('files that are no baseline are refused before any request is sent', async (t) => {
  const { run, deployment, file, before } = await library(t)
  const sent = deployment.requests.length
  const refused = async (name: string, text: string, message: RegExp) => {
    await writeFile(file(name), text)
    const { code, err } = await run(['--baseline', file(name)])
    t.equal(code, 2)
    t.match(err, message)
  }
  const { sha256: _, ...report } = JSON.parse(await readFile(before, 'utf8'))
  const signed = (changes: object) => {
    const changed = { ...report, ...changes }
    return JSON.stringify({ ...changed, sha256: checksum(changed) })
  }
  await refused('text', 'hello', /text: not JSON/)
  await refused(
    'other.json',
    '{}',
    /other\.json: not a report of concordat conform; --report json=FILE writes one/,
  )
  await refused(
    'old.json',
    signed({ schema: 'concordat-conformance-report/1' }),
    /its format is .*\/1.* reads .*\/2/,
  )
  await refused('changed.json', JSON.stringify(report), /violates the format.*sha256/)
  await refused(
    'shop.json',
    signed({ contract: { ...report.contract, title: 'Shop' } }),
    /a report of another contract, "Shop" instead of "Library"/,
  )
  t.match(await run(['--baseline', file('none.json')]), {
    code: 2,
    err: /none\.json: the file does not exist/,
  })
  t.match(await run(['--fail-on', 'new']), { code: 2, err: /--fail-on new needs --baseline/ })
  t.match(await run(['--fail-on', 'old']), { code: 2, err: /--fail-on takes any or new/ })
  t.equal(deployment.requests.length, sent)
})
