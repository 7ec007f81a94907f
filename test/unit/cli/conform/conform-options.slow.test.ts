import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { reportFormats } from '../../../../src/judge/index.js'
import { ownKey } from '../../judge/run/deployment.js'
import { documentOf } from '../../toolkit/codegen/fixtures.js'
import { conform, libraryService, passing, runCommand } from './conform-harness.js'

const url = `http://127.0.0.1:9/${ownKey}`

const formats = new RegExp(`--report needs FORMAT=FILE, with FORMAT one of ${reportFormats.join(', ')}; `)

/** Invalid arguments with their messages. */
const mistakes: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /the URL of the service is missing/],
  [[url, url], /too many arguments\. Expected 1 argument but got 2/],
  [[`ftp://example.com/${ownKey}`], /start with http:\/\/, https:\/\/, ws:\/\/ or wss:\/\//],
  [[`example.com/${ownKey}`], /start with http:\/\/, https:\/\/, ws:\/\/ or wss:\/\//],
  [[url, '--frob'], /unknown option '--frob'\. See --help\.$/],
  [[url, `--${url}`], /unknown option '--http:.*•+/],
  [[url, '--network', 'moon'], /no network "moon": give one of north, south/],
  [[url, '--network', ownKey], /no network "•+"/],
  [[url, '--network', url], /no network ".*•+/],
  [[url, '--second-key', ''], /--second-key needs a value/],
  [[url, '--second-key', ownKey], /URL of the second key must be complete/],
  [[url, '--revoked-key', `/${ownKey}`], /URL of the revoked key must be complete/],
  [[url, '--allow', 'everything'], /--allow takes write, spends-quota, or both/],
  [[url, '--budget', '0'], /--budget needs a whole number from 1/],
  [[url, '--budget', '1e3'], /--budget needs a whole number from 1/],
  [[url, '--rps', '-1'], /--rps/],
  [[url, '--concurrency', 'many'], /--concurrency needs a whole number from 1/],
  [[url, '--timeout', '0.5'], /--timeout needs a whole number from 1/],
  [[url, '--timeout', '2147484'], /--timeout needs a whole number from 1 to 2147483/],
  [[url, '--watch', '2147484'], /--watch needs a whole number from 1 to 2147483/],
  [[url, '--header', `Bearer ${ownKey}`], /--header needs a name, a colon and a value/],
  [
    [url, '--header', `Authorization: Bearer ${ownKey}…`],
    /--header Authorization has a value with a character that HTTP does not allow in headers$/,
  ],
  [[url, '--header', `X-Token: ${ownKey}\u007f`], /--header X-Token has a value with a character/],
  [[url, '--report', 'report.json'], formats],
  [[url, '--report', 'json='], formats],
  [[url, '--report', 'xml=a.xml'], formats],
  [[url, '--report', 'tap=-', '--report', 'junit=-'], /two reports have the same file/],
  [
    [url, '--report', 'html=/no/such/folder/a.html'],
    /\/no\/such\/folder\/a\.html cannot be written: its folder does not exist/,
  ],
  [[url, '--report', 'json=a', '--report', 'json=a'], /two reports have the same file/],
  [[url, '--members', 'some'], /--members takes all or listed$/],
  [[url, '--io-dir', ''], /--io-dir needs a value/],
  [[url, '--io-dir', 'no-such-folder'], /this folder cannot be read \(ENOENT\)/],
  [[url, '--key', url], /--key needs NAME=URL/],
  [[url, '--key', `other-case=${url}`], /--key needs NAME=URL/],
  [[url, '--key', `a=${url}`, '--key', `a=${url}`], /--key a is given twice/],
  [[url, '--key', `contracts=${ownKey}`], /URL of the key contracts must be complete/],
  [['stdio:cat', '--header', 'X-Token: a'], /--header is for HTTP and WebSockets: pass values to a program/],
  [[url, '--plan', '--list'], /--plan and --list cannot be combined/],
  [[url, '--plan', '--report', 'json=a'], /--plan and --report cannot be combined/],
  [[url, '--list', '--save', 'a', '--explore', '1'], /--list and --save cannot be combined/],
  [[url, '--seed', '1'], /--seed needs --explore/],
  [[url, '--save', 'a'], /--save needs --explore or --replay/],
  [[url, '--only', 'a', '--replay', 'b'], /--replay and --only cannot be combined/],
  [[url, '--explore', '1', '--replay', 'b'], /--replay and --explore cannot be combined/],
  [[url, '--only', 'no-such/*'], /no case and no rule matches "no-such\/\*"; --list shows all cases/],
  [[url, '--only', url], /no case and no rule matches ".*•+/],
  [[url, '--replay', 'no/such'], /unknown case "no\/such"; --list shows all cases/],
  [[url, '--contract', '/no/such.json'], /\/no\/such\.json: the file does not exist/],
  [[url, '--scenarios', '/no/such'], /\/no\/such/],
  [[url, '--network', 'north', '--known', '/no/such.yaml'], /\/no\/such\.yaml: the file does not exist/],
]

t.test('invalid arguments are refused in one line without the key, with exit code 2', async (t) => {
  const { suite } = await libraryService(t, { 'books/missing.yaml': passing })
  for (const [args, message] of mistakes) {
    const told = args.map((arg) => arg.replaceAll(ownKey, 'KEY')).join(' ')
    await t.test(`conform ${told}`, async (t) => {
      // A small suite finds the same mistake as the full one.
      const hasSuite = ['--contract', '--scenarios'].some((option) => args.includes(option))
      const { code, out, err } = await conform(hasSuite ? args : [...args, ...suite])
      t.equal(code, 2)
      t.equal(out, '')
      t.match(err, /^concordat conform: /)
      t.match(err, message)
      t.equal(err.split('\n').length, 1)
      t.notMatch(err, ownKey)
    })
  }
})

t.test('problems of scenarios, contracts and known failures are reported with their places', async (t) => {
  const { run, folder, deployment } = await libraryService(t, { 'books/missing.yaml': passing })
  const known = join(folder, 'known.yaml')
  await writeFile(known, '- case: a\n- case: b\n')
  const bad = await run(['--known', known])
  t.equal(bad.code, 2)
  t.match(bad.err, /known failures: 6 problems\n {2}.*known\.yaml:1:3: reason is missing\n/)
  const contract = join(folder, 'broken.json')
  await writeFile(contract, '{"openrpc":')
  t.match(await conform([deployment.url, '--contract', contract]), {
    code: 2,
    err: /broken\.json: is not valid JSON: /,
  })
  const envelope = { response: { $ref: '#/nowhere' } }
  await writeFile(
    contract,
    JSON.stringify(documentOf({ info: { title: 'T', version: '1', 'x-envelope': envelope } })),
  )
  t.match(await conform([deployment.url, '--contract', contract]), {
    code: 2,
    out: '',
    err: /^concordat conform: .*broken\.json: #\/info\/x-envelope\/response: "#\/nowhere" does not exist$/,
  })
  const broken = await libraryService(t, { 'books/missing.yaml': 'scenario: x\nsteps: none\n' })
  t.match(await broken.run(), { code: 2, err: /missing\.yaml:2:\d+: / })
  t.same(deployment.requests, [])
})

t.test('--help explains every option', async (t) => {
  const { code, out } = await conform(['--help'])
  t.equal(code, 0)
  const options = [
    'contract',
    'scenarios',
    'network',
    'second-key',
    'revoked-key',
    'allow',
    'assume-read',
    'plan',
    'budget',
    'rps',
    'concurrency',
    'timeout',
    'header',
    'only',
    'replay',
    'list',
    'profile',
    'known',
    'report',
    'require-complete',
  ]
  for (const option of options) t.match(out, new RegExp(`^ {2}--${option}\\b`, 'm'))
  t.match(out, '(default: 1000; unlimited for')
})

t.test('--members listed ignores members that the contract does not list, on both sides', async (t) => {
  // A gateway drops or adds members: the test knows `author`, the server adds `isbn`.
  const { deployment, folder, suite } = await libraryService(
    t,
    { 'books/missing.yaml': passing },
    {
      book: () => ({ result: { title: 'Emma', shelf: 2, isbn: '978-0' } }),
    },
  )
  const io = async (title: string, name: string) => {
    const request = '{"jsonrpc":"2.0","id":1,"method":"book","params":[1]}'
    const result = `{"title":"${title}","shelf":2,"author":"Austen"}`
    await mkdir(join(folder, name), { recursive: true })
    await writeFile(
      join(folder, name, 'one.io'),
      `>> ${request}\n<< {"jsonrpc":"2.0","id":1,"result":${result}}\n`,
    )
    return join(folder, name)
  }
  const run = (tests: string, ...args: readonly string[]) =>
    conform([deployment.url, ...suite, '--io-dir', tests, '--only', 'io/*', ...args])
  const same = await io('Emma', 'same')
  const all = await run(same)
  t.equal(all.code, 1)
  t.match(all.out, /author/)
  const listed = await run(same, '--members', 'listed')
  t.equal(listed.code, 0, listed.out + listed.err)
  const other = await run(await io('Persuasion', 'other'), '--members', 'listed')
  t.equal(other.code, 1, 'a listed member is compared')
  t.match(other.out, /"Persuasion"[\s\S]*--members listed/)
  t.notMatch(other.out, /expected.*author/)
  const report = join(folder, 'report.json')
  await run(same, '--members', 'listed', '--report', `json=${report}`)
  const verified = await runCommand('verify', [report, ...suite, '--io-dir', same, '--members', 'listed'])
  t.equal(verified.code, 0, 'a stored run is judged again in the same way')
  t.match(verified.out, /1 of 1 case judged again, 0 changed/)
})
