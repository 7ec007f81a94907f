import t from 'tap'
import {
  checkAppearance,
  checkedViewports,
  enter,
  maxLayoutShift,
  openPage,
  viewports,
} from '../../support/dashboard.js'
import { isLong } from '../../support/runs.js'
import { call, post } from '../../support/service.js'
import { browser, origin } from './chain-harness.js'

/** Metrics, usage and status in a browser. */

const heaviestBytes = 80_000

const first = await openPage(browser)
const { id, url } = await enter(first.page, origin, {
  name: 'a key with a name that is as long as a name may be, nearly',
})
const storageState = await first.context.storageState()
const metrics = `${origin}/keys/${id}/metrics`

t.test('numbers, charts and tables of an open page are updated', async (t) => {
  const { page, context, complaints } = await openPage(browser, { storageState })
  await page.goto(metrics)
  await page.waitForSelector('text=No calls yet')
  t.equal(
    await page.locator('table:visible, .chart:visible, .numbers:visible').count(),
    0,
    'nothing is empty',
  )
  await page.evaluate('window.isSame = true')
  await call(url, 'eth_chainId')
  await page.waitForSelector('[data-live=calls-chart] canvas')
  await page.waitForFunction("document.querySelector('[data-live=calls-chart] canvas').clientWidth > 500")
  await page.click('summary >> nth=0')
  for (let n = 0; n < 4; n += 1) await call(url, 'eth_chainId')
  await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['nonsense'] })
  await page.waitForSelector('[data-live=summary] dd:text-is("6")')
  await page.waitForSelector('[data-live=methods] >> text=eth_chainId')
  t.match(await page.textContent('[data-live=errors]'), '-32602')
  const drawn = await page.evaluate(
    'JSON.parse(document.querySelector("[data-live=calls-chart]").dataset.chart).series.map(({ values }) => values.reduce((sum, value) => sum + value))',
  )
  t.same(drawn, [5, 1, 0, 0])
  t.equal(await page.locator('[data-live=calls-chart] canvas').count(), 1)
  t.equal(await page.locator('details[open]').count(), 1, 'open tables stay open')
  t.equal(await page.evaluate('window.isSame'), true, 'without a reload')
  await page.locator('[data-live=calls-chart] .u-over').hover()
  await page.waitForSelector('[data-readout] >> text=UTC')
  t.same(complaints, [])
  await context.close()
})

t.test(
  'two clicks lead from a success rate to a failed call, and one from a bar to its failures',
  async (t) => {
    const { page, context, complaints } = await openPage(browser, { storageState })
    await page.goto(metrics)
    await page.click('[data-live=summary] dd a')
    await page.waitForSelector('[data-live=failures] >> text=eth_getBalance')
    await checkAppearance(t, page, 'failures')
    await page.click('[data-live=failures] a')
    await page.waitForSelector('text=nonsense')
    await checkAppearance(t, page, 'a failure')
    await page.click('text=Open in the console')
    t.equal(await page.inputValue('.console input.code >> nth=0'), 'nonsense')
    await page.goto(metrics)
    const drawing = page.locator('[data-live=calls-chart] .u-over')
    const { width = 0, height = 0 } = (await drawing.boundingBox()) ?? {}
    // The current minute is the last bar; a minute may end meanwhile.
    await drawing.click({ position: { x: width - 3, y: height / 2 } })
    await page.waitForURL(/\/failures\?from=[^&]+&to=/)
    t.same(complaints, [])
    await context.close()
  },
)

t.test('open usage and status pages are updated', async (t) => {
  const { page, context, complaints } = await openPage(browser, { storageState })
  const status = await context.newPage()
  await status.goto(`${origin}/status`)
  await page.goto(`${origin}/usage`)
  await page.evaluate('window.isSame = true')
  const shown = await status.textContent('[data-live=at] time')
  await call(url, 'eth_chainId')
  await page.waitForSelector('[data-live=today] >> text=7 of 25,000 requests')
  t.equal(await page.evaluate('window.isSame'), true)
  await status.bringToFront()
  await status.waitForSelector(`[data-live=at] time:not(:text-is("${shown}"))`)
  t.same(complaints, [])
  await context.close()
})

t.test('without scripts the tables are open, and there are no empty charts', async (t) => {
  const { page, context } = await openPage(browser, { storageState, javaScriptEnabled: false })
  for (const path of [metrics, `${origin}/usage`]) {
    await page.goto(path)
    t.equal(await page.locator('.drawing:visible').count(), 0)
    t.ok(await page.locator('.chart details tbody tr:visible').count())
    await page.click('.chart summary >> nth=0')
    t.notOk(await page.locator('.chart >> nth=0 >> tbody tr:visible').count(), 'a table can be closed')
  }
  await context.close()
})

t.test('a table that is wider than a phone has a shadow at its cut edge', async (t) => {
  const [viewport = { width: 360, height: 800 }] = viewports
  const { page, context } = await openPage(browser, { viewport, storageState })
  await page.goto(metrics)
  const table = page.locator('.scroll:visible').first()
  await table.scrollIntoViewIfNeeded()
  const edge = async () => {
    const { x = 0, y = 0, width = 0, height = 0 } = (await table.boundingBox()) ?? {}
    return page.screenshot({ clip: { x: x + width - 4, y: y + height / 2, width: 3, height: 3 } })
  }
  t.ok(await table.evaluate((element) => element.scrollWidth > element.clientWidth), 'the table is cut off')
  const before = await edge()
  await table.evaluate((element) => element.scrollTo(element.scrollWidth, 0))
  t.notOk(before.equals(await edge()), 'no shadow at the end')
  await context.close()
})

const pages: Readonly<Record<string, string>> = {
  metrics,
  'metrics of 30 days': `${metrics}?range=month`,
  usage: `${origin}/usage`,
  'usage of 90 days': `${origin}/usage?days=90`,
  status: `${origin}/status`,
}

/** Records every visible layout shift of a page. */
const noteShifts = `
  const noted = []
  const note = (entries) => noted.push(...entries.map(({ value }) => value).filter((value) => value >= ${maxLayoutShift}))
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  window.shifts = () => {
    note(observer.takeRecords())
    return noted
  }`

t.test('accessibility and layout', async (t) => {
  const { page, context, complaints } = await openPage(browser, { storageState })
  await context.addInitScript(noteShifts)
  for (const [place, [name, path]] of Object.entries(pages).entries()) {
    for (const viewport of checkedViewports(place)) {
      await page.setViewportSize(viewport)
      const what = `${name}, ${viewport.width} px`
      await page.goto(path)
      if (name !== 'status') await page.waitForSelector('[data-chart] canvas')
      t.same(await page.evaluate('shifts()'), [], `${what}: no layout shift`)
      // In the short form only the check of every registered page sees closed tables.
      if (isLong) await checkAppearance(t, page, name)
      for (const summary of await page.locator('summary').all()) await summary.click()
      await checkAppearance(t, page, `${name}, with its tables open`)
      const bytes = await page.evaluate(
        '[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)',
      )
      t.ok(Number(bytes) < heaviestBytes, `${what}: ${bytes} bytes`)
    }
  }
  t.same(complaints, [])
  await context.close()
})
