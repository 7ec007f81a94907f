import t from 'tap'
import { judged, missing } from './library.js'

const chain = `
fixture: The branch.
anchor: true
steps: [{ call: book, params: [1], capture: { title: $.result.title } }]
still: [{ call: book, params: [1], expect: { result: { $has: { title: '\${title}' } } } }]
`
const shelf = `
fixture: A shelf.
needs: branch
steps: [{ call: book, params: [1], capture: { shelf: $.result.shelf } }]
still: [{ call: book, params: ['\${shelf}'], expect: { result: null } }]
`
const needing = missing
  .replace('steps:', 'needs: a-shelf\nsteps:')
  .replace('params: [7]', "params: ['${shelf + 5}']")
const files = { 'fixtures/branch.yaml': chain, 'fixtures/a-shelf.yaml': shelf }

const profileOf = (title: string) =>
  new Map<string, Record<string, string | number>>([
    ['branch', { title }],
    ['a-shelf', { shelf: 40 }],
  ])

t.test('a profile that the target still matches is used', async (t) => {
  const resets: string[] = []
  const onReset = (reason: string) => resets.push(reason)
  const { result, deployment } = await judged(t, needing, {}, { profile: profileOf('Emma'), onReset }, files)
  t.equal(result.verdict, 'pass', String(result.reason))
  t.match(deployment.requests.at(-1)?.body, '[45]')
  t.same(resets, [])
})

t.test(
  'a profile of a restarted chain is ignored and reported once, and all fixtures are searched',
  async (t) => {
    const resets: string[] = []
    const found: string[] = []
    const onReset = (reason: string) => resets.push(reason)
    const { report, deployment } = await judged(
      t,
      needing,
      {},
      { profile: profileOf('Persuasion'), onReset, onFound: (name) => found.push(name), concurrency: 4 },
      { ...files, 'books/two.yaml': needing },
    )
    t.equal(report.counts.pass, 2)
    t.match(deployment.requests.at(-1)?.body, '[7]')
    t.match(resets, [/^branch has changed: .*"Persuasion".*"Emma"/])
    t.same(found, ['branch', 'a-shelf'])
    t.same(report.fixtures, { branch: { title: 'Emma' }, 'a-shelf': { shelf: 2 } })
  },
)

t.test('a profile without its anchor is ignored', async (t) => {
  const resets: string[] = []
  const profile = new Map([['a-shelf', { shelf: 40 }]])
  const onReset = (reason: string) => resets.push(reason)
  t.equal((await judged(t, needing, {}, { profile, onReset }, files)).result.verdict, 'pass')
  t.same(resets, ['it does not hold branch, which identifies its chain'])
})

t.test(
  'a fixture of the profile that no longer exists makes its cases not applicable, with the reason',
  async (t) => {
    const book = ({ params: [number] }: { params: readonly unknown[] }) => ({
      result: number === 1 || number === 40 ? { title: 'Emma', shelf: 2 } : null,
    })
    const { result } = await judged(t, needing, { book }, { profile: profileOf('Emma') }, files)
    t.match(result, {
      verdict: 'not-applicable',
      reason: /^a-shelf, from the profile, no longer exists: step 1: .*expected null/,
    })
  },
)

t.test('an inconclusive check keeps the profile', async (t) => {
  const resets: string[] = []
  const onReset = (reason: string) => resets.push(reason)
  const book = () => ({ result: { title: 3 } })
  await judged(t, needing, { book }, { profile: profileOf('Emma'), onReset }, files)
  t.same(resets, [])
})

t.test('two runs with one profile send the same calls in the same order', async (t) => {
  const run = async (concurrency: number) => {
    const { deployment } = await judged(
      t,
      needing,
      {},
      { profile: profileOf('Emma'), concurrency },
      {
        ...files,
        'books/two.yaml': needing,
        'books/three.yaml': missing,
      },
    )
    return deployment.requests.map(({ body }) => body)
  }
  const one = await run(1)
  t.same(await run(1), one)
  const plain = (bodies: readonly string[]) => bodies.map((body) => body.replace(/"id":\d+/, '')).sort()
  t.same(plain(await run(4)), plain(one), 'and the same calls when cases run in parallel')
})
