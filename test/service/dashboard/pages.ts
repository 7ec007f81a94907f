import { gzipSync } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import {
  checkAppearance,
  checkedViewports,
  createKey,
  enter,
  layoutShift,
  logIn,
  maxLayoutShift,
  maxPageBytes,
  openBrowser,
  openPage,
  pageBytes,
  signUp,
} from '../../support/dashboard.js'
import { dashboardRoutes } from '../../support/dashboard-routes.js'
import { onlyFont } from '../../support/fonts.js'
import { call, post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { browser, origin, service } from './chain-harness.js'

/** Every registered page, as a user with all rights sees it. New pages are included automatically. */

/** Highest compressed size of a page without the files that a browser keeps; bytes. */
const maxRepeatBytes = 10_000

/** Routes that are not pages: files, streams and redirects. */
const noPages = /^\/assets\/|\*$|\.(?:csv|json)$|\/events$|\/call$|^\/(?:login|signup|try)$/
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
  /** What pages load. */
  const files = new Set<string>()
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
    const html = await (await page.request.get(`${origin}${real}`)).text()
    const repeated = gzipSync(html).length
    t.ok(
      repeated < maxRepeatBytes,
      `${path}: ${repeated} bytes at a repeated visit, which loads only the page`,
    )
    for (const [, file = ''] of html.matchAll(/(?:src|href)="(\/assets\/[^"]*)"/g)) files.add(file)
  }
  t.ok(files.size > 5)
  for (const file of files) {
    const { 'cache-control': caching } = (await page.request.get(`${origin}${file}`)).headers()
    t.match(caching, /max-age=31536000.*immutable/, `${file} is loaded once`)
  }
  await context.close()
})

t.test('a page outside of the dashboard has the typeface', async (t) => {
  const { context, page, complaints } = await openPage(browser)
  await page.goto(`${origin}/nothing`)
  await until(() => page.evaluate(hasTypeface))
  t.same(
    complaints.filter((text) => !text.includes('404')),
    [],
  )
  await context.close()
})

/** Machines with a font of Arial's widths, and without one. */
for (const [family, hasFallback] of [
  ['arimo', true],
  ['dejavu-sans', false],
] as const)
  t.test(`text does not move when the typeface arrives late, where ${family} is installed`, async (t) => {
    const own = await openBrowser(t, await onlyFont(t, family))
    const { page } = await openPage(own)
    let arrive = () => {}
    const released = new Promise<void>((resolve) => {
      arrive = resolve
    })
    await page.route('**/*.woff2*', async (route) => {
      await released
      await route.continue()
    })
    await page.goto(origin, { waitUntil: 'domcontentloaded' })
    await until(() => page.evaluate("performance.getEntriesByName('first-contentful-paint').length === 1"))
    const before = Number(await page.evaluate(titleWidth))
    t.equal(await page.evaluate(hasTypeface), false)
    if (hasFallback) await until(async () => (await page.evaluate(loadedFallbacks)) === 3)
    else t.equal(await page.evaluate(loadedFallbacks), 0, 'no face of the fallback is found')
    arrive()
    await until(() => page.evaluate(hasTypeface))
    t.not(await page.evaluate(titleWidth), before, 'the title changes its typeface')
    const shift = await layoutShift(page)
    t.ok(shift < maxLayoutShift, `a shift of ${shift}`)
  })

/** How many faces of the fallback are loaded. */
const loadedFallbacks = `[...document.fonts].filter(
  ({ family, status }) => family.includes('Inter Fallback') && status === 'loaded').length`

/** True once the typeface is loaded. */
const hasTypeface =
  "[...document.fonts].some(({ family, status }) => family === 'Inter' && status === 'loaded')"

/** The width of the first word of the title, in CSS pixels. */
const titleWidth = `(() => {
  const range = document.createRange()
  range.selectNodeContents(document.querySelector('h1'))
  return range.getClientRects()[0].width
})()`

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

/** Returns the visible controls that only a background would show, which forced colours replace. */
const shapeless = `[...document.querySelectorAll('button, .button, select, textarea, input:not([type=hidden], [type=radio], [type=checkbox])')]
  .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((element) => {
    const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(element)
    const hasBorder = borderTopStyle !== 'none' && parseFloat(borderTopWidth) >= 1
    return !hasBorder && !textDecorationLine.includes('underline')
  })
  .map((element) => element.outerHTML.slice(0, 80))`

/** Animations and transitions that last, which users with reduced motion do not want. */
const moving = `[
  ...document.getAnimations().filter((each) => each.effect.getComputedTiming().activeDuration > 1).map(String),
  ...[...document.querySelectorAll('*')]
    .filter((element) => parseFloat(getComputedStyle(element).transitionDuration) > 0.001)
    .map((element) => element.outerHTML.slice(0, 80)),
]`

t.test(
  'on a phone, every control is 44 px wide and high, has a shape in forced colours, and nothing moves',
  async (t) => {
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
      await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
      t.same(await page.evaluate(shapeless), [], `${path}: in forced colours, every control has a border`)
      t.same(await page.evaluate(moving), [], `${path}: nothing moves`)
      await page.emulateMedia({ forcedColors: null, reducedMotion: null })
    }
    await context.close()
  },
)

t.test('every time has one format with its zone, with and without scripts', async (t) => {
  const { context, page } = await openPage(browser)
  await signUp(page, origin)
  const { id, failure } = await keyWithFailure(page)
  const storageState = await context.storageState()
  const plain = await (await browser.newContext({ javaScriptEnabled: false, storageState })).newPage()
  for (const path of ['/keys', '/usage', '/status', `/keys/${id}/failures`, failure, `/keys/${id}/metrics`])
    for (const each of [page, plain]) {
      await each.goto(`${origin}${path}`)
      const text = (await each.locator('main').textContent()) ?? ''
      const times = text.match(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*.{4}/g) ?? []
      t.ok(times.length > 0, `${path}: times`)
      t.same(
        times.filter((time) => !/^[\d-]+ [\d:]+ UTC/.test(time)),
        [],
        path,
      )
    }
  await Promise.all([context.close(), plain.context().close()])
})

t.test('the first page names the chain, and has a call with its current answer', async (t) => {
  const { page, context } = await openPage(browser)
  await page.goto(origin)
  t.match(await page.textContent('h1'), 'Rootstock')
  const shown = JSON.parse((await page.textContent('[data-live=call]')) ?? '')
  t.same(shown, { jsonrpc: '2.0', id: 1, result: await call(service.networks.test.url, 'eth_blockNumber') })
  await context.close()
})

t.test('a new key’s charts begin at its first call', async (t) => {
  const { context, page } = await openPage(browser)
  await signUp(page, origin)
  const { id } = await keyWithFailure(page)
  const moments = `JSON.parse(document.querySelector('[data-live=calls-chart]').dataset.chart).moments.length`
  await until(async () => {
    await page.goto(`${origin}/keys/${id}/metrics?range=month`)
    return (await page.textContent('[data-live=summary] dd')) === '1'
  })
  const steps = Number(await page.evaluate(moments))
  t.ok(steps === 1 || steps === 2, `${steps} steps, one more if a step has just begun`)
  await context.close()
})

t.test('the URL of a key is copied from the list, which does not contain it', async (t) => {
  const { context, page } = await openPage(browser)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  const { url } = await enter(page, origin)
  await page.goto(`${origin}/keys`)
  t.notMatch(await page.content(), url)
  await page.click('[data-copy-from]')
  await page.waitForSelector('p[role=status]:text-is("Copied")')
  t.equal(await page.evaluate('navigator.clipboard.readText()'), url)
  await context.close()
})

t.test('a chosen theme has its colours, whatever the system’s are', async (t) => {
  const { context, page } = await openPage(browser, { colorScheme: 'light' })
  await page.goto(origin)
  const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await paper()
  await page.click('.theme button:text-is("Dark")')
  await page.waitForSelector('html[data-theme=dark]')
  const dark = await paper()
  t.not(dark, light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.click('.theme button:text-is("Light")')
  await page.waitForSelector('html[data-theme=light]')
  t.equal(await paper(), light)
  await page.click('.theme button:text-is("System")')
  await page.waitForSelector('html:not([data-theme])')
  t.equal(await paper(), dark)
  await context.close()
})
