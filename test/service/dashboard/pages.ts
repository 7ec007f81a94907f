import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import {
  checkAppearance,
  checkedViewports,
  createKey,
  layoutShift,
  logIn,
  maxLayoutShift,
  maxPageBytes,
  openPage,
  pageBytes,
} from '../../support/dashboard.js'
import { dashboardRoutes } from '../../support/dashboard-routes.js'
import { post } from '../../support/service.js'
import { browser, origin, service } from './chain-harness.js'

/** Every registered page, as a user with all rights sees it. New pages are included automatically. */

/** Routes that are not pages: files, streams and redirects. */
const noPages = /^\/assets\/|\*$|\.(?:csv|json)$|\/events$|\/call$|^\/(?:login|signup)$/
const paths = (await dashboardRoutes())
  .filter(({ method, path }) => method === 'GET' && !noPages.test(path))
  .map(({ path }) => path)

/** A page of the demo user, an operator, and the path of its account. */
async function asOperator(options: BrowserContextOptions = {}) {
  const { context, page } = await openPage(browser, options)
  const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
  const status = await logIn(page, origin, 'demo@example.com', secret)
  if (status !== 303) throw new TypeError(`the log-in was answered with ${status}`)
  await page.goto(`${origin}/admin?q=demo`)
  return { context, page, account: (await page.getAttribute('tbody a', 'href')) ?? '' }
}

/** A key of the user with a failed call, and the path of its entry in the log of failures. */
async function keyWithFailure(page: Page, options: Parameters<typeof createKey>[2] = {}) {
  const { id } = await createKey(page, origin, options)
  const url = (await page.getAttribute('[data-secret-text]', 'data-secret-text')) ?? ''
  await post(url, { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['nonsense', 'latest'] })
  await page.goto(`${origin}/keys/${id}/failures`)
  return { id, failure: (await page.getAttribute('[data-live=failures] a', 'href')) ?? '' }
}

t.test('each page is small, stable and accessible', async (t) => {
  const { context, page, account } = await asOperator()
  const key = await keyWithFailure(page, { name: 'x'.repeat(limits.keyNameLength) })
  t.ok(paths.length > 15, 'there are pages to check')
  for (const [place, path] of paths.entries()) {
    const real = path
      .replace('/users/:account', '/users/:id')
      .replace('/admin/users/:id', account)
      .replace('/keys/:id/failures/:failure', key.failure)
      .replace('/keys/:id', `/keys/${key.id}`)
    for (const viewport of checkedViewports(place)) {
      await page.setViewportSize(viewport)
      const what = `${path}, ${viewport.width} px`
      let status: number | undefined
      const bytes = await pageBytes(page, async () => {
        status = (await page.goto(`${origin}${real}`))?.status()
      })
      // A refused action between operators is also a page.
      t.equal(status, /^\/admin\/users\/\w+\/disable$/.test(real) ? 409 : 200, `${what}: ${real}`)
      t.ok(bytes < maxPageBytes, `${what}: ${bytes} bytes`)
      t.ok((await layoutShift(page)) < maxLayoutShift, `${what}: no layout shift`)
      await checkAppearance(t, page, path)
    }
  }
  await context.close()
})

/** Returns the visible controls of a page that are smaller than a fingertip, in CSS pixels. */
const smallTargets = `[...document.querySelectorAll(
  'button, .button, select, textarea, input:not([type=hidden]), summary, nav a, .brand, .crumbs a, footer a, .actions > a, .examples label',
)]
  .map((element) => (/^(?:radio|checkbox)$/.test(element.type) ? element.closest('label') : element))
  .filter((element) => element?.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((element) => !element.matches('.skip'))
  .map((element) => [element.outerHTML.slice(0, 80), element.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 44 || height < 44)
  .map(([html, { width, height }]) => html + ' ' + width + 'x' + height)`

t.test('on a phone, every control is at least 44 px wide and high', async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
  const { context, page, account } = await asOperator(phone)
  const key = await keyWithFailure(page)
  for (const path of paths) {
    const real = path
      .replace('/users/:account', '/users/:id')
      .replace('/admin/users/:id', account)
      .replace('/keys/:id/failures/:failure', key.failure)
      .replace('/keys/:id', `/keys/${key.id}`)
    await page.goto(`${origin}${real}`)
    t.same(await page.evaluate(smallTargets), [], path)
  }
  await context.close()
})

t.test('times have equal widths before and after the conversion to local time', async (t) => {
  const viewport = { width: 360, height: 800 }
  const { context, page, account } = await asOperator({ viewport })
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
