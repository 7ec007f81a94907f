import t from 'tap'
import { terminalReport } from '../../../../src/judge/index.js'
import { type Answer, startDeployment } from '../run/deployment.js'
import { library } from '../run/library.js'
import { libraryContract } from '../run/library-contract.js'
import { runSuite } from '../run/run-suite.js'

const branch = {
  name: 'branch',
  'x-effect': 'read',
  'x-answer': { network: 'chainId' },
  'x-rules': ['shelf.order'],
  params: [],
  result: { name: 'number', schema: { type: 'string', pattern: '^0x' } },
}
const contract = { ...libraryContract, methods: [...libraryContract.methods, branch] }

const asking = (rule: string) => `
scenario: The branch has its number.
rule: ${rule}
steps:
  - call: branch
    expect: { result: '\${network.chainId}' }
`
const files = {
  'a/about.yaml': asking('shelf.order'),
  'b/one.yaml': asking('books.title'),
  'b/two.yaml': asking('shelf.length'),
}

async function verdicts(t: Parameters<typeof startDeployment>[0], answer: Answer, run = files) {
  const deployment = await startDeployment(t, library({ branch: () => answer }))
  const report = await runSuite(t, deployment.url, run, { contract })
  const asked = deployment.methods().filter((method) => method === 'branch').length
  return { report, asked, verdicts: report.cases.map(({ id, verdict }) => `${id} ${verdict}`) }
}

t.test('a service on another network fails only the cases about the network', async (t) => {
  const { report, verdicts: found } = await verdicts(t, { result: '0xff' })
  t.same(found, ['a/about fail', 'b/one pass', 'b/two pass'])
  t.same(report.target.answers, { chainId: '0xff' })
  const lines = terminalReport(report, { colours: false, again: () => '' }).join('\n')
  t.match(lines, 'network north (it answers chainId "0xff"), head 16')
})

t.test('the chain id is requested once, and only when a case uses it', async (t) => {
  const right = await verdicts(t, { result: '0xa' })
  t.same(right.verdicts, ['a/about pass', 'b/one pass', 'b/two pass'])
  t.same(right.report.target.answers, {})
  t.equal(right.asked, 4)
  const other = files['b/one.yaml'].replace("'${network.chainId}'", "'0xa'")
  const none = await verdicts(
    t,
    { result: '0xa' },
    { ...files, 'a/about.yaml': other, 'b/one.yaml': other, 'b/two.yaml': other },
  )
  t.equal(none.asked, 3)
})

t.test('an invalid chain id is not used', async (t) => {
  for (const answer of [
    { result: 255 },
    { result: 'north' },
    { error: { code: -32002, message: 'Closed' } },
    { status: 500, body: 'broken' },
  ]) {
    const { report, verdicts: found } = await verdicts(t, answer)
    t.same(found, ['a/about fail', 'b/one fail', 'b/two fail'])
    t.same(report.target.answers, {})
  }
})
