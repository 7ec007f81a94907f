import t from 'tap'
import {
  axeProblems,
  browserTimeout,
  isTooWide,
  largestPage,
  logIn,
  looks,
  openBrowser,
  shifted,
  unseenShift,
  weigh,
} from '../support/dashboard.js'
import { dashboardRoutes } from '../support/dashboard-routes.js'
import { startService } from '../support/service.js'

/** Every page that is registered, as somebody with every right sees it: also those that are added later. */
t.setTimeout(browserTimeout)
const service = await startService({ env: { CONCORDAT_OPERATORS: 'demo@example.com' } })
t.teardown(() => service.stop())
const { origin } = service
const browser = await openBrowser(t)
/** What is no page: files, streams, places that lead on. */
const noPages = /^\/assets\/|\*$|\.csv$|\/events$|\/call$|^\/(?:login|signup)$/
const paths = (await dashboardRoutes())
  .filter(({ method, path }) => method === 'GET' && !noPages.test(path))
  .map(({ path }) => path)

for (const look of [looks[0], looks[3]]) {
  const name = `${look?.viewport?.width} px, ${look?.colorScheme}`
  t.test(`each page is small, stands still and is fit to be used by everybody: ${name}`, async (t) => {
    const context = await browser.newContext(look)
    const page = await context.newPage()
    const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
    t.equal(await logIn(page, origin, 'demo@example.com', secret), 303)
    await page.goto(`${origin}/admin?q=demo`)
    const account = (await page.getAttribute('tbody a', 'href')) ?? ''
    await page.goto(`${origin}/keys`)
    const key = (await page.getAttribute('.cards h2 a', 'href')) ?? ''
    t.ok(paths.length > 15, 'there are pages to look at')
    for (const path of paths) {
      const real = path
        .replace('/users/:account', '/users/:id')
        .replace('/admin/users/:id', account)
        .replace('/keys/:id', key)
      let status: number | undefined
      const show = async () => {
        status = (await page.goto(`${origin}${real}`))?.status()
      }
      const bytes = await weigh(page, show, { isLive: path.endsWith('/metrics') })
      // What an operator must not do to an operator is a page as well: it says so.
      t.equal(status, /^\/admin\/users\/\w+\/disable$/.test(real) ? 409 : 200, `${path}: ${real}`)
      t.ok(bytes < largestPage, `${path}: ${bytes} bytes`)
      t.ok((await shifted(page)) < unseenShift, `${path}: nothing moves`)
      t.notOk(await isTooWide(page), `${path}: nobody scrolls to the side`)
      t.same(await axeProblems(page), [], `${path}: axe-core finds nothing`)
    }
    await context.close()
  })
}
