import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import {
  type APIResponse,
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
  type Response,
} from 'playwright-core'
import { findChromium } from './chromium.js'
import { isLong } from './test-length.js'
import { hiddenFields, newAddress, newClientAddress, password } from './visitor.js'

type Test = { teardown: (work: () => unknown) => void }
type Asserting = {
  same: (found: unknown, wanted: unknown, message: string) => unknown
  notOk: (found: unknown, message: string) => unknown
}

/** Windows in which every page is checked: phone and desktop. */
export const viewports = [360, 1280].map((width) => ({ width, height: 800 }))

/**
 * The windows in which a page is checked: each one in the long form; one of them, in turn, in the short form.
 * @param place index of the page among the checked pages
 */
export function checkedViewports(place: number): typeof viewports {
  return isLong ? viewports : viewports.filter((_, at) => at === place % viewports.length)
}

/** Time limit of an action and of the start of a browser, in milliseconds: for hangs, also on a busy machine. */
const patience = 600_000

/**
 * Starts Chromium; it is closed when the test ends.
 * @param env variables that are added to its environment
 * @param switches further arguments
 */
export async function openBrowser(
  t: Test,
  env: Readonly<Record<string, string>> = {},
  switches: readonly string[] = [],
): Promise<Browser> {
  const { executablePath, args } = await findChromium()
  const browser = await chromium.launch({
    executablePath,
    args: [...args, ...switches],
    env: { ...process.env, ...env },
    timeout: patience,
  })
  browser.on('context', (context) => context.setDefaultTimeout(patience))
  t.teardown(() => browser.close())
  return browser
}

/** A page in a browser context of its own, with every error that the browser reports. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  return { page, context, complaints }
}

/** Submits the form in the page's main part and waits for the next page. */
export async function send(page: Page, button = 'main form button[type=submit]'): Promise<number> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.locator(button).first().click(),
  ])
  await page.waitForLoadState()
  return answer.status()
}

/** Signs up through the page, which shows the first key then. Returns the e-mail address. */
export async function signUp(page: Page, origin: string, email = newAddress()): Promise<string> {
  await page.goto(`${origin}/signup`)
  await page.fill('#email', email)
  await page.fill('#password', password)
  await send(page)
  await page.waitForURL('**/keys/key_*')
  return email
}

/** Logs in through the page. */
export async function logIn(page: Page, origin: string, email: string, secret = password): Promise<number> {
  await page.goto(`${origin}/login`)
  await page.fill('#email', email)
  await page.fill('#password', secret)
  return send(page)
}

/**
 * Sends a form with the page's cookies, but without rendering pages. Sign-ups have an own client address each, which
 * services that trust local proxies count separately.
 * @param from page with the form
 */
export async function postForm(
  page: Page,
  origin: string,
  path: string,
  fields: Readonly<Record<string, string>> = {},
  from = path.endsWith('/settings') ? path : '/account',
): Promise<APIResponse> {
  const hidden = hiddenFields(await (await page.request.get(`${origin}${from}`)).text())
  const headers = { origin, ...(path === '/signup' && { 'x-forwarded-for': newClientAddress() }) }
  const answer = await page.request.post(`${origin}${path}`, { headers, form: { ...hidden, ...fields } })
  if (!answer.ok()) throw new TypeError(`${path}: ${answer.status()} ${await answer.text()}`)
  return answer
}

/**
 * Signs up a new user, who has one key, with the page's cookies, but without rendering the pages. This is a second faster
 * for each page than {@link signUp} and {@link createKey}.
 */
export async function enter(
  page: Page,
  origin: string,
  {
    name = 'a key',
    network = 'test',
    email = newAddress(),
  }: { readonly name?: string; readonly network?: 'test' | 'main'; readonly email?: string } = {},
): Promise<{ readonly id: string; readonly url: string }> {
  const first = await shownKey(await postForm(page, origin, '/signup', { email, password }, '/signup'))
  if (network === 'test') {
    await postForm(page, origin, `/keys/${first.id}/name`, { name })
    return first
  }
  await postForm(page, origin, `/keys/${first.id}/delete`)
  return shownKey(await postForm(page, origin, '/keys', { name, network }, '/keys/new'))
}

/** The key on its own page. */
async function shownKey(page: APIResponse): Promise<{ readonly id: string; readonly url: string }> {
  const [, id] = /\/keys\/(key_\w+)/.exec(page.url()) ?? []
  const [, url] = /data-secret-text="([^"]*)"/.exec(await page.text()) ?? []
  if (id === undefined || url === undefined) throw new TypeError(`${page.status()} ${page.url()}`)
  return { id, url }
}

/** Creates a key through the page. Returns its id and the URL that the page shows. */
export async function createKey(
  page: Page,
  origin: string,
  { name = 'a key', network = 'test' }: { readonly name?: string; readonly network?: 'test' | 'main' } = {},
): Promise<{ readonly id: string; readonly url: string }> {
  await page.goto(`${origin}/keys/new`)
  await page.fill('#name', name)
  await page.selectOption('#network', network)
  await send(page)
  await page.waitForURL('**/keys/key_*')
  const id = new URL(page.url()).pathname.split('/')[2] ?? ''
  return { id, url: (await page.textContent('[data-secret-text]')) ?? '' }
}

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Lists axe-core's violations on a page: rules and places.
 * @param tag limits the check to one category of rules, such as `cat.color`
 */
export async function axeProblems(page: Page, tag?: string): Promise<readonly string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axe)
  const found = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(tag && { runOnly: [tag] }) })})`,
  )
  const { violations } = found as {
    violations: readonly { id: string; nodes: readonly { target: readonly unknown[] }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/**
 * Checks the current page in light and dark colours: no axe-core violations and no horizontal scrolling. The dark check
 * runs only colour rules, because only the style sheet's colours change.
 */
export async function checkAppearance(t: Asserting, page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    // Pages whose script follows the theme change in a later turn.
    await page.evaluate(twoFrames)
    const problems = await axeProblems(page, colorScheme === 'dark' ? 'cat.color' : undefined)
    const look = `${what}, ${page.viewportSize()?.width} px, ${colorScheme}`
    t.same(problems, [], `${look}: no axe-core violations`)
    t.notOk(await isTooWide(page), `${look}: no horizontal scrolling`)
  }
}

let pagesChecked = 0

/** Checks the current page in its windows ({@link checkedViewports}) with {@link checkAppearance}, without reloading it. */
export async function checkInViewports(t: Asserting, page: Page, what: string): Promise<void> {
  for (const viewport of checkedViewports(pagesChecked++)) {
    await page.setViewportSize(viewport)
    await checkAppearance(t, page, what)
  }
}

/** True when the page is wider than its window, or a text or an element overflows its card. Scrolled content may. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const right = (place) => place.getBoundingClientRect().right
    const textEnd = (text) => {
      const range = document.createRange()
      range.selectNode(text)
      return right(range)
    }
    const end = (element) =>
      Math.max(right(element), ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(textEnd))
    const scrolls = (element) => getComputedStyle(element).overflowX === 'auto'
    const sticksOut = (element, edge) =>
      scrolls(element)
        ? right(element) > edge
        : end(element) > edge || [...element.children].some((each) => sticksOut(each, edge))
    return (
      scrollWidth > clientWidth ||
      [...document.querySelectorAll('.card')].some((card) => sticksOut(card, right(card) + 1))
    )
  })()`)

/**
 * Highest accepted layout shift: a tenth of the "good" limit. On a busy machine the header is painted before its last
 * button arrives, which shifts the address.
 */
export const maxLayoutShift = 0.01

/** Cumulative layout shift while the page loads (Layout Instability API). */
export const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
    }).observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => setTimeout(() => resolve(sum)))
  })`)

/** Highest compressed size of a page with everything that it loads; bytes. */
export const maxPageBytes = 80_000

/** Opens a page and sums the compressed size of everything that it loads; bytes. */
export async function pageBytes(page: Page, show: () => Promise<unknown>): Promise<number> {
  const bodies: Promise<Buffer>[] = []
  const asked = new Set<Request>()
  const isStream = (request: Request) => request.resourceType() === 'eventsource'
  const ask = (request: Request) => !isStream(request) && asked.add(request)
  const end = (request: Request) => asked.delete(request)
  const take = (response: Response) => {
    if (!isStream(response.request())) bodies.push(response.body().catch(() => Buffer.alloc(0)))
  }
  page.on('request', ask).on('requestfinished', end).on('requestfailed', end).on('response', take)
  await show()
  await page.waitForLoadState('load')
  // Scripts send their requests in later turns of the event loop.
  do await page.evaluate(twoFrames)
  while (asked.size > 0)
  page.off('request', ask).off('requestfinished', end).off('requestfailed', end).off('response', take)
  return (await Promise.all(bodies)).reduce((bytes, body) => bytes + gzipSync(body).length, 0)
}

/** Resolves once the page has been painted. */
const twoFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'
