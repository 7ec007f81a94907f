import t from 'tap'
import { type Call, startDeployment } from './deployment.js'
import { judged, library, missing } from './library.js'
import { runSuite } from './run-suite.js'

/** Answers wrongly once in some times. */
function onceIn(times: number) {
  let count = 0
  return () => ({ result: ++count % times === 0 ? { title: 'Emma' } : null })
}

t.test('a repeated case finds what is wrong now and then', async (t) => {
  t.equal((await judged(t, missing, { book: onceIn(4) })).result.verdict, 'pass', 'one run misses it')
  t.equal((await judged(t, missing, { book: onceIn(4) }, { repeat: 2 })).result.verdict, 'pass')
  const { result } = await judged(t, missing, { book: onceIn(4) }, { repeat: 5 })
  t.match(result, { verdict: 'fail', reason: /^in run 3 of 5: step 1: form/, billed: 5 })
})

t.test('repetitions travel in other forms, twice in a batch, and with spaces', async (t) => {
  const settings = { secondUrl: `http://127.0.0.1:1/${'S'.repeat(30)}-T` }
  // The id of the case gives its first run the own path without compression.
  const id = 'books/c'
  for (const [words, isWrong] of [
    ['over /v2/', ({ got }: Call) => got.path.startsWith('/v2/')],
    ['with the second key', ({ got }: Call) => got.path.includes('SSSS')],
    ['accepting gzip', ({ got }: Call) => got.headers['accept-encoding'] === 'gzip'],
    ['as item 2 of a batch of 2', ({ got }: Call) => got.body.startsWith('[')],
    ['followed by spaces', ({ got }: Call) => got.body.endsWith(' ')],
  ] as const) {
    const book = (call: Call) => ({ result: isWrong(call) ? { title: 'Emma' } : null })
    const deployment = await startDeployment(t, library({ book }))
    const secondUrl = settings.secondUrl.replace('http://127.0.0.1:1', new URL(deployment.url).origin)
    const run = async (repeat: number) => {
      const { cases } = await runSuite(t, deployment.url, { [`${id}.yaml`]: missing }, { secondUrl, repeat })
      return cases.find((one) => one.id === id)
    }
    t.equal((await run(1))?.verdict, 'pass', `${words}: one run misses it`)
    const again = await run(3)
    t.match(again, { verdict: 'fail', reason: /^in run [23] of 3: step 1: form/ })
    t.match(again?.findings[0]?.got, words)
  }
})

t.test('raw bodies and batches are repeated over another path', async (t) => {
  const text = `
scenario: The newest book is found.
rule: books.title
steps:
  - raw: '{"jsonrpc":"2.0","id":"raw","method":"newest"}'
  - batch: [{ call: newest }, { call: newest }]
  - call: book
    params: [7]
    expect: { result: null }
`
  const { deployment, result } = await judged(t, text, {}, { repeat: 2 })
  t.match(result, { verdict: 'pass', reason: undefined })
  for (const start of [/"id":"raw"/, /^\[.*newest/]) {
    const sent = deployment.requests.filter(({ body }) => start.test(body))
    t.equal(sent.length, 2)
    t.ok(sent[1]?.path.startsWith('/v2/'))
    t.equal(sent[1]?.headers['accept-encoding'], 'gzip')
  }
})

t.test('a written case travels in a form in its first run, and also alone if it fails there', async (t) => {
  const isCompressed = ({ got }: Call) => got.headers['accept-encoding'] === 'gzip'
  const compressed = (call: Call) => ({ result: isCompressed(call) ? { title: 'Emma' } : null })
  const deployment = await startDeployment(t, library({ book: compressed }))
  const files = Object.fromEntries([...'abcdefgh'].map((name) => [`books/${name}.yaml`, missing]))
  const { cases } = await runSuite(t, deployment.url, files, {})
  const failed = cases.filter(({ verdict }) => verdict === 'fail')
  t.equal(failed.length, 4, 'each second form is compressed')
  t.ok(failed.every(({ findings, billed }) => findings[0]?.where === 'form' && billed === 2))
  t.ok(deployment.requests.some(({ path }) => path.startsWith('/v2/')))
})

t.test('a case about a path is repeated as it is', async (t) => {
  const stated = missing.replace('    expect:', '    path: /{key}\n    expect:')
  const { deployment } = await judged(t, stated, {}, { repeat: 4 })
  const paths = deployment.requests.filter(({ body }) => body.includes('book')).map(({ path }) => path)
  t.equal(paths.length, 4)
  t.equal(new Set(paths).size, 1)
})

t.test('a case that writes runs once, and repetitions share no answers', async (t) => {
  const write = `
scenario: A book is lent.
rule: books.title
effect: write
steps:
  - call: lend
    params: [7]
    expect: { result: lent }
`
  const shared = missing.replace('params: [7]', 'params: [7]\n    share: true')
  const once = await judged(t, write, {}, { repeat: 4, allow: ['write'] })
  t.match(once.result, { verdict: 'pass', billed: 1 })
  t.match((await judged(t, shared, {}, { repeat: 4 })).result, { verdict: 'pass', billed: 6 })
})
