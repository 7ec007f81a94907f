import { mkdirSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type Call, ownKey } from '../../judge/run/deployment.js'
import { libraryContract } from '../../judge/run/library-contract.js'
import { conform, libraryService, passing } from './conform-harness.js'

const wrong = { book: () => ({ result: { title: 'Ghost' } }) }

const lending = `
scenario: A book is lent.
effect: write
steps:
  - call: lend
    params: [1]
    expect: { result: lent }
`

t.test('a correct service: exit code 0, and a readable report', async (t) => {
  const { run } = await libraryService(t, { 'books/missing.yaml': passing })
  const { code, out, err } = await run()
  t.equal(code, 0)
  t.equal(err, '')
  t.match(out, /^ {2}Contract {3}Library 2\.1\.0 /m)
  t.match(out, /^ {2}Target {5}http:\/\/127\.0\.0\.1:\d+\/•••••-N +network north, head 16 /m)
  t.match(out, /^ {2}Mode {7}safe: read-only methods, no budget, as fast as it answers$/m)
  t.match(out, /^ {2}1 passed {8}2 requests, 0 writes, /m)
  t.match(out, /^ {2}Rules covered: 1 of 4 \(3 without a case in this run\)$/m)
  t.notMatch(out, ownKey)
})

t.test(
  'a faulty service: exit code 1, with the rule, the difference and a command to repeat the case',
  async (t) => {
    const { run, contract, suite } = await libraryService(t, { 'books/missing.yaml': passing }, wrong)
    const { code, out } = await run()
    t.equal(code, 1)
    t.match(out, '✗ books/missing')
    t.match(
      out,
      'books.missing-null (section 2.1, #/info/x-rules/0)\n              A book that is not there is null.',
    )
    t.match(out, /expected {2}\/result {2}null\n {4}got {7}\{"title":"Ghost"\}/)
    t.match(
      out,
      /\$ curl -s "\$RPC_URL" -H 'content-type: application\/json' -d '\{"jsonrpc":"2.0","id":\d+,"method":"book"/,
    )
    t.match(
      out,
      `npx concordat conform "$RPC_URL" --contract ${contract} --scenarios ${suite[3]} --replay books/missing`,
    )
  },
)

t.test('a single case is replayed with its dependencies', async (t) => {
  const files = {
    'books/missing.yaml': passing,
    'books/other.yaml': passing,
    'books/last.yaml': passing.replace('steps:', 'after: [books/missing]\nneeds: [a-book]\nsteps:'),
    'fixtures/a-book.yaml':
      'fixture: a book\nsteps:\n  - call: book\n    params: [1]\n    capture: { title: $.result.title }\n',
  }
  const { deployment, suite } = await libraryService(t, files)
  const { code, out } = await conform([deployment.url, ...suite, '--replay', 'books/last'])
  t.equal(code, 0)
  t.match(out, /^ {2}2 passed /m)
  t.same(deployment.methods(), ['newest', 'book', 'book', 'book'])
})

t.test('--list needs no URL, sends nothing and describes each case', async (t) => {
  const { deployment, suite } = await libraryService(t, {
    'books/missing.yaml': passing.replace('steps:', 'network: south\nsteps:'),
    'books/lend.yaml': lending,
  })
  const { code, out } = await conform([...suite, '--list', '--only', 'books/*'])
  t.equal(code, 0)
  t.same(out.split('\n'), [
    'books/lend     [write] A book is lent.',
    'books/missing  [south only] A book that is not there is null.',
  ])
  t.match((await conform([...suite, '--list'])).out, /^derived\/book\//m)
  t.same(deployment.requests, [])
})

t.test('invariants are listed and planned, and can be selected alone', async (t) => {
  const { suite, deployment } = await libraryService(t, {
    'books/missing.yaml': passing,
    'invariants/limit.yaml':
      "invariant: The limit is constant.\nheader: { name: x-limit, pattern: '^(.*)$', is: steady }\n",
  })
  const limit = 'invariants/limit         The limit is constant.'
  t.match((await conform([...suite, '--list', '--only', 'invariants/*'])).out.split('\n'), [
    /^invariants\/every-answer {2}Answers that no case judges/,
    limit,
  ])
  const overWebSockets = await conform(['ws://127.0.0.1/', ...suite, '--network', 'north', '--list'])
  t.match(overWebSockets.out, /^invariants\/session +Each answer over a connection belongs to a request/m)
  t.match((await conform([...suite, '--list'])).out, /^invariants\/limit +The limit is constant\.$/m)
  t.notMatch((await conform([...suite, '--list', '--only', '!invariants/*'])).out, 'invariants/')
  const run = (...args: readonly string[]) => conform([deployment.url, ...suite, ...args])
  t.match((await run('--plan')).out, /^ {2}invariants +2 rules {2}no requests of their own$/m)
  t.same(deployment.requests, [])
  const { code, out } = await run('--only', 'invariants/*')
  t.equal(code, 0)
  t.match(out, /^ {2}1 passed, 1 not applicable /m)
  t.notMatch(out, 'books/missing')
  t.ok(deployment.methods().includes('book'), 'the cases make the traffic')
  const some = await run('--only', 'invariants/*', '--only', 'books/*')
  t.match(some.out, /^ {2}books .* 1 passed$/m)
  t.match(some.out, /^ {2}invariants .* 1 not applicable$/m)
})

t.test('--plan shows the maximum of requests and the skipped cases, and sends nothing', async (t) => {
  const { run, deployment } = await libraryService(t, {
    'books/lend.yaml': lending,
    'books/missing.yaml': passing.replace('steps:', 'needs: [a-book]\nsteps:'),
    'books/moving.yaml': passing.replace('steps:', 'follows-head: true\nsteps:'),
    'books/many.yaml': `
scenario: Many books.
steps:
  - batch: [{ call: book, params: [5], times: '\${limit.shelfLength}' }]
    capture: { last: $ }
  - call: book
    params: [7]
    repeat-until: { expect: { error: {} }, at-most: '\${last}' }
    expect: { result: null }
`,
    'fixtures/a-book.yaml':
      'fixture: a book\nsteps:\n  - call: book\n    params: [1]\n    capture: { title: $.result.title }\n',
  })
  const { code, out } = await run(['--plan', '--budget', '5'])
  t.equal(code, 0)
  t.match(
    out,
    /^ {2}books +3 cases {2}at most 16 requests, plus requests that depend on answers {2}1 skipped: it writes: --allow write$/m,
  )
  t.match(out, /^ {2}discovery +at most 2 requests$/m)
  t.match(
    out,
    /^ {2}total +3 cases {2}at most 18 requests.* budget 5 requests: cases beyond it would not run$/m,
  )
  t.match(out, 'Nothing was sent.')
  t.same(deployment.requests, [])
})

t.test('a method without a declared effect is called only with --assume-read', async (t) => {
  const { run, deployment } = await libraryService(t, {
    'books/unmarked.yaml': 'scenario: Anything.\nsteps:\n  - call: unmarked\n    expect: { result: null }\n',
  })
  const safe = await run()
  t.equal(safe.code, 2, 'no case ran to its end')
  t.match(safe.err, /no method was answered, so the service was not tested\. Missing:\n {2}\d+ cases?: /)
  t.match(
    (await run(['--plan'])).out,
    '1 skipped: The contract does not say what "unmarked" does. If it only reads, use --assume-read "unmarked".',
  )
  t.notOk(deployment.methods().includes('unmarked'))
  for (const more of [[], ['--plan']])
    t.match(await run(['--assume-read', 'Unmarked', ...more]), {
      code: 2,
      err: /--assume-read Unmarked: no method of the contract matches/,
    })
  const assumed = await run(['--assume-read', 'unm*'])
  t.equal(assumed.code, 0)
  t.ok(deployment.methods().includes('unmarked'))
})

t.test(
  'a JSON report is written to a file beside the terminal report, or to standard output instead',
  async (t) => {
    const { run, folder } = await libraryService(t, { 'books/missing.yaml': passing }, wrong)
    const file = join(folder, 'report.json')
    const both = await run(['--report', `json=${file}`])
    t.match(both.out, '✗ books/missing')
    const written = await readFile(file, 'utf8')
    const kept = JSON.parse(written)
    t.match(kept, {
      schema: 'concordat-conformance-report/2',
      contract: { title: 'Library', version: '2.1.0', sha256: /^[0-9a-f]{64}$/ },
      counts: { fail: 1 },
      mode: { budget: null, perSecond: null, concurrency: 4, allowed: ['read'] },
    })
    t.notMatch(written, ownKey)
    const alone = await run(['--report', 'json=-'])
    t.equal(alone.code, 1)
    t.match(JSON.parse(alone.out), { counts: { fail: 1 } })
  },
)

t.test('limits come from the options', async (t) => {
  const { run } = await libraryService(t, { 'books/missing.yaml': passing, 'books/other.yaml': passing })
  const options = ['--budget', '2', '--rps', '500', '--concurrency', '1', '--report', 'json=-']
  const { code, out } = await run(options)
  t.equal(code, 0)
  t.match(JSON.parse(out), {
    mode: { budget: 2, perSecond: 500, concurrency: 1 },
    counts: { pass: 1, 'not-run': 1 },
    requests: { billed: 2 },
  })
  t.equal((await run([...options, '--require-complete'])).code, 3, 'incomplete with --complete')
})

t.test('cases that write run with --allow write, and are counted', async (t) => {
  const { run, deployment } = await libraryService(t, { 'books/lend.yaml': lending })
  const { code, out } = await run(['--allow', 'write,spends-quota'])
  t.equal(code, 0)
  t.match(out, 'allowed: read, write, spends-quota')
  t.match(out, ', 1 write, ')
  t.ok(deployment.methods().includes('lend'))
})

t.test('known failures do not fail the run until they expire or pass', async (t) => {
  const { run, folder } = await libraryService(t, { 'books/missing.yaml': passing }, wrong)
  const file = join(folder, 'known.yaml')
  const entry = (expires: string, id = 'books/*') =>
    writeFile(file, `- { case: '${id}', reason: old shelf, owner: ada, expires: ${expires} }\n`)
  await entry('2999-12-31')
  const known = await run(['--known', file])
  t.equal(known.code, 0)
  t.match(known.out, '1 known to fail      old shelf (known to ada until 2999-12-31)')
  await entry('2001-01-01')
  const expired = await run(['--known', file])
  t.equal(expired.code, 1)
  t.match(expired.out, '✗ books/missing')
  await entry('2999-12-31', 'films/*')
  t.match(await run(['--known', file]), { code: 1, out: /unknown case "films\/\*"/ })
  const good = await libraryService(t, { 'books/missing.yaml': passing })
  await entry('2999-12-31')
  t.match(await good.run(['--known', file]), { code: 1, out: /1 stale +it passes now/ })
})

t.test('a profile stores the found fixtures, so that the next run sends the same requests', async (t) => {
  const { run, folder, deployment } = await libraryService(t, {
    'books/missing.yaml': passing
      .replace('steps:', 'needs: [a-book]\nsteps:')
      .replace('[7]', `['\${shelf + 5}']`),
    'fixtures/a-book.yaml':
      'fixture: a book\nsteps:\n  - call: book\n    params: [1]\n    capture: { shelf: $.result.shelf }\n',
  })
  const file = join(folder, 'profile.json')
  t.equal((await run(['--profile', file])).code, 0)
  const kept = JSON.parse(await readFile(file, 'utf8'))
  t.match(kept, { network: 'north', fixtures: { 'a-book': { shelf: 2 } } })
  const before = (await stat(file)).mtimeMs
  await writeFile(file, JSON.stringify({ ...kept, fixtures: { 'a-book': { shelf: 30 } } }))
  t.equal((await run(['--profile', file])).code, 0)
  t.match(deployment.requests.at(-1)?.body, '"params":[35]')
  t.match(await run(['--profile', file, '--plan']), { out: /discovery +at most 1 request$/m })
  t.ok((await stat(file)).mtimeMs >= before)
  const refused = async (content: unknown, message: RegExp) => {
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
    t.match(await run(['--profile', file]), { code: 2, err: message })
  }
  await refused(
    { ...kept, network: 'south' },
    /is a profile of another network \(south\): give another file$/,
  )
  await refused({ ...kept, contract: '00' }, /is a profile for another contract: delete it/)
  await refused('{"a":', /is not a profile/)
  await refused({ schema: 'x' }, /is not a profile/)
})

t.test('a run with a profile runs one case at a time, so that the order is fixed', async (t) => {
  const { run, folder } = await libraryService(t, { 'books/missing.yaml': passing })
  const modeOf = async (...args: string[]) =>
    JSON.parse((await run([...args, '--report', 'json=-'])).out).mode
  const profile = ['--profile', join(folder, 'profile.json')]
  t.match(await modeOf(), { concurrency: 4 })
  t.match(await modeOf(...profile), { concurrency: 1 })
  t.match(await modeOf(...profile, '--concurrency', '3'), { concurrency: 3 })
})

t.test('headers are sent with every request, and never shown', async (t) => {
  const { run, deployment } = await libraryService(
    t,
    { 'books/missing.yaml': passing },
    {
      book: ({ got }) => ({ result: { title: `${got.headers['x-token']} ${got.path}` } }),
    },
  )
  const token = 'tok-5f1e9a7c33d2'
  const { code, out, err } = await run(['--header', `X-Token: ${token}`, '--report', 'json=-'])
  t.equal(code, 1)
  t.ok(deployment.requests.every(({ headers }) => headers['x-token'] === token))
  t.notMatch(out + err, token)
  t.notMatch(out + err, ownKey)
  t.match(out, "-H 'x-token: •")
})

t.test('an unreachable service means no run: exit code 2, without the key', async (t) => {
  const { suite } = await libraryService(t, { 'books/missing.yaml': passing })
  const { code, out, err } = await conform([`http://127.0.0.1:1/${ownKey}`, ...suite])
  t.equal(code, 2)
  t.equal(out, '')
  t.match(err, /^concordat conform: cannot reach http:\/\/127\.0\.0\.1:1\/•••••-N: .+/)
  t.equal(err.split('\n').length, 1)
  t.notMatch(err, ownKey)
})

t.test('a service that refuses the key is not called again', async (t) => {
  const refuse = ({ id }: Call) => ({
    status: 401,
    body: `{"jsonrpc":"2.0","id":${id},"error":{"code":-32016,"message":"The key ${ownKey} is not accepted"}}`,
  })
  const { run, deployment } = await libraryService(t, { 'books/missing.yaml': passing }, { newest: refuse })
  const { code, err } = await run()
  t.equal(code, 2)
  t.match(
    err,
    /http:\/\/127\.0\.0\.1:\d+\/•••••-N denies access \(HTTP 401, error -32016 "The key •+ is not accepted"\)/,
  )
  t.notMatch(err, ownKey)
  t.equal(deployment.requests.length, 1)
})

t.test('the network must be known', async (t) => {
  const { deployment, suite } = await libraryService(t, { 'books/missing.yaml': passing })
  const { code, err } = await conform([deployment.origin, ...suite])
  t.equal(code, 2)
  t.match(err, 'the URL does not identify the network: add --network north or --network south')
  t.same(deployment.requests, [])
  const told = await conform([deployment.origin, ...suite, '--only', 'books/*', '--network', 'south'])
  t.match(told, { code: 0, out: /network south/ })
})

t.test('a private key from the environment is a fact and a secret', async (t) => {
  const key = `0x${'5a'.repeat(32)}`
  const { run } = await libraryService(
    t,
    {
      'books/funded.yaml': `
scenario: A book is bought.
needs: [funded-key]
steps:
  - call: book
    params: ['\${fundedKey}']
    expect: { result: null }
`,
    },
    { book: ({ params }) => ({ result: { title: `paid with ${params[0]}` } }) },
  )
  const without = await run()
  t.equal(without.code, 2)
  t.match(without.out, 'CONCORDAT_CONFORM_FUNDED_KEY')
  const paid = await run(['--report', 'json=-'], { CONCORDAT_CONFORM_FUNDED_KEY: key })
  t.equal(paid.code, 1)
  t.notMatch(paid.out, '5a5a5a5a')
  const malformed = await run([], { CONCORDAT_CONFORM_FUNDED_KEY: key.slice(0, -1) })
  t.match(malformed, { code: 2, err: /CONCORDAT_CONFORM_FUNDED_KEY must be a private key: 0x and 64/ })
  t.notMatch(malformed.err, '5a5a5a5a')
})

t.test('another contract is tested by its derived cases', async (t) => {
  const { deployment, contract } = await libraryService(t, { 'books/missing.yaml': passing })
  const { code, out } = await conform([deployment.url, '--contract', contract])
  t.equal(code, 1, 'this library accepts every parameter')
  t.match(out, 'derived/book/')
})

t.test('an unwritable report is refused before anything is sent', async (t) => {
  const { run, folder, deployment } = await libraryService(t, { 'books/missing.yaml': passing })
  await mkdir(join(folder, 'taken'))
  for (const [file, message] of [
    [join(folder, 'none', 'report.json'), 'cannot be written: its folder does not exist'],
    [join(folder, 'taken'), 'is a folder: give the name of a file'],
  ] as const) {
    const { code, err } = await run(['--report', `json=${file}`])
    t.equal(code, 2)
    t.match(err, message)
  }
  t.same(deployment.requests, [])
})

t.test('a report that fails to be written at the end does not affect the terminal report', async (t) => {
  let file = ''
  const { run, folder } = await libraryService(
    t,
    { 'books/missing.yaml': passing },
    {
      book: () => {
        // Simulates a disk that fills up during the run.
        mkdirSync(file)
        return { result: null }
      },
    },
  )
  file = join(folder, 'report.json')
  const { code, out, err } = await run(['--report', `json=${file}`])
  t.equal(code, 2)
  t.match(out, /^ {2}1 passed /m)
  t.match(err, /report\.json cannot be written: EISDIR/)
})

t.test('cases with forbidden effects do not count as a run without answered methods', async (t) => {
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
  const cut = `
scenario: A request that is cut off is refused.
rule: books.title
steps:
  - raw: '{'
    expect: { status: 400, error: { code: -32700 } }
`
  const lend = `
scenario: A book is lent, and a request that is cut off is refused.
rule: books.title
effect: write
steps:
  - call: lend
    params: [1]
    expect: { result: lent }
`
  const answers = { '': () => ({ status: 400, body: refused }) }
  const { run } = await libraryService(t, { 'books/cut.yaml': cut, 'books/lend.yaml': lend }, answers)
  const { code, out, err } = await run()
  t.match(out, /^ {2}1 passed, 1 not run/m)
  t.equal(code, 0, err)
  const alone = await run(['--only', '!books/cut'])
  t.equal(alone.code, 2, 'no case passed')
  const unanswered = await run(['--allow', 'write', '--budget', '1'])
  t.equal(unanswered.code, 2, 'the budget stops allowed requests')
})

t.test('a contract without declared effects exits with 2 and names the missing extension', async (t) => {
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'
  const { deployment, folder, suite } = await libraryService(
    t,
    {
      'http/cut.yaml': `
scenario: A request that is cut off is refused.
steps:
  - raw: '{'
    expect: { status: 400, error: { code: -32700 } }
`,
      'books/missing.yaml': passing,
    },
    { '': () => ({ status: 400, body: refused }) },
  )
  const contract = join(folder, 'undeclared.json')
  const methods = libraryContract.methods.map(({ 'x-effect': _, ...method }) => method)
  await writeFile(contract, JSON.stringify({ ...libraryContract, methods }))
  const only = ['--only', 'http/*', '--only', 'books/*', '--only', 'derived/*']
  const args = [deployment.url, '--contract', contract, ...suite.slice(2), ...only]
  const { code, err, out } = await conform(args)
  t.match(out, /^ {2}1 passed, \d+ not run/m)
  t.equal(code, 2)
  t.match(err, /^concordat conform: no method was answered, so the service was not tested\. /)
  t.match(
    err,
    /\n {2}\d+ cases?: The contract does not say what "book" does\. If it only reads, use --assume-read "book"/,
  )
  const told = await conform([...args, '--assume-read', 'book'])
  t.match(told.out, /Covered too: methods 1 of /)
  t.not(told.code, 2, told.err)
})
