import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { headingAnchors, plainText } from '../../../bin/docs/markdown-text.js'
import { searchIndex } from '../../../bin/docs/search-index.js'
import { searchSections } from '../../../bin/docs/search-sections.js'
import { searchWords } from '../../../bin/docs/search-words.js'
import { siteContent } from '../../../bin/docs/site-pages.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { groups } = await siteContent(root, {})
const search = searchIndex(groups)

/** Questions of readers, and anchors of sections with the answer. `npm run docs -- --ask QUESTION` shows hits. */
const questions: Readonly<Record<string, readonly string[]>> = {
  // operators
  'How do I add a node?': ['#nodes'],
  'add a node': ['#nodes'],
  'mail server': ['#mail'],
  'Where do I configure the mail server?': ['#mail'],
  'How do I rotate the secret?': ['#change-the-secret'],
  'How many machines do I need?': ['how-to-run-three-machines'],
  'Which metrics are there?': ['#metrics'],
  'How do I back up the database?': ['how-to-upgrade-and-back-up'],
  'How do I put it behind nginx?': ['how-to-run-three-machines', '#load-balancers'],
  'A user forgot the password': ['#mail'],
  'what does a request cost': ['#cost'],
  'raise the daily quota for one user': ['deploy/index#operators', '#for-operators'],
  // integrators
  'Why do I get 429?': ['what-happens-at-the-limit'],
  'How do I send a transaction?': ['#sending-a-transaction'],
  'How do I read events of a contract?': ['#contracts'],
  'Can I use ethers?': ['which-library', '#by-program', '#with-other-libraries'],
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
  'Is my change of the contract breaking?': ['#what-a-change-breaks', 'compatibility'],
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
  // in words that the pages do not use
  'return a not found error from my code': ['#serve-a-contract'],
  'reject bad input automatically': ['#serve-a-contract'],
  'use it inside Next.js': ['#where-the-client-runs'],
  'measure how long each call takes': ['#observe-requests'],
  'change the API without hurting existing customers': ['#what-a-change-breaks'],
  'what should my app do on 429': ['what-happens-at-the-limit'],
  'get all transfers of a token since last year': ['#logs-of-any-range'],
  'call from a web page, cors blocked': ['#mount-it'],
  'is my payment confirmed': ['#waiting-for-a-receipt'],
  'use ethers instead of your library': ['#with-other-libraries'],
  'is it safe to run on the live system': ['#against-production'],
  'show results in Jenkins': ['#reports'],
  'run the tests for just one endpoint': ['#2-run-it'],
  'how do I know the tests find bugs': ['#proof-that-the-suite-catches-mistakes'],
  'write my own check': ['how-to-write-a-case'],
  'block an abusive customer': ['#operators'],
  'how long is data kept': ['#what-it-keeps-and-how-safely'],
  'lost access to the admin account': ['#operators'],
  'generate documentation for my API': ['#serve-a-contract'],
  'limit how often a customer may call': ['#limit-callers'],
  'send push messages to connected clients': ['#subscriptions-and-calls-to-the-client'],
  'start from an existing specification': ['#start-a-project'],
  'split the document into several files': ['#look-after-a-contract'],
  'where do I get an api key': ['#keys'],
  'my key leaked': ['#keys'],
  'combine many calls into one round trip': ['#batches-and-retries'],
  'known bug should not fail the build': ['#known-failures'],
  "compare today's results with yesterday's": ['#compare-with-a-previous-run'],
  'a report for my manager': ['#reports'],
  'test a command line program instead of a url': ['#programs'],
  'zero downtime deploy': ['#upgrade-and-roll-back'],
  'what to do when a node falls behind': ['#nodes'],
  'send alerts to slack': ['runbook'],
  'restore after losing the disk': ['#backup-restore-move'],
  'hide client addresses in the log, privacy': ['deploy/index#logs'],
  'my handler needs the logged in user': ['backend/methods#handlers'],
  'what happens when a request body is huge': ['#large-bodies'],
  'stop the server without dropping requests': ['backend/methods#handlers'],
  'which coins can I use for testing': ['#what-is-asked-first'],
  'transaction stuck': ['#waiting-for-a-receipt'],
  'invalid params what is wrong with my call': ['#errors'],
  'switch to another provider if this one is down': ['#several-endpoints'],
  'key in browser code visible to everyone': ['#for-users'],
  'the test run takes too long': ['qa/run#first-run'],
  'test data is missing': ['#when-a-green-run-may-gate-a-deployment'],
  'run it before merging a pull request': ['examples/ci/index#github'],
  'send the developer a way to reproduce': ['#read-a-failure'],
  'keep old clients working after I rename a field': ['compatibility'],
  'let only admins use a method': ['#errors-of-every-method-and-scopes'],
  'use it with an existing express app': ['#mount-it'],
  'try the API before the server exists': ['#look-after-a-contract'],
  'how many calls do I have left today': ['what-happens-at-the-limit'],
  'hex values are hard to read': ['#decoded-values'],
  'my import fails with require of es module': ['#where-the-client-runs'],
  'get notified when a contract emits something': ['#following-the-chain'],
  'does staging behave like production': ['#compare-two-deployments'],
  'where do I see the exact request that failed': ['#read-a-failure'],
  'run with docker': ['deploy/index'],
  'the database is down, what do users see': ['#a-database-that-fails-over'],
  'export usage for invoices': ['#for-operators'],
  'return different results depending on who calls': ['backend/methods#handlers'],
  'several apis on one port': ['#mount-it'],
  'numbers bigger than 2^53': ['#decoded-values'],
  'load only the new events since the last run': ['#logs-of-any-range'],
  'gas estimate is too low': ['#sending-a-transaction'],
  'use it from a python script': ['#by-program'],
  'wait until a deployment of my contract is done': ['#waiting-for-a-receipt'],
  'which rules are not tested yet': ['qa/gate#coverage'],
  'add a second server': ['how-to-run-three-machines'],
  'wake me up at night when it breaks': ['runbook'],
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

t.test('words of readers belong to pages and sections that exist', async (t) => {
  for (const place of Object.keys(searchWords)) {
    const [source = '', anchor] = place.split('#')
    const anchors = headingAnchors(await readFile(`${root}${source}`, 'utf8'))
    t.ok(anchor === undefined || [...anchors.values()].includes(anchor), place)
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
