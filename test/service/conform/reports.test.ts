import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { conformDefaults } from '../../../src/cli/conform/conform-options.js'
import type { Report } from '../../../src/judge/index.js'
import { axeProblems, openBrowser } from '../../support/dashboard.js'
import { chosen } from '../../support/runs.js'
import { startService } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { findTool } from '../../support/tools.js'
import { libraryService, passing, runCommand } from '../../unit/cli/conform/conform-harness.js'
import { isClean } from './conform-harness.js'

const run = promisify(execFile)
const schema = fileURLToPath(new URL('../../fixtures/junit.xsd', import.meta.url))

const service = await startService()
t.teardown(() => service.stop())
const browser = await openBrowser(t)
const folder = await temporaryFolder(t)
const files = {
  json: join(folder, 'report.json'),
  junit: join(folder, 'report.xml'),
  html: join(folder, 'report.html'),
}
const ran = await runCommand('conform', [
  service.networks.test.url,
  ...Object.entries(files).flatMap(([format, file]) => ['--report', `${format}=${file}`]),
])

const hostile = `<script>window.wasRun = true</script><img src="https://example.com/x" onerror="window.wasRun = true">`

/** Reports of a faulty target that answers with markup. */
async function redReports(t: Test) {
  const { folder, run } = await libraryService(
    t,
    {
      'books/one.yaml': passing,
      'books/two.yaml': passing,
      'books/three.yaml': passing.replace('[7]', '[8]'),
    },
    { book: ({ params: [number] }) => ({ result: number === 7 ? { title: hostile } : null }) },
  )
  const html = join(folder, 'red.html')
  const junit = join(folder, 'red.xml')
  const { code } = await run(['--report', `html=${html}`, '--report', `junit=${junit}`])
  t.equal(code, 1)
  return { html, junit }
}

/** Opens a page in Chromium and records all its requests. */
async function open(t: Test, file: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  t.teardown(() => context.close())
  const page = await context.newPage()
  const wanted: string[] = []
  const errors: string[] = []
  page.on('request', (request) => wanted.push(request.url()))
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => errors.push(message.text()))
  await page.goto(pathToFileURL(file).href)
  return { page, wanted, errors }
}

const shown = (page: Page) => page.locator('.case:visible').count()

t.test('a run of a correct service writes all requested reports', async (t) => {
  t.equal(ran.err, '')
  t.equal(ran.code, 0)
  const report = JSON.parse(await readFile(files.json, 'utf8')) as Report
  isClean(t, report)
  t.ok(
    report.requests.billed <= conformDefaults.budget,
    `${report.requests.billed} requests are within the budget for other hosts`,
  )
  t.match(report, {
    target: { network: 'test', head: { number: /^0x/ } },
    requests: { writes: 0, heldBack: 0 },
  })
  for (const file of Object.values(files)) t.ok((await stat(file)).size > 10_000, file)
})

t.test('JUnit reports are valid XML by the schema of Jenkins and Surefire', async (t) => {
  const xmllint = await findTool('xmllint')
  const { junit } = await redReports(t)
  for (const file of [files.junit, junit]) {
    const { stderr } = await run(xmllint, ['--noout', '--nonet', '--schema', schema, file])
    t.match(stderr, `${file} validates`)
  }
})

t.test(
  'a page of some hundred cases is below a megabyte, and is judged again with equal verdicts',
  async (t) => {
    t.ok((await stat(files.html)).size < 1_000_000)
    const { code, out } = await runCommand('verify', [files.json])
    t.equal(code, ran.code)
    t.match(out, ', 0 changed')
  },
)

t.test('a page shows texts of a hostile target, loads nothing and runs none of them', async (t) => {
  const { html } = await redReports(t)
  const { page, wanted, errors } = await open(t, html)
  t.match(await page.locator('h1').textContent(), 'Library 2.1.0')
  t.match(await page.locator('.headline').textContent(), '2 of 3 cases failed, for 1 reason')
  t.match(await page.locator('.cause .copy').last().textContent(), 'concordat conform "$RPC_URL"')
  t.match(await page.locator('.cause').textContent(), '<script>window.wasRun = true</script>')
  t.equal(await page.evaluate('window.wasRun'), undefined)
  t.same(wanted, [pathToFileURL(html).href])
  t.same(errors, [])
})

t.test('cases are filtered by verdict, rule, method and text, also with the keyboard', async (t) => {
  const { page, errors } = await open(t, files.html)
  const all = await page.locator('.case').count()
  const found = page.locator('#found')
  t.equal(await found.textContent(), `${all} of ${all} cases`)
  t.equal(await shown(page), 0, 'groups are closed at first')
  await page.getByRole('searchbox', { name: 'Text' }).fill('keccak')
  const byText = await shown(page)
  t.ok(byText > 0 && byText < all)
  t.equal(await found.textContent(), `${byText} of ${all} cases`)
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.waitForFunction(`document.querySelector('#found').textContent === '${all} of ${all} cases'`)
  await page.getByLabel(/^Rule/).selectOption('hashing.keccak')
  const byRule = await shown(page)
  t.ok(byRule > 0 && byRule < all)
  await page.getByLabel(/^Method/).selectOption('eth_chainId')
  t.equal(await shown(page), 0)
  await page.getByLabel(/^Rule/).selectOption('')
  t.ok((await shown(page)) > 0)
  await page.getByLabel(/^Method/).selectOption('')
  const passed = page.getByRole('checkbox', { name: /^passed / })
  await passed.focus()
  await page.keyboard.press('Space')
  t.ok((await shown(page)) < all / 2)
  await page.keyboard.press('Space')
  const group = page.locator('.group summary').first()
  await group.focus()
  await page.keyboard.press('Enter')
  t.ok((await shown(page)) > 0)
  t.same(errors, [])
})

t.test('the coverage of a rule links to its cases, and uncovered rules can be filtered', async (t) => {
  const { page } = await open(t, files.html)
  await page
    .locator('.group', { has: page.locator('[data-rule="hashing.keccak"]') })
    .locator('summary')
    .click()
  await page.locator('[data-rule="hashing.keccak"]').click()
  t.ok((await shown(page)) > 0)
  t.equal(await page.getByLabel(/^Rule/).inputValue(), 'hashing.keccak')
  const rows = await page.locator('.covered:not([hidden])').count()
  await page.getByLabel('only untested rules and elements').check()
  t.ok((await page.locator('.covered:not([hidden])').count()) < rows)
})

t.test('the page is accessible: narrow and wide, light and dark, and without scripts', async (t) => {
  const { html } = await redReports(t)
  // The short form combines each page, width and colour scheme once.
  const screens = chosen(
    {
      'red, light and narrow': { file: html, colorScheme: 'light', width: 360 },
      'red, dark and wide': { file: html, colorScheme: 'dark', width: 1280 },
      'green, light and narrow': { file: files.html, colorScheme: 'light', width: 360 },
      'green, dark and wide': { file: files.html, colorScheme: 'dark', width: 1280 },
    } as const,
    { 'red, dark and wide': 'green, dark and wide', 'green, light and narrow': 'red, light and narrow' },
  )
  for (const [, { file, colorScheme, width }] of screens) {
    // The page's policy would refuse the script of axe.
    const viewport = { width, height: 900 }
    const { page } = await open(t, file, { colorScheme, viewport, bypassCSP: true })
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'no horizontal scrolling')
    await page.evaluate(
      `for (const node of [...document.querySelectorAll('details')].slice(0, 20)) node.open = true`,
    )
    t.same(await axeProblems(page), [])
  }
  const { page } = await open(t, files.html, { javaScriptEnabled: false })
  t.equal(await page.locator('form').isVisible(), false)
  await page.locator('.group summary').first().click()
  t.ok(await page.locator('.case summary').first().isVisible())
  const members = page.locator('.group', { hasText: 'result members' })
  await members.locator('summary').click()
  t.match((await members.locator('td').allTextContents()).join(), /\w/)
  const { page: failed } = await open(t, html, { javaScriptEnabled: false })
  t.notOk(await failed.locator('.cause .exchange', { hasText: 'Answer: HTTP' }).first().isVisible())
  await failed
    .getByText(/equests? and answers?$/)
    .first()
    .click()
  t.ok(await failed.locator('.cause .exchange', { hasText: 'Answer: HTTP' }).first().isVisible())
  const commands = await failed.locator('.cause .copy').allTextContents()
  t.match(commands[0], /^curl -s "\$RPC_URL"/)
  t.match(commands[1], '--replay books/')
})

t.test('a printed page has no controls, and nothing is wider than the paper', async (t) => {
  const { html } = await redReports(t)
  for (const file of [html, files.html]) {
    const { page } = await open(t, file, { viewport: { width: 700, height: 1000 } })
    await page.emulateMedia({ media: 'print' })
    t.equal(await page.locator('button:visible, form:visible, nav:visible').count(), 0)
    t.equal(await page.evaluate('document.documentElement.scrollWidth'), 700)
  }
})
