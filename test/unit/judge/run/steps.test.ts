import t from 'tap'
import { type Call, startDeployment } from './deployment.js'
import { judged, missing } from './library.js'
import { runSuite } from './run-suite.js'

const scenario = (steps: string, more = '') =>
  `scenario: A book that is not there is null.\nrule: books.missing-null\n${more}steps:\n${steps}`

t.test('parallel steps are all sent before the first answer, and keep their captures', async (t) => {
  const text = scenario(`
  - parallel:
      - { call: book, params: [1], capture: { shelf: $.result.shelf } }
      - { call: book, params: [7], expect: { result: null } }
      - { batch: [{ call: book, params: [8] }], expect: { items: [{ result: null }] } }
  - { call: book, params: ['\${shelf}'], expect: { result: null } }
`)
  let waiting = 0
  let all: () => void = () => {}
  const together = new Promise<void>((resolve) => {
    all = resolve
  })
  const deployment = await startDeployment(t, async ({ method, params }) => {
    if (method === 'newest') return { result: { number: '0x10', hash: '0xaa' } }
    if (params[0] !== 2) {
      waiting++
      if (waiting === 3) all()
      await together
    }
    return { result: params[0] === 1 ? { title: 'Emma', shelf: 2 } : null }
  })
  const { cases } = await runSuite(t, deployment.url, { 'books/one.yaml': text }, { concurrency: 3 })
  t.match(cases, [{ verdict: 'pass', billed: 4 }])
})

t.test('of parallel steps the first failure is reported, after all answers', async (t) => {
  const text = scenario(`
  - parallel:
      - { call: book, params: [7], expect: { result: null } }
      - { call: book, params: [1], expect: { result: null } }
      - { call: book, params: [8], expect: { result: 1 } }
`)
  const { result } = await judged(t, text, {}, { concurrency: 3 })
  t.match(result, {
    verdict: 'fail',
    reason: /^step 1: .*expected null, got \{"title":"Emma"/,
    evidence: { length: 3 },
  })
})

t.test('a case is not applicable when a skip condition fails', async (t) => {
  const text = scenario(`
  - { call: book, params: [1], capture: { shelf: $.result.shelf } }
  - { skip-unless: '\${shelf}', is: { $min: 3 }, reason: the shelf is too low }
  - { call: book, params: [7], expect: { result: null } }
`)
  const low = await judged(t, text)
  t.match(low.result, { verdict: 'not-applicable', reason: 'the shelf is too low', billed: 1 })
  const high = await judged(t, text, {
    book: ({ params }) => ({ result: params[0] === 1 ? { title: 'Emma', shelf: 3 } : null }),
  })
  t.equal(high.result.verdict, 'pass')
})

t.test('a fixture is missing when a skip condition fails', async (t) => {
  const { result } = await judged(
    t,
    missing.replace('steps:', 'needs: a-book\nsteps:'),
    {},
    {},
    {
      'fixtures/a-book.yaml':
        "fixture: A book.\nsteps:\n  - { call: book, params: [1], capture: { shelf: $.result.shelf } }\n  - { skip-unless: '${shelf}', is: 9, reason: no shelf is so high }\n",
    },
  )
  t.match(result, { verdict: 'not-applicable', reason: 'a-book was not found: no shelf is so high' })
})

t.test('a body with pauses arrives in chunks, complete and with its length', async (t) => {
  const text = scenario(`
  - raw: ['{"jsonrpc":"2.0","id":1,', { pause: 0.01 }, '"method":"book",', { pause: 0.01 }, '"params":[7]}', { pause: 0.01 }]
    expect: { status: 200, id: '1', body: { $has: { result: null } } }
`)
  const { result, deployment } = await judged(t, text)
  t.equal(result.verdict, 'pass', String(result.reason))
  const got = deployment.requests.at(-1)
  t.equal(got?.body, '{"jsonrpc":"2.0","id":1,"method":"book","params":[7]}')
  t.equal(got?.headers['content-length'], String(got?.body.length))
})

t.test('a pause may be a variable, and must be a duration', async (t) => {
  const text = (pause: string) =>
    scenario(`  - { raw: [a, { pause: '${pause}' }], expect: { status: 400 } }\n`)
  t.match((await judged(t, text('${limit.shelfLength - 3}'))).result, {
    verdict: 'harness-error',
    reason: /"\$\{limit.shelfLength - 3\}" is not a number of seconds up to 600/,
  })
})

t.test('an answer that takes longer than the case allows fails it', async (t) => {
  const text = (within: number) =>
    scenario(`  - { call: book, params: [7], expect: { result: null, within: ${within} } }\n`)
  t.equal((await judged(t, text(100))).result.verdict, 'pass')
  t.match((await judged(t, text(0.000_001))).result, {
    verdict: 'fail',
    findings: [{ where: 'time', expected: 'the complete answer within 0.000001 s' }],
  })
})

t.test('a case waits between repetitions, and an aborted run does not wait', async (t) => {
  const text = scenario(`
  - call: book
    params: [1]
    repeat-until: { expect: { result: null }, at-most: 3, every: 60 }
`)
  const stop = new AbortController()
  const { result } = await judged(
    t,
    text,
    {
      book: () => {
        setImmediate(() => stop.abort())
        return { result: { title: 'Emma', shelf: 2 } }
      },
    },
    { signal: stop.signal },
  )
  t.equal(result.verdict, 'not-run')
})

const sharing = scenario('  - { call: book, params: [7], share: true, expect: { result: null } }\n')

t.test('cases share an answer on request, and only the first is billed', async (t) => {
  const { report, deployment } = await judged(
    t,
    sharing,
    {},
    { concurrency: 4 },
    {
      'books/two.yaml': sharing,
      'books/three.yaml': missing,
    },
  )
  t.equal(report.counts.pass, 3)
  t.equal(deployment.methods().filter((name) => name === 'book').length, 2)
  t.equal(report.requests.billed, 3, 'with the head')
  t.same(report.cases.map(({ billed }) => billed).sort(), [0, 1, 1])
  const { evidence = [], ids = [] } = report.cases.find(({ billed }) => billed === 0) ?? {}
  t.match(evidence, [{ shared: true, request: { body: new RegExp(`"id":${ids[0]},`) } }])
})

t.test('a missing answer is not shared', async (t) => {
  let times = 0
  const book = () => (++times === 1 ? { status: 500, body: 'x' } : { result: null })
  const { report } = await judged(t, sharing, { book }, {}, { 'books/two.yaml': sharing })
  t.same(
    report.cases.map(({ verdict }) => verdict),
    ['fail', 'pass'],
  )
})

t.test('a comparison with a shared answer is retried with answers of its own', async (t) => {
  const comparing = `
scenario: The book is the same twice.
rule: books.missing-null
follows-head: true
steps:
  - { call: book, params: [7], share: true, capture: { first: $.result } }
  - { call: book, params: [7], expect: { result: '\${first}' } }
`
  const taking = scenario(
    '  - { call: book, params: [7], share: true, expect: { result: { $has: { title: A1 } } } }\n',
  ).replace('steps:', 'follows-head: true\nsteps:')
  let times = 0
  // The head is the same at each read, but it moved after the first case.
  const book = () => ({ result: { title: ++times === 1 ? 'A1' : 'A2' } })
  const others = { 'books/two.yaml': comparing }
  const { report } = await judged(t, taking, { book }, { concurrency: 1 }, others)
  t.same(
    report.cases.map(({ verdict }) => verdict),
    ['pass', 'pass'],
  )
  t.same(
    report.cases[1]?.evidence.map(({ shared }) => shared ?? false),
    [false, false],
  )
  times = 0
  const changing = () => ({ result: { title: `A${++times}` } })
  const wrong = await judged(t, taking, { book: changing }, { concurrency: 1 }, others)
  t.match(wrong.report.cases, [{ verdict: 'pass' }, { verdict: 'fail', head: { before: {}, after: {} } }])
  times = 0
  const onceWrong = () => ({ result: { title: ++times === 2 ? 'A2' : 'A1' } })
  const once = await judged(t, taking, { book: onceWrong }, { concurrency: 1 }, others)
  t.match(
    once.report.cases[1],
    { verdict: 'fail', findings: [{ got: '"A2"' }] },
    'the shared answer came again',
  )
})

t.test('a comparison that fails in its form is retried in this form', async (t) => {
  const comparing = `
scenario: The book is the same twice.
rule: books.missing-null
follows-head: true
steps:
  - { call: book, params: [7], share: true, capture: { first: $.result } }
  - { call: book, params: [8], expect: { result: '\${first}' } }
`
  const book = ({ params, id, got: { body } }: Call) => {
    const isLater = body.startsWith('[') && !body.startsWith(`[{"jsonrpc":"2.0","id":${id},`)
    return { result: { title: params[0] === 8 && isLater ? 'A2' : 'A1' } }
  }
  const { result } = await judged(t, comparing, { book }, { repeat: 2 })
  t.match(result, { verdict: 'fail', reason: /^in run 2 of 2: step 2: form: .* as item 2 of a batch of 2/ })
})

t.test('an error page of a proxy is not an answer of the service', async (t) => {
  const plain = (status: number) => () => ({ status, body: '<h1>Later</h1>' })
  t.match((await judged(t, missing, { book: plain(429) })).result, {
    verdict: 'not-run',
    reason: /the service's limit is spent/,
  })
  t.match((await judged(t, missing, { book: plain(503) })).result, {
    verdict: 'inconclusive',
    reason: /^step 1: HTTP 503 without a JSON-RPC answer/,
  })
  t.match((await judged(t, missing, { book: plain(502) })).result, { verdict: 'fail' })
  const needing = missing.replace('steps:', 'needs: a-book\nsteps:')
  const fixture = 'fixture: A book.\nsteps: [{ call: book, params: [1], capture: { a: $.result.title } }]\n'
  const others = { 'fixtures/a-book.yaml': fixture }
  t.match((await judged(t, needing, { book: plain(503) }, {}, others)).result, {
    verdict: 'inconclusive',
    reason: /^fixture a-book, step 1: HTTP 503/,
  })
  t.match((await judged(t, needing, { book: plain(429) }, {}, others)).result, { verdict: 'not-run' })
})

t.test('an error page of a proxy fails a step that expects a limit', async (t) => {
  const limited = missing.replace('expect: { result: null }', 'expect: { status: 429 }')
  t.not(limited, missing)
  const { result } = await judged(t, limited, { book: () => ({ status: 503, body: '<h1>Later</h1>' }) })
  t.match(result, { verdict: 'fail' })
})

t.test('a limit that is exhausted within a batch is not a failure of the batch', async (t) => {
  const text = scenario(`
  - batch: [{ call: book, params: [7] }, { call: book, params: [8] }]
    expect: { items: [{ result: null }, { result: null }] }
`)
  const spent = { error: { code: -32002, message: 'The shelf is closed' } }
  const { result } = await judged(t, text, {
    book: ({ params }) => (params[0] === 8 ? spent : { result: null }),
  })
  t.match(result, { verdict: 'not-run', reason: /the service's limit is spent/ })
})

t.test('a compute step expects what its function returns', async (t) => {
  const text = (wanted: string) =>
    scenario(`
  - { call: book, params: [1], capture: { title: $.result.title } }
  - { compute: lengthOf, params: ['\${title}'], expect: { result: ${wanted} }, capture: { length: $ } }
  - { call: book, params: ['\${length}'], expect: { result: null } }
`)
  const functions = { lengthOf: ([value]: readonly unknown[]) => String(value).length }
  const verdictOf = async (wanted: string) => {
    const { result } = await judged(t, text(wanted), {}, { functions })
    return `${result.verdict} ${result.reason ?? ''}`.trim()
  }
  t.equal(await verdictOf('4'), 'pass')
  t.equal(await verdictOf('{ $min: 4 }'), 'pass')
  t.equal(await verdictOf('5'), 'fail step 2: /lengthOf: expected 5, got 4')
  t.equal(await verdictOf("'${title}'"), 'fail step 2: /lengthOf: expected "Emma", got 4')
})
