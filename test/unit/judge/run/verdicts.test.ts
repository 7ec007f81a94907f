import t from 'tap'
import type { Verdict } from '../../../../src/judge/report/index.js'
import { longEnough } from '../../../support/long-enough.js'
import { type Answer, type Call, ownKey, startDeployment } from './deployment.js'
import { head, judged, library, missing } from './library.js'
import { libraryContract } from './library-contract.js'
import { type RunSettings, runSuite } from './run-suite.js'

t.test('a comparison that fails while the head moves is inconclusive after three attempts', async (t) => {
  const text = missing.replace('steps:', 'follows-head: true\nsteps:')
  let number = 16
  const newest = () => ({ result: { number: `0x${(++number).toString(16)}`, hash: '0xbb' } })
  const book = () => ({ result: { title: 'Emma' } })
  const moving = await judged(t, text, { newest, book })
  t.match(moving.result, {
    verdict: 'inconclusive',
    reason: /^the head moved in each of 3 attempts/,
    billed: 3,
  })
  t.match(moving.result.head, { before: { number: '0x13' }, after: { number: '0x14' } })
  t.equal(moving.result.evidence.length, 1, 'of the last attempt')
  const still = await judged(t, text, { book })
  t.match(still.result, { verdict: 'fail', head: { before: head, after: head } })
  let times = 0
  const later = () => (++times < 2 ? { result: { title: 'Emma' } } : { result: null })
  const settled = await judged(t, text, { newest, book: later })
  t.equal(settled.result.verdict, 'pass')
  const broken = await judged(t, text, { newest, book: () => ({ result: { title: 3 } }) })
  t.equal(broken.result.verdict, 'fail', 'a contract violation is independent of the head')
})

/** The contract of a library that caches answers about the head for some seconds. */
function withCache(seconds: number) {
  const limit = { value: seconds, unit: 'seconds', section: '4', description: 'Answers are cached.' }
  const { info } = libraryContract
  const head = { ...info['x-head'], cachedFor: 'cacheSeconds' }
  const limits = { ...info['x-limits'], cacheSeconds: limit }
  return { ...libraryContract, info: { ...info, 'x-limits': limits, 'x-head': head } }
}

t.test('the head of a failure is read when no earlier answer is cached any more', async (t) => {
  const text = missing.replace('steps:', 'follows-head: true\nsteps:')
  const contract = withCache(1.5)
  let movedAt = Number.POSITIVE_INFINITY
  const newest = () => ({
    result: performance.now() > movedAt + 1_000 ? { number: '0x11', hash: '0xbb' } : head,
  })
  const book = () => {
    if (movedAt < performance.now()) return { result: null }
    movedAt = performance.now()
    return { result: { title: 'Emma' } }
  }
  t.match((await judged(t, text, { newest, book }, { contract })).result, { verdict: 'pass', billed: 2 })
  movedAt = Number.POSITIVE_INFINITY
  const same = () => ({ result: head })
  t.match(
    (await judged(t, text, { newest: same, book })).result,
    { verdict: 'fail' },
    'the head has not moved',
  )
})

t.test('an answer about the head before may come from a cache after the head moved', async (t) => {
  const text = `
scenario: The count is that of the newest book.
rule: books.title
follows-head: true
steps:
  - { call: newest, SHARE capture: { number: $.result.number } }
  - { call: book, params: [1], expect: { result: { $has: { title: '\${number}' } } } }
`
  /** @param old number of the first answers about the book that are about the head before */
  const verdictOf = async (share: string, old: number, cachedFor: number) => {
    let times = 0
    const book = () => ({ result: { title: ++times > old ? head.number : '0xf' } })
    const settings = { contract: withCache(cachedFor) }
    return (await judged(t, text.replace('SHARE', share), { book }, settings)).result.verdict
  }
  for (const share of ['', 'share: true,']) {
    const verdict = await longEnough(500, async (milliseconds) => {
      const found = await verdictOf(share, 1, milliseconds / 1_000)
      return found === 'pass' ? found : undefined
    })
    t.equal(verdict, 'pass', 'the head may have moved before the run')
    t.equal(await verdictOf(share, 1, 0), 'fail', 'nothing is cached')
    t.equal(await verdictOf(share, 3, 0.1), 'fail', 'no answer is cached for so long')
  }
})

t.test('after the head moved, cases share answers about the new head', async (t) => {
  const text = `
scenario: The newest book stays.
rule: books.title
follows-head: true
steps:
  - call: newest
    share: true
    capture: { number: $.result.number }
  - call: newest
    expect: { result: { $has: { number: '\${number}' } } }
`
  let times = 0
  const newest = () => ({ result: ++times < 3 ? head : { number: '0x11', hash: '0xbb' } })
  const others = { 'books/three.yaml': text, 'books/two.yaml': text }
  const { report } = await judged(t, text, { newest }, {}, others)
  t.strictSame(
    report.cases.map(({ verdict }) => verdict),
    ['pass', 'pass', 'pass'],
  )
  const [first, ...later] = report.cases.map(({ billed }) => billed)
  t.equal(first, 4, 'the first one is repeated')
  for (const billed of later) t.ok(billed <= 2, 'the others share its last answer, or ask for a newer one')
})

t.test(
  'a comparison with the head whose answers prove nothing is tried again, three times in all',
  async (t) => {
    const text = `
scenario: The book stays.
rule: books.title
FOLLOWS
steps:
  - call: book
    params: [1]
    capture: { title: $.result.title }
  - call: book
    params: [1]
    expect: { result: { $has: { shelf: 2, title: Emma } } }
    inconclusive:
      - expect: { result: { $has: { title: { $not: '\${title}' } } } }
        reason: The book has changed meanwhile.
`
    /** @param changes number of answers after which the book no longer changes */
    const resultOf = async (follows: string, changes: number) => {
      let times = 0
      const book = () => ({ result: { title: ++times > changes ? 'Emma' : `Emma ${times}`, shelf: 2 } })
      return (await judged(t, text.replace('FOLLOWS', follows), { book })).result
    }
    t.match(await resultOf('follows-head: true', 2), { verdict: 'pass', billed: 4 })
    t.match(await resultOf('follows-head: true', 9), { verdict: 'inconclusive', billed: 6 })
    t.match(await resultOf('follows-head: false', 2), { verdict: 'inconclusive', billed: 2 })
  },
)

t.test('after the head moved, a comparison with it has no other case beside it', async (t) => {
  const text = `
scenario: The newest book stays.
rule: books.title
follows-head: true
steps:
  - call: newest
    capture: { number: $.result.number }
  - call: newest
    expect: { result: { $has: { number: '\${number}' } } }
`
  let times = 0
  let isComparing = false
  let beside = 0
  const newest = async () => {
    times += 1
    // The first is the head before the run. The next two differ, so that the comparison is repeated.
    if (times === 5) {
      isComparing = true
      await new Promise((resolve) => setTimeout(resolve, 200))
      isComparing = false
    }
    return { result: times < 3 ? head : { number: '0x11', hash: '0xbb' } }
  }
  const answer = ({ method }: Call) => {
    if (method === 'newest') return newest()
    if (isComparing) beside += 1
    return { result: null }
  }
  const others = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `books/other${at}.yaml`,
      missing.replace('steps:', 'follows-head: true\nsteps:'),
    ]),
  )
  const { url } = await startDeployment(t, answer)
  const { cases } = await runSuite(t, url, { 'books/one.yaml': text, ...others }, { concurrency: 2 })
  t.equal(cases.find(({ id }) => id === 'books/one')?.verdict, 'pass')
  t.ok(times >= 5, 'the comparison was repeated')
  t.equal(beside, 0)
})

const conditional = `
scenario: A book that was lent is not found.
rule: books.missing-null
steps:
  - call: book
    params: [1]
    capture: { answer: "$['result', 'error']" }
  - call: book
    params: [7]
    expect: { result: { $has: { title: Emma } } }
    inconclusive:
      - only-if: { value: '\${answer}', is: { $has: { code: -32602 } } }
        expect: { result: null }
        reason: Somebody else has lent it.
`

t.test('a conditional exception applies only when an earlier answer meets its condition', async (t) => {
  const lent = { error: { code: -32602, message: 'lent' } }
  const emma = { result: { title: 'Emma', shelf: 2 } }
  const verdictOf = async (first: Answer, second: Answer) => {
    const book = ({ params: [number] }: Call) => (number === 1 ? first : second)
    return (await judged(t, conditional, { book })).result
  }
  const excused = await verdictOf(lent, { result: null })
  t.match(excused, { verdict: 'inconclusive', reason: 'step 2: Somebody else has lent it.' })
  t.equal((await verdictOf(emma, { result: null })).verdict, 'fail', 'the condition is not met')
  t.equal((await verdictOf(lent, lent)).verdict, 'fail', 'the answer is another one')
  t.equal((await verdictOf(lent, emma)).verdict, 'pass')
})

const findBook = `
fixture: a book on a shelf
steps:
  - call: book
    params: [1]
    capture: { shelf: $.result.shelf }
`
const needing = missing.replace('steps:', 'needs: [a-book]\nsteps:').replace('[7]', `['\${shelf + 5}']`)

t.test('a fixture is searched once, and its captures are available to every dependent case', async (t) => {
  const found: unknown[] = []
  const { report, deployment } = await judged(
    t,
    needing,
    {},
    { concurrency: 4, onFound: (name, captures) => found.push(name, captures) },
    { 'books/two.yaml': needing, 'fixtures/a-book.yaml': findBook },
  )
  t.equal(report.counts.pass, 2)
  t.equal(deployment.requests.filter(({ body }) => body.includes('"params":[1]')).length, 1)
  t.same(found, ['a-book', { shelf: 2 }])
})

t.test('a fixture of an earlier run is not searched again', async (t) => {
  const profile = new Map([['a-book', { shelf: 40 }]])
  const { result, deployment } = await judged(
    t,
    needing,
    {},
    { profile },
    { 'fixtures/a-book.yaml': findBook },
  )
  t.equal(result.verdict, 'pass')
  t.match(deployment.requests.at(-1)?.body, '[45]')
})

t.test('private captures of a fixture are neither available to cases nor stored', async (t) => {
  const own = findBook.replace('{ shelf:', '{ _book: $.result, shelf:')
  const found: unknown[] = []
  const { result, report } = await judged(
    t,
    needing,
    {},
    { onFound: (name, captures) => found.push(name, captures) },
    { 'fixtures/a-book.yaml': own },
  )
  t.equal(result.verdict, 'pass')
  t.same(found, ['a-book', { shelf: 2 }])
  t.same(report.fixtures, { 'a-book': { shelf: 2 } })
  const greedy = needing.replace('shelf + 5', '_book')
  await t.rejects(judged(t, greedy, {}, {}, { 'fixtures/a-book.yaml': own }), {
    name: 'ScenarioError',
    message: /_book/,
  })
})

t.test('a missing fixture makes its cases not applicable, and a contract violation fails them', async (t) => {
  const others = { 'fixtures/a-book.yaml': findBook }
  const none = await judged(t, needing, { book: () => ({ result: null }) }, {}, others)
  t.match(none.result, {
    verdict: 'not-applicable',
    reason: /^a-book was not found: a book on a shelf \(step 1: \$\.result\.shelf: .* got result null\)/,
  })
  const broken = await judged(t, needing, { book: () => ({ result: { title: 4 } }) }, {}, others)
  t.match(broken.result, { verdict: 'fail', findings: [{ where: '$.result.shelf' }] })
  t.equal(broken.result.evidence.length, 1)
})

t.test('a missing member that a fixture does not use fails no dependent case', async (t) => {
  const book = ({ params }: { params: readonly unknown[] }) => ({
    result: params[0] === 1 ? { title: 4, shelf: 2 } : null,
  })
  const { result, report } = await judged(t, needing, { book }, {}, { 'fixtures/a-book.yaml': findBook })
  t.equal(result.verdict, 'pass')
  const [every] = report.cases.filter(({ id }) => id === 'invariants/every-answer')
  t.match(every, { verdict: 'fail', findings: [{ where: '/result/title', got: '4' }] })
  t.match(every?.evidence[0]?.curl, /"method":"book"/)
})

t.test('an invalid object in a fixture fails the dependent cases instead of skipping them', async (t) => {
  const looking = findBook.replace(
    'capture:',
    "expect: { result: { $has: { title: { $pattern: '^E' } } } }\n    capture:",
  )
  const verdictOf = async (answer: Readonly<Record<string, unknown>>) => {
    const book = ({ params }: { params: readonly unknown[] }) => ({
      result: params[0] === 1 ? { shelf: 2, ...answer } : null,
    })
    const { result } = await judged(t, needing, { book }, {}, { 'fixtures/a-book.yaml': looking })
    return result.verdict
  }
  t.equal(await verdictOf({ title: 'Emma' }), 'pass')
  t.equal(await verdictOf({ title: 'Ulysses' }), 'not-applicable', 'another book')
  t.equal(await verdictOf({ title: 4 }), 'fail', 'not a string')
  t.equal(await verdictOf({}), 'fail', 'no title')
})

t.test('a case for another network, or with a missing option, is not applicable', async (t) => {
  const reasons = async (line: string, settings: RunSettings = {}) => {
    const { result } = await judged(t, missing.replace('steps:', `${line}\nsteps:`), {}, settings)
    return [result.verdict, result.reason]
  }
  t.same(await reasons('network: south'), ['not-applicable', 'it applies to the network south'])
  t.same(await reasons('network: south', { network: 'south' }), ['pass', undefined])
  t.match(await reasons('needs: [second-key]'), ['not-applicable', /--second-key URL$/])
  t.match(await reasons('needs: [revoked-key]'), ['not-applicable', /--revoked-key URL$/])
  t.match(await reasons('needs: [funded-key]'), ['not-applicable', /CONCORDAT_CONFORM_FUNDED_KEY$/])
  t.same(await reasons('needs: [key]'), ['pass', undefined])
})

const lending = `
scenario: A book is lent.
effect: write
rule: shelf.length
steps:
  - call: lend
    params: [1]
    expect: { result: lent }
`

t.test('a case that writes runs only when allowed, and after all reads', async (t) => {
  const files = { 'a/lend.yaml': lending, 'b/read.yaml': missing }
  const safe = await startDeployment(t, library())
  const report = await runSuite(t, safe.url, files)
  t.same(
    report.cases.map(({ id, verdict, reason }) => [id, verdict, reason]),
    [
      ['a/lend', 'not-run', 'it writes: --allow write'],
      ['b/read', 'pass', undefined],
    ],
  )
  t.notOk(safe.methods().includes('lend'))
  const open = await startDeployment(t, library())
  const allowed = await runSuite(t, open.url, files, { allow: ['write'] })
  t.match(allowed, { counts: { pass: 2 }, requests: { writes: 1 }, mode: { allowed: ['read', 'write'] } })
  t.same(open.methods(), ['newest', 'book', 'lend'])
})

t.test('a case declared as reading cannot write', async (t) => {
  const { result, deployment } = await judged(t, lending.replace('effect: write\n', ''))
  t.equal(result.verdict, 'not-run')
  t.notOk(deployment.methods().includes('lend'))
})

t.test('an exhausted budget stops requests, and the report is complete', async (t) => {
  const files = Object.fromEntries([1, 2, 3, 4].map((number) => [`books/c${number}.yaml`, missing]))
  const deployment = await startDeployment(t, library())
  const report = await runSuite(t, deployment.url, files, { budget: 3 })
  t.match(report.counts, { pass: 2, 'not-run': 2 })
  t.match(report.cases[3]?.reason, /budget/)
  t.equal(deployment.requests.length, 3)
})

t.test(
  'an exhausted limit is not a failure, unless the case is about it or the error is another one',
  async (t) => {
    const limited =
      (code: number) =>
      ({ id }: Call) => ({
        status: 429,
        body: `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"spent"}}`,
      })
    const spent = await judged(t, missing, { book: limited(-32002) })
    t.match(spent.result, {
      verdict: 'not-run',
      reason: /^the service's limit is spent: it stated no short time to wait/,
    })
    const other = await judged(t, missing, { book: limited(-32602) })
    t.equal(other.result.verdict, 'fail')
    const about = missing.replace('{ result: null }', '{ status: 429, error: { code: -32002 } }')
    const expected = await judged(t, about, { book: limited(-32002) })
    t.equal(expected.result.verdict, 'pass', String(expected.result.reason))
  },
)

t.test('Retry-After is respected, unless the case is about it', async (t) => {
  for (const status of [429, 503]) {
    let asked = 0
    const busy = ({ id }: Call): Answer => {
      asked++
      if (asked % 2 === 0) return { result: null }
      const body = `{"jsonrpc":"2.0","id":${id},"error":{"code":-32002,"message":"busy"}}`
      return { status, headers: { 'retry-after': '0' }, body }
    }
    const { result, report } = await judged(t, missing, { book: busy })
    t.equal(result.verdict, 'pass', `${status}`)
    t.equal(report.requests.limited, 1)
    const about = missing.replace('{ result: null }', `{ status: { $one-of: [${status}] } }`)
    const expected = await judged(t, about, { book: busy })
    t.match(expected.report.requests, { limited: 0 }, `${status} is the subject of the case`)
  }
})

t.test('a service that refuses the key of the run ends it', async (t) => {
  for (const status of [401, 403]) {
    const refusing = { newest: (): Answer => ({ status, body: '' }) }
    await t.rejects(judged(t, missing, refusing), { name: 'AccessRefused', message: `HTTP ${status}` })
  }
})

t.test('a case does not run when its dependency did not pass', async (t) => {
  const second = missing.replace('steps:', 'after: [books/one]\nsteps:')
  const files = { 'books/two.yaml': second }
  const failing = await judged(
    t,
    missing,
    { book: () => ({ result: { title: 'x' } }) },
    { concurrency: 4 },
    files,
  )
  t.match(failing.report.cases[1], {
    verdict: 'not-run',
    reason: 'books/one, which must run before it, did not pass (fail)',
  })
  const passing = await judged(t, missing, {}, { concurrency: 4 }, files)
  t.equal(passing.report.counts.pass, 2)
})

t.test('similar failures share a cause, and different ones do not', async (t) => {
  const other = missing.replace('[7]', '[8]')
  const ruled = missing.replace('books.missing-null', 'shelf.order')
  const files = { 'books/two.yaml': other, 'books/three.yaml': ruled }
  const wrong = await judged(
    t,
    missing,
    { book: ({ params }) => ({ result: { title: params[0] === 7 ? 'Emma' : 'Persuasion' } }) },
    {},
    files,
  )
  const causes = Object.fromEntries(wrong.report.cases.map(({ id, cause }) => [id, cause]))
  t.equal(causes['books/one'], causes['books/two'])
  t.not(causes['books/one'], causes['books/three'], 'two rules are two causes')
  const rubbish = await judged(t, missing, { book: () => ({ body: 'rubbish' }) }, {}, files)
  t.equal(
    new Set(rubbish.report.cases.map(({ cause }) => cause)).size,
    1,
    'a problem of every answer is one cause',
  )
})

t.test('every rule of the contract is reported with its cases', async (t) => {
  const { report } = await judged(t, missing, {}, {}, { 'a/lend.yaml': lending })
  t.match(report.rules, [
    {
      id: 'books.missing-null',
      section: '2.1',
      pointer: '#/info/x-rules/0',
      cases: [{ id: 'books/one', verdict: 'pass' }],
    },
    { id: 'books.title', cases: [] },
    { id: 'shelf.length', cases: [{ id: 'a/lend', verdict: 'not-run' }] },
    { id: 'shelf.order', cases: [] },
  ])
})

t.test('an unreachable service has no run', async (t) => {
  const deployment = await startDeployment(t, library())
  const gone = deployment.url.replace(/:\d+/, ':1')
  await t.rejects(runSuite(t, gone, { 'books/one.yaml': missing }, { concurrency: 4 }), {
    name: 'Unreachable',
  })
  const { result } = await judged(t, missing, {
    book: () => 'reset',
  })
  t.equal(result.verdict, 'no-answer', 'a reachable service has a run')
})

t.test('an aborted run reports finished cases, and the others as not run', async (t) => {
  const controller = new AbortController()
  const files = Object.fromEntries([1, 2, 3].map((number) => [`books/c${number}.yaml`, missing]))
  let asked = 0
  const deployment = await startDeployment(
    t,
    library({
      book: () => {
        asked++
        if (asked < 2) return { result: null }
        controller.abort()
        return 'silence'
      },
    }),
  )
  const report = await runSuite(t, deployment.url, files, { signal: controller.signal })
  t.same(
    report.cases.map(({ verdict, reason }) => [verdict, reason]),
    [
      ['pass', undefined],
      ['not-run', 'the run was stopped'],
      ['not-run', 'the run was stopped'],
    ],
  )
})

t.test('many concurrent requests cause no warnings of the runtime', async (t) => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error) => warnings.push(name)
  process.on('warning', onWarning)
  t.teardown(() => process.off('warning', onWarning))
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`books/c${at}.yaml`, missing]))
  const waiting: ((answer: Answer) => void)[] = []
  const book = () =>
    new Promise<Answer>((resolve) => {
      waiting.push(resolve)
      if (waiting.length > 11) for (const answer of waiting) answer({ result: null })
    })
  const others = library()
  const deployment = await startDeployment(t, (call) => (call.method === 'book' ? book() : others(call)))
  const { signal } = new AbortController()
  const report = await runSuite(t, deployment.url, files, { signal, concurrency: 20 })
  t.equal(report.counts.pass, 20)
  t.same(warnings, [])
})

t.test('a report never contains secrets, whatever the service echoes', async (t) => {
  const secret = 'Bearer abcdefghijklmnop'
  const echo = ({ got }: Call): Answer => ({
    headers: { 'x-echo': `${got.path} ${got.headers.authorization}` },
    body: JSON.stringify({ you: { [got.path]: [got.headers.authorization, encodeURIComponent(got.path)] } }),
  })
  const { report, deployment } = await judged(
    t,
    missing,
    { book: echo },
    { headers: { authorization: secret } },
  )
  t.equal(deployment.requests[1]?.headers.authorization, secret)
  const failing = report.cases.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)
  t.same(failing, [report.cases[0]?.id, 'invariants/no-secrets'])
  const text = JSON.stringify(report)
  t.notMatch(text, ownKey)
  t.notMatch(text, 'abcdefghijklmnop')
  t.match(report.cases[0]?.evidence[0]?.curl, /^curl -s "\S*RPC_URL\S*" -H 'authorization: •+' -H /)
})

t.test('long bodies are truncated in the evidence, which says so', async (t) => {
  const long = 'x'.repeat(200_000)
  const { result } = await judged(t, missing, { book: () => ({ result: { title: long } }) })
  const body = result.evidence[0]?.response?.body ?? ''
  t.ok(body.length < 70_000)
  t.match(body, /… \(the first 65536 of 2000\d\d characters\)$/)
})

t.test('counts cover all verdicts, and progress is reported case by case', async (t) => {
  const told: string[] = []
  const { report } = await judged(
    t,
    missing,
    {},
    { onProgress: ({ done, total }) => told.push(`${done}/${total}`) },
    {
      'books/two.yaml': missing,
    },
  )
  t.same(told, ['1/2', '2/2'])
  const verdicts: readonly Verdict[] = [
    'pass',
    'tolerated',
    'fail',
    'no-answer',
    'gave-up',
    'known-fail',
    'stale',
    'inconclusive',
    'not-applicable',
    'not-run',
    'harness-error',
  ]
  t.same(Object.keys(report.counts).sort(), [...verdicts].sort())
  t.equal(
    Object.values(report.counts).reduce((sum, count) => sum + count, 0),
    report.cases.length,
  )
})

t.test('a refusal for a missing scope is one cause, and says which scopes the caller needs', async (t) => {
  const { info, components, methods } = libraryContract
  const scoped = (more: object) => ({
    ...libraryContract,
    info: { ...info, 'x-scopes': { 'books:read': 'Read books' }, ...more },
    components: {
      ...components,
      errors: {
        ...components.errors,
        forbidden: { code: -32016, message: 'Forbidden' },
        closed: { code: -1, message: 'Closed' },
      },
    },
    methods: methods.map((method) => ({
      ...method,
      'x-scopes': ['books:read'],
      errors: [
        ...(method.errors ?? []),
        { $ref: '#/components/errors/forbidden' },
        { $ref: '#/components/errors/closed' },
      ],
    })),
  })
  const refused = (code: number, message: string) => () => ({ error: { code, message } })
  const batch = missing.replace(
    /- call: book\n[\s\S]*/,
    `- batch: [{ call: newest }, { call: book, params: [7] }]
    expect: { items: [{ result: { $has: { number: '0x10' } } }, { result: null }] }
`,
  )
  const finding = {
    where: 'scopes',
    expected: 'a caller with the scopes of book: books:read (--header can send its token)',
  }
  const cause = 'the caller lacks a scope'
  const contract = scoped({})
  for (const text of [missing, batch]) {
    const { result } = await judged(t, text, { book: refused(-32016, 'Forbidden') }, { contract })
    t.match(result, { verdict: 'fail', cause, findings: [finding] })
  }
  const other = await judged(t, missing, { book: refused(-1, 'Closed') }, { contract })
  t.not(other.result.cause, cause, 'another error')
  const named = scoped({ 'x-failures': { forbidden: { error: 'closed' } } })
  t.match((await judged(t, missing, { book: refused(-1, 'Closed') }, { contract: named })).result, { cause })
  t.not(
    (await judged(t, missing, { book: refused(-32016, 'Forbidden') }, { contract: named })).result.cause,
    cause,
  )
  const expected = missing.replace('{ result: null }', '{ error: { code: -32016 } }')
  t.match((await judged(t, expected, { book: refused(-32016, 'Forbidden') }, { contract })).result, {
    verdict: 'pass',
  })
})
