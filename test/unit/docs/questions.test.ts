import { readFile } from 'node:fs/promises'
import t from 'tap'
import { limits } from '../../../generated/contract.js'

const page = (name: string) =>
  readFile(new URL(`../../../docs/questions/${name}.md`, import.meta.url), 'utf8')
const grouped = (value: number) => value.toLocaleString('en-US')

t.test('the answers have the numbers of the contract', async (t) => {
  const numbers = {
    'how-many-logs': [
      `at most ${grouped(limits.blockSpanWithoutLogLimit)} blocks`,
      `at most ${grouped(limits.logsPerAnswer)} logs`,
      `at most ${limits.addressesPerFilter} addresses, ${limits.topicPositions} positions`,
      `${limits.topicsPerPosition} topics for each position`,
      `over ${limits.logsHeldBytes / 2 ** 20} MiB`,
    ],
    'what-happens-at-the-limit': [
      `After ${grouped(limits.requestsPerUserPerDay)} requests`,
      `${limits.requestsAtOncePerUser} of a user run`,
      `up to ${grouped(limits.queuedRequestsPerUser)} wait`,
      `at most ${limits.queueSeconds} seconds`,
      `within ${limits.retryAfterMaximumSeconds} seconds`,
    ],
    'how-to-run-three-machines': [
      `(${limits.requestsAtOncePerUser} of a user)`,
      `for ${limits.keyDatabaseAbsenceSeconds} seconds refuses`,
    ],
  }
  for (const [name, texts] of Object.entries(numbers)) {
    const text = await page(name)
    for (const wanted of texts) t.ok(text.includes(wanted), `${name}: ${wanted}`)
  }
})
