import t from 'tap'
import { limits } from '../../generated/contract.js'
import {
  browserTimeout,
  checkAppearance,
  createKey,
  isViewportChecked,
  layoutShift,
  logIn,
  maxLayoutShift,
  maxPageBytes,
  openBrowser,
  pageBytes,
  viewports,
} from '../support/dashboard.js'
import { dashboardRoutes } from '../support/dashboard-routes.js'
import { startService } from '../support/service.js'

/** Every registered page, as a user with all rights sees it. New pages are included automatically. */
t.setTimeout(browserTimeout)
const service = await startService({ env: { CONCORDAT_OPERATORS: 'demo@example.com' } })
t.teardown(() => service.stop())
const { origin } = service
const browser = await openBrowser(t)
/** Routes that are not pages: files, streams and redirects. */
const noPages = /^\/assets\/|\*$|\.csv$|\/events$|\/call$|^\/(?:login|signup)$/
const paths = (await dashboardRoutes())
  .filter(({ method, path }) => method === 'GET' && !noPages.test(path))
  .map(({ path }) => path)

for (const viewport of viewports) {
  t.test(`each page is small, stable and accessible: ${viewport.width} px`, async (t) => {
    const context = await browser.newContext({ viewport })
    const page = await context.newPage()
    const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
    t.equal(await logIn(page, origin, 'demo@example.com', secret), 303)
    await page.goto(`${origin}/admin?q=demo`)
    const account = (await page.getAttribute('tbody a', 'href')) ?? ''
    const key = await createKey(page, origin, { name: 'x'.repeat(limits.keyNameLength) })
    t.ok(paths.length > 15, 'there are pages to check')
    for (const path of paths.filter((_, place) => isViewportChecked(place, viewport))) {
      const real = path
        .replace('/users/:account', '/users/:id')
        .replace('/admin/users/:id', account)
        .replace('/keys/:id', `/keys/${key.id}`)
      let status: number | undefined
      const bytes = await pageBytes(page, async () => {
        status = (await page.goto(`${origin}${real}`))?.status()
      })
      // A refused action between operators is also a page.
      t.equal(status, /^\/admin\/users\/\w+\/disable$/.test(real) ? 409 : 200, `${path}: ${real}`)
      t.ok(bytes < maxPageBytes, `${path}: ${bytes} bytes`)
      t.ok((await layoutShift(page)) < maxLayoutShift, `${path}: no layout shift`)
      await checkAppearance(t, page, path)
    }
    await context.close()
  })
}

t.test('times have equal widths before and after the conversion to local time', async (t) => {
  const viewport = { width: 360, height: 800 }
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
  await logIn(page, origin, 'demo@example.com', secret)
  await page.goto(`${origin}/admin?q=demo`)
  const account = (await page.getAttribute('tbody a', 'href')) ?? ''
  const storageState = await context.storageState()
  const plain = await browser.newContext({ viewport, javaScriptEnabled: false, storageState })
  const [local, utc] = await Promise.all(
    [page, await plain.newPage()].map(async (each) => {
      await each.goto(`${origin}${account}`)
      const facts = each.locator('dl.facts')
      return { text: await facts.textContent(), height: (await facts.boundingBox())?.height }
    }),
  )
  t.match(utc?.text ?? '', /UTC/)
  t.notMatch(local?.text ?? '', /UTC/)
  t.equal(local?.height, utc?.height)
  await Promise.all([context.close(), plain.close()])
})
