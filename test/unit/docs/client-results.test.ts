import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import {
  type ClientSection,
  formatClients,
  markNotRun,
  parseClients,
  worseResults,
} from '../../../lab/clients/table.js'

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')
const section = (results: Readonly<Record<string, string>>): ClientSection => ({
  version: '1.2.3',
  results: new Map(Object.entries(results)),
})

t.test('docs/clients.md is what the run writes, with a section for each program', async (t) => {
  const text = await read('docs/clients.md')
  const entries = await readdir(new URL('../../../lab/clients/', import.meta.url), { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const sections = parseClients(text)
  t.same([...sections.keys()].sort(), folders.sort())
  t.equal(formatClients(folders, sections), text)
  for (const [name, { results }] of sections) t.ok(results.size >= 4, `${name} has steps`)
})

const order = ['works', 'works with `option`', 'cannot: a reason', 'failed']

for (const [was, before] of order.slice(0, 3).entries()) {
  for (const [is, now] of order.entries()) {
    const isWorse = is > was || is === 3
    t.test(`"${now}" after "${before}" ${isWorse ? 'fails' : 'passes'}`, (t) => {
      const worse = worseResults(section({ sends: before }), section({ sends: now }))
      t.same(worse, isWorse ? [`sends: ${now}; before: ${before}`] : [])
      t.end()
    })
  }
}

t.test('a step that is no longer reported fails, and so does a new one that fails', (t) => {
  t.same(worseResults(section({ sends: 'works' }), section({})), ['sends: failed; before: works'])
  t.same(worseResults(undefined, section({ sends: 'failed' })), ['sends: failed'])
  t.same(worseResults(undefined, section({ sends: 'cannot: a reason' })), [])
  t.same(worseResults(section({}), section({ sends: 'anything' })), ['sends: anything'])
  t.end()
})

t.test('a program without its toolchain keeps its results, and they count again afterwards', (t) => {
  const notRun = markNotRun(section({ sends: 'works' }), 'Go')
  const kept = 'not run (Go is missing); before: works'
  t.same([notRun.version, [...notRun.results]], ['1.2.3', [['sends', kept]]])
  t.same(markNotRun(notRun, 'Go'), notRun, 'it is marked once')
  t.same(worseResults(notRun, section({ sends: 'cannot: a reason' })), [
    'sends: cannot: a reason; before: works',
  ])
  const never = markNotRun(undefined, 'Go')
  t.same([...never.results], [['all steps', 'not run (Go is missing)']])
  t.same(markNotRun(never, 'Go'), never)
  t.same(worseResults(never, section({ sends: 'works' })), [])
  const written = formatClients(['a', 'b'], new Map([['a', notRun]]))
  t.same(parseClients(written).get('a'), notRun)
  t.same(parseClients(written).get('b'), { version: '', results: new Map() })
  t.end()
})
