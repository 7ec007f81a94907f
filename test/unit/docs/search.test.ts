import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { headingAnchors, plainText } from '../../../bin/docs/markdown-text.js'
import { searchIndex } from '../../../bin/docs/search-index.js'
import { searchSections, searchWords } from '../../../bin/docs/search-sections.js'
import { siteContent } from '../../../bin/docs/site-pages.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { groups } = await siteContent(root, {})
const search = searchIndex(groups)

/** Questions of readers, and anchors of sections with the answer. `npm run docs -- --ask QUESTION` shows hits. */
const questions: Readonly<Record<string, readonly string[]>> = {
  // operators
  'How do I add a node?': ['#nodes'],
  'add a node': ['#nodes'],
  'mail server': ['#dashboard', '#operators'],
  'Where do I configure the mail server?': ['#dashboard', '#operators', 'settings'],
  'How do I rotate the secret?': ['#change-the-secret'],
  'How many machines do I need?': ['how-to-run-three-machines'],
  'Which metrics are there?': ['#metrics'],
  'How do I back up the database?': ['how-to-upgrade-and-back-up'],
  'How do I put it behind nginx?': ['how-to-run-three-machines', '#load-balancers'],
  'A user forgot the password': ['#dashboard'],
  'what does a request cost': ['#cost'],
  'raise the daily quota for one user': ['deploy/index#operators'],
  // integrators
  'Why do I get 429?': ['what-happens-at-the-limit'],
  'How do I send a transaction?': ['#sending-a-transaction'],
  'How do I read events of a contract?': ['#contracts'],
  'Can I use ethers?': ['which-library'],
  'How do I wait for a receipt?': ['#waiting-for-a-receipt'],
  'What is error -32001?': ['#errors', 'reference/errors'],
  'how to retry': ['#batches-and-retries'],
  'why do I get 429 and how long to wait': ['what-happens-at-the-limit'],
  'how many calls can I put in one batch': ['integrator/limits#limits'],
  // backend teams
  mock: ['#look-after-a-contract'],
  'How do I mock a service from a contract?': ['#look-after-a-contract'],
  'How do I mount it in Express?': ['#mount-it'],
  'How do I return an error with data?': ['#serve-a-contract'],
  'how do I return a custom error with data from my method': ['#serve-a-contract'],
  'make a parameter optional with a default': ['#serve-a-contract'],
  'regenerate types after editing openrpc.json': ['backend#3-add-a-method'],
  'How do I require a token for a method?': ['#errors-of-every-method-and-scopes'],
  'Is my change of the contract breaking?': ['#look-after-a-contract', 'compatibility'],
  // QA engineers
  flaky: ['#known-failures', '#when-a-green-run-may-gate-a-deployment'],
  'How do I deal with a flaky test?': ['#known-failures', '#when-a-green-run-may-gate-a-deployment'],
  'How do I run conformance in CI?': ['#in-ci'],
  'How do I ignore a known failure?': ['#known-failures'],
  'How do I compare staging and production?': ['#compare-two-deployments'],
  'mark a known failure so the run stays green': ['#known-failures'],
  'why was a case skipped': ['conformance/run#read-a-failure'],
  'test a staging server that needs an api key header': ['qa/run#first-run'],
  'How do I write a case?': ['how-to-write-a-case', '#write-a-case'],
}

t.test('the first three hits of a question have its answer', (t) => {
  for (const [question, answers] of Object.entries(questions)) {
    const hits = search(question)
      .slice(0, 3)
      .map(({ at }) => at)
    t.ok(
      hits.some((at) => answers.some((answer) => at.endsWith(answer))),
      `${question} ${hits.join(', ')}`,
    )
  }
  t.end()
})

t.test('decisions, the changelog and the architecture are in an index of their own', (t) => {
  const hits = Object.keys(questions).flatMap((question) => search(question))
  t.same(
    hits.filter(({ at }) => at.startsWith('project/')),
    [],
  )
  t.ok(
    groups.some(
      ({ part, pages }) => part === 'project' && pages.some(({ source }) => source === 'CHANGELOG.md'),
    ),
  )
  t.end()
})

t.test('words of readers belong to sections that exist', async (t) => {
  for (const place of Object.keys(searchWords)) {
    const [source = '', anchor = ''] = place.split('#')
    const anchors = headingAnchors(await readFile(`${root}${source}`, 'utf8'))
    t.ok([...anchors.values()].includes(anchor), place)
  }
})

t.test('a section has its headings and its words, and repeated objects have none', (t) => {
  const page =
    '# A\nSee [b](./c.md).\n\n## `D`\n| e | f |\n| --- | --- |\n\n### G\nh\n\n## Objects\n\n### I\n'
  t.same(
    searchSections('', page).map(({ anchor, titles, text }) => [anchor, titles.join(), text.trim()]),
    [
      ['', 'A', 'See b.'],
      ['d', 'A,D', 'e f'],
      ['g', 'A,D,G', 'h'],
    ],
  )
  t.equal(plainText('**a** `b|c`'), 'a b c')
  t.end()
})
