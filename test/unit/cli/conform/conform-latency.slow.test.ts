import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import type { Report } from '../../../../src/judge/index.js'
import { checksum } from '../../../../src/judge/report/json-report.js'
import { startDeployment } from '../../judge/run/deployment.js'
import { library } from '../../judge/run/library.js'
import { libraryContract } from '../../judge/run/library-contract.js'
import { conform, libraryService, passing } from './conform-harness.js'

const delay = 200

/** A library whose books arrive late. */
async function slowLibrary(t: Parameters<typeof startDeployment>[0], scenario = passing) {
  const answers = library()
  const { url } = await startDeployment(t, async (call) => {
    if (call.method === 'book') await new Promise((resolve) => setTimeout(resolve, delay))
    return answers(call)
  })
  const { suite, folder, contract } = await libraryService(t, { 'books/one.yaml': scenario })
  return {
    run: (...args: string[]) => conform([url, ...suite, '--only', 'books/*', ...args]),
    folder,
    contract,
  }
}

t.test(
  'a method that is slower than in the baseline is a warning, and a failure if the user asks for it',
  async (t) => {
    const rows = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map(
      (number) => `{ case: book-${number}, number: ${number} }`,
    )
    const table = passing.replace('[7]', "['${number}']")
    const { run, folder } = await slowLibrary(t, `each: [${rows.join(', ')}]\n${table.trim()}\n`)
    const file = (name: string) => join(folder, name)
    t.equal((await run('--report', `json=${file('before.json')}`)).code, 0)
    const { sha256: _, ...report } = JSON.parse(await readFile(file('before.json'), 'utf8'))
    // On a busy machine any call can be slow, so the baseline of other methods allows that.
    const before = (numbers: { readonly method: string }) => {
      const milliseconds = numbers.method === 'book' ? 1 : 600_000
      return { ...numbers, p50: milliseconds, p90: milliseconds, p99: milliseconds }
    }
    const { latency } = report
    const changed = { ...report, latency: { ...latency, methods: latency.methods.map(before) } }
    await writeFile(file('quick.json'), JSON.stringify({ ...changed, sha256: checksum(changed) }))

    const compare = (...args: string[]) => run('--baseline', file('quick.json'), ...args)
    const warned = await compare(
      '--report',
      `markdown=${file('a.md')}`,
      '--report',
      `github=${file('a.txt')}`,
    )
    t.equal(warned.code, 0, warned.err)
    t.match(warned.out, /1 latencies higher +book p50 \d+ ms \(before 1 ms\)\n/)
    t.match(
      await readFile(file('a.md'), 'utf8'),
      /### Latency\n\n- slower than before: `book p50 .+ \(before 1 ms\)`\n/,
    )
    t.match(
      await readFile(file('a.txt'), 'utf8'),
      /^::warning title=Slower than before::book p50 .+ \(before 1 ms\)\n$/,
    )

    t.match(await compare('--latency', 'fail'), {
      code: 1,
      err: /--latency fail: book p50 .+ \(before 1 ms\)/,
    })
    t.equal((await compare('--latency', 'fail', '--latency-tolerance', '99999999')).code, 0)
    t.match(await run('--latency-tolerance', '5'), { code: 2, err: /--latency-tolerance needs --baseline/ })
  },
)

t.test('a slow method is a warning, and a failure if the user asks for it', async (t) => {
  const { run, folder } = await slowLibrary(t)
  const [json, html] = [join(folder, 'report.json'), join(folder, 'report.html')]
  const limits = ['--max-latency', 'b*:p99=100,max=600000', '--max-latency', 'newest:max=600000']
  const warned = await run(...limits, '--report', `json=${json}`, '--report', `html=${html}`)
  t.equal(warned.code, 0, warned.err)
  t.match(warned.out, /Latency: p50 .+, p90 .+, p99 .+, max .+; slowest book \(p99 .+\); longest pause /)
  t.match(warned.out, /Slower than allowed: book p99 .+ \(at most 100 ms\)\n/, 'only the exceeded limit')
  const { latency } = JSON.parse(await readFile(json, 'utf8')) as Report
  t.match(latency?.limits, [
    { method: 'book', measure: 'p99', milliseconds: 100, isExceeded: true },
    { measure: 'max', milliseconds: 600_000, isExceeded: false },
    { method: 'newest', measure: 'max', isExceeded: false },
  ])
  const page = await readFile(html, 'utf8')
  t.match(page, /<code>book<\/code> <span[^>]*>slower than allowed<\/span><\/th><td class="number">1<\/td>/)
  t.match(page, 'Slower than allowed: book p99')

  const failed = await run(...limits, '--latency', 'fail')
  t.equal(failed.code, 1)
  t.match(failed.err, /--latency fail: book p99 .+ \(at most 100 ms\)/)
  t.notMatch(failed.err, 'newest')
  t.equal((await run('--max-latency', 'max=600000', '--latency', 'fail')).code, 0)
})

t.test('limits of the contract apply, and options replace them', async (t) => {
  const { run, contract } = await slowLibrary(t)
  const methods = libraryContract.methods.map((method) =>
    method.name === 'book' ? { ...method, 'x-latency': { p50: 100 } } : method,
  )
  await writeFile(contract, JSON.stringify({ ...libraryContract, methods }))
  const stated = await run('--latency', 'fail')
  t.equal(stated.code, 1)
  t.match(stated.err, /book p50 .+ \(at most 100 ms\)/)
  const replaced = await run('--latency', 'fail', '--max-latency', 'book:p50=600000')
  t.equal(replaced.code, 0, replaced.err)
})

t.test('limits that cannot be used are explained', async (t) => {
  const { run } = await slowLibrary(t)
  for (const [args, message] of [
    [
      ['--max-latency', 'p95=1'],
      /--max-latency needs milliseconds such as p99=500.*known are p50, p90, p99, max/,
    ],
    [['--max-latency', 'p99=0'], /--max-latency needs milliseconds/],
    [['--max-latency', ''], /--max-latency needs milliseconds/],
    [['--max-latency', 'shelves:p99=1'], /--max-latency shelves: no method of the contract matches/],
    [['--latency', 'strict'], /--latency takes warn or fail/],
  ] as const) {
    const { code, err } = await run(...args)
    t.equal(code, 2, args.join(' '))
    t.match(err, message)
  }
})
