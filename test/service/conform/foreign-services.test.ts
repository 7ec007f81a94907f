import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { ledgerBugs, startLedger } from '../../support/foreign/ledger.js'
import { noteStoreBugs, startNoteStore } from '../../support/foreign/note-store.js'
import { orderBookBugs, startOrderBook } from '../../support/foreign/order-book.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { isLong } from '../../support/runs.js'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** A service without this package, with mistakes that can be switched on one by one. */
interface ForeignService {
  readonly name: string
  readonly bugs: Readonly<Record<string, string>>
  readonly start: (t: Test, bug?: string) => Promise<string>
  /** Laws by method, as JSON. */
  readonly laws: () => Promise<string>
  /** Bugs that the document alone does not find. */
  readonly beyondDocument: readonly string[]
  /** Bugs that its laws do not find either. */
  readonly missed: readonly string[]
}

const root = fileURLToPath(new URL('../../../', import.meta.url))
const fixture = (file: string) => readFile(join(root, 'test', 'fixtures', 'foreign', file), 'utf8')

const services: readonly ForeignService[] = [
  {
    name: 'order-book',
    bugs: orderBookBugs,
    start: (t, bug) => startOrderBook(t, bug as keyof typeof orderBookBugs),
    laws: async () => {
      const guide = await readFile(join(root, 'docs', 'qa.md'), 'utf8')
      return markdownBlocks(guide, 'Laws of a contract', 'json')[0] ?? ''
    },
    beyondDocument: ['next-page-late', 'ties-newest-first', 'cancel-keeps-depth', 'best-is-worst'],
    missed: [],
  },
  {
    name: 'note-store',
    bugs: noteStoreBugs,
    start: (t, bug) => startNoteStore(t, bug as keyof typeof noteStoreBugs),
    laws: () => fixture('note-store-laws.json'),
    beyondDocument: ['cursor-repeats', 'default-size-ignored', 'usage-after-delete', 'usage-in-characters'],
    missed: [],
  },
  {
    name: 'ledger',
    bugs: ledgerBugs,
    start: (t, bug) => startLedger(t, bug as keyof typeof ledgerBugs),
    laws: () => fixture('ledger-laws.json'),
    beyondDocument: ['last-page-lost', 'reverse-keeps-fee', 'entries-by-id', 'total-leaves-out-overdrawn'],
    missed: [],
  },
]

/** Runs the suite and returns the exit code, and what did not pass. */
async function conform(url: string, document: string, folder: string) {
  const report = join(folder, 'report.json')
  const { code, err } = await runConcordat([
    ...['conform', url, '--contract', document, '--allow', 'write', '--report', `json=${report}`],
  ])
  const { cases } = JSON.parse(await readFile(report, 'utf8')) as Report
  const failed = cases.filter(({ verdict }) => !['pass', 'tolerated', 'not-applicable'].includes(verdict))
  const idle = cases.filter(({ group, verdict }) => group === 'laws' && verdict === 'not-applicable')
  return {
    code,
    err,
    report,
    failed: failed.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`),
    idle: idle.map(({ id, reason }) => `${id}: ${reason}`),
  }
}

for (const { name, bugs, start, laws, beyondDocument, missed } of services) {
  t.test(`${name}: eight mistakes are found by the document, or by its laws`, async (t) => {
    const folder = await temporaryFolder(t)
    const plain = join(root, 'test', 'fixtures', 'foreign', `${name}.json`)
    const document = JSON.parse(await fixture(`${name}.json`))
    const stated = JSON.parse(await laws())
    for (const method of document.methods) method['x-laws'] = stated[method.name]
    const lawful = join(folder, 'laws.json')
    await writeFile(lawful, JSON.stringify(document))
    const lint = await runConcordat(['lint', lawful])
    t.equal(lint.code, 0, `the laws have no mistakes ${lint.out}`)

    for (let run = 0; run < (isLong ? 10 : 2); run++) {
      const { code, failed, idle, err, report } = await conform(await start(t), lawful, folder)
      t.same([code, failed, idle], [0, [], []], `the correct service follows every law ${err}`)
      if (run > 0) continue
      const verified = await runConcordat(['verify', report, '--contract', lawful])
      t.equal(verified.code, 0, `and so does its report: ${verified.out}`)
    }
    const found = { document: [] as string[], laws: [] as string[] }
    for (const bug of Object.keys(bugs)) {
      // The short form tries the document alone where it finds the bug.
      const alone =
        isLong || !beyondDocument.includes(bug)
          ? await conform(await start(t, bug), plain, folder)
          : undefined
      if (alone?.code === 1) found.document.push(bug)
      const withLaws = alone?.code === 1 ? alone : await conform(await start(t, bug), lawful, folder)
      if (withLaws.code === 1) found.laws.push(bug)
    }
    const without = (list: readonly string[]) => Object.keys(bugs).filter((bug) => !list.includes(bug))
    t.equal(Object.keys(bugs).length, 8)
    t.same(found.document, without(beyondDocument))
    t.same(found.laws, without(missed))
  })
}
