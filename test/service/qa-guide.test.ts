import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { outdatedTexts, textsOfHtml } from '../../lab/pictures/shown-texts.js'
import { startOrderBook } from '../support/foreign/order-book.js'
import { openGuide, type ShellBlock } from '../support/guide.js'
import { reader } from '../support/reader.js'
import { runConcordat, startService } from '../support/service.js'
import { shows } from '../support/shown-output.js'
import { startStagingNode } from '../support/staging-node.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = await openGuide('docs/qa.md')
const folder = await reader.newFolder(t)

/** The staging node of the guide: a service with two mistakes. */
const service = await startService()
t.teardown(() => service.stop())
const staging = await startStagingNode(t, service.origin)
const url = `${staging}${new URL(service.networks.test.url).pathname}`

/** The order book of the guide, with one mistake. */
const orders = await startOrderBook(t, 'next-page-late')
const [laws = '{}'] = guide.code('Laws of a contract', 'json')
const document = JSON.parse(
  await readFile(join(root, 'test', 'fixtures', 'foreign', 'order-book.json'), 'utf8'),
)
for (const method of document.methods) method['x-laws'] = JSON.parse(laws)[method.name]
await writeFile(join(folder, 'orders.json'), JSON.stringify(document, null, 2))

const machine = {
  cwd: folder,
  env: { RPC_URL: url, ORDERS_URL: orders },
  functions: reader.functions,
}

/** Commands with the output that the guide shows below them. */
const commands = guide.commands()
const isWatch = ({ text }: ShellBlock) => text.includes('--watch')

t.test('every command of the guide prints what the guide shows', async (t) => {
  const [list = ''] = guide.code('Known failures', 'yaml')
  await writeFile(join(folder, 'staging.yaml'), list)
  const codes: (number | null)[] = []
  t.ok(commands.filter(({ shown }) => shown !== '').length >= 8)
  for (const block of commands.filter((one) => !isWatch(one))) {
    await t.test(block.text.split('\n')[0] ?? '', async (t) => {
      const { code, output } = await block.run(machine)
      shows(t, output, block.shown)
      if (block.text.includes('report.html') && codes.length === 1) {
        const report = textsOfHtml(await readFile(join(folder, 'report.html'), 'utf8'))
        t.same(await outdatedTexts('report', report), [], 'run npm run pictures')
      }
      codes.push(code)
    })
  }
  t.same(codes, [0, 1, 1, 1, 0, 1, 1, 0, 0], 'as the guide says')
  t.match(await readFile(join(folder, 'report.html'), 'utf8'), /^<!doctype html>/i)
  t.match(await readFile(join(folder, 'summary.md'), 'utf8'), '### Still failing')
})

t.test('a watch prints what the guide shows', async (t) => {
  const watch = commands.find(isWatch)
  const started = watch?.start({ ...machine, places: { 9465: 0 } })
  await started?.said(/ failing /)
  const stopped = await started?.stop()
  shows(t, stopped?.output ?? '', watch?.shown ?? '')
  // npx itself ends with the signal.
  if (reader.isProject) t.equal(stopped?.code, 1)
})

t.test('the laws of the guide have no mistakes', async (t) => {
  const { code, out } = await runConcordat(['lint', join(folder, 'orders.json')])
  t.equal(code, 0, out)
  t.match(out, 'no problems')
})

t.test('the workflow is that of the example', async (t) => {
  const [workflow = ''] = guide.code('Each night', 'yaml')
  t.match(await readFile(join(root, 'examples', 'ci', 'README.md'), 'utf8'), workflow)
})

t.test('the shown case is valid', async (t) => {
  const [scenario = ''] = guide.code('A case', 'yaml')
  await mkdir(join(folder, 'cases', 'logs'), { recursive: true })
  await writeFile(join(folder, 'cases', 'logs', 'shown.yaml'), scenario)
  const cases = ['--scenarios', join(folder, 'cases'), '--only', 'logs/*']
  const { out } = await runConcordat(['conform', service.networks.main.url, ...cases])
  t.match(out, /1 passed/)
})
