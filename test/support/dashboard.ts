import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
  type Response,
} from 'playwright-core'
import { findChromium } from './chromium.js'
import { isLong } from './runs.js'

type Test = { teardown: (work: () => unknown) => void; comment: (text: string) => void }
type Asserting = {
  same: (found: unknown, wanted: unknown, message: string) => unknown
  notOk: (found: unknown, message: string) => unknown
}

/** Chromium may have to be installed first; milliseconds. */
export const browserTimeout = 900_000

/** A password that is taken. */
export const password = 'a long enough password'

/** Windows that every page is looked at in: a telephone's and a desk's. */
export const viewports = [360, 1280].map((width) => ({ width, height: 800 }))

/**
 * True where the page is looked at in the window: in each of them in the long form, in the short one each page in one,
 * in turn.
 * @param place the page's place among those that are looked at
 */
export function isLookedAt(place: number, viewport: (typeof viewports)[number]): boolean {
  return isLong || viewports[place % viewports.length] === viewport
}

let people = 0

/** An address that nobody has. */
export function newAddress(): string {
  people += 1
  return `person${people}@example.com`
}

/** Debian's Chromium, ended with the test. */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch(await findChromium((text) => t.comment(text)))
  t.teardown(() => browser.close())
  return browser
}

/** A page in a context of its own, and everything that its browser complains of. */
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

/** Sends the form of the page's main part and waits for what comes of it. */
export async function send(page: Page, button = 'main form button[type=submit]'): Promise<number> {
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.locator(button).first().click(),
  ])
  await page.waitForLoadState()
  return answer.status()
}

/** Signs up as a person does, and gives the address. */
export async function signUp(page: Page, origin: string, email = newAddress()): Promise<string> {
  await page.goto(`${origin}/signup`)
  await page.fill('#email', email)
  await page.fill('#password', password)
  await send(page)
  await page.waitForURL('**/keys')
  return email
}

/** Logs in as a person does. */
export async function logIn(page: Page, origin: string, email: string, secret = password): Promise<number> {
  await page.goto(`${origin}/login`)
  await page.fill('#email', email)
  await page.fill('#password', secret)
  return send(page)
}

/**
 * Signs somebody new up and makes a key, with the page's cookies and without showing a page for it: as a person does it
 * is {@link signUp} and {@link createKey}, of which each page is another second.
 */
export async function enter(
  page: Page,
  origin: string,
  { name = 'a key', network = 'test' }: { readonly name?: string; readonly network?: 'test' | 'main' } = {},
): Promise<{ readonly id: string; readonly url: string }> {
  const post = async (path: string, from: string, fields: Readonly<Record<string, string>>) => {
    const form = await (await page.request.get(`${origin}${from}`)).text()
    const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec(form) ?? []
    return page.request.post(`${origin}${path}`, { headers: { origin }, form: { _csrf: token, ...fields } })
  }
  await post('/signup', '/signup', { email: newAddress(), password })
  const made = await post('/keys', '/keys/new', { name, network })
  const [, id] = /\/keys\/(key_\w+)/.exec(made.url()) ?? []
  const [, url] = /data-secret-text="([^"]*)"/.exec(await made.text()) ?? []
  if (id === undefined || url === undefined) throw new TypeError(`${made.status()} ${made.url()}`)
  return { id, url }
}

/** Creates a key as a person does: its id, and the URL that the page shows. */
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
 * What axe-core finds wrong with a page: rules, and where.
 * @param tag rules of one kind alone, such as `cat.color`
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
 * Looks at the page that is shown, in light and in dark colours: axe-core finds nothing, and nobody scrolls to the
 * side. Colours are the style sheet's alone, so that the page is not loaded again for them, and what axe-core finds in
 * the second ones is what it finds by its rules of colour.
 */
export async function isFitForAll(t: Asserting, page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const problems = await axeProblems(page, colorScheme === 'dark' ? 'cat.color' : undefined)
    const look = `${what}, ${page.viewportSize()?.width} px, ${colorScheme}`
    t.same(problems, [], `${look}: axe-core finds nothing`)
    t.notOk(await isTooWide(page), `${look}: nobody scrolls to the side`)
  }
}

let pagesLookedAt = 0

/** Looks at the page that is shown in its windows ({@link isLookedAt}), without loading it again: {@link isFitForAll}. */
export async function isFitInAnyWindow(t: Asserting, page: Page, what: string): Promise<void> {
  const place = pagesLookedAt++
  for (const viewport of viewports.filter((each) => isLookedAt(place, each))) {
    await page.setViewportSize(viewport)
    await isFitForAll(t, page, what)
  }
}

/** True where a page is wider than its window, or something sticks out of its card. */
const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    const right = (element) => element.getBoundingClientRect().right
    const texts = (element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return right(range)
    }
    const sticksOut = (card) => [...card.querySelectorAll('*')].some((each) => texts(each) > right(card) + 1)
    return scrollWidth > clientWidth || [...document.querySelectorAll('.card')].some(sticksOut)
  })()`)

/**
 * What nobody sees move: a tenth of what is called good. A machine that is busy paints the header before the button at
 * its end has arrived, which moves the address beside it.
 */
export const unseenShift = 0.01

/** How far the parts of a page have moved while it was loading (Layout Instability API). */
export const shifted = (page: Page): Promise<number> =>
  page.evaluate(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
    }).observe({ type: 'layout-shift', buffered: true })
    requestAnimationFrame(() => setTimeout(() => resolve(sum)))
  })`)

/** Pages are small, compressed, with everything that they load; bytes. */
export const largestPage = 100_000

/** Shows a page, and weighs all that is loaded for it until nothing more is asked for, compressed; bytes. */
export async function weigh(page: Page, show: () => Promise<unknown>): Promise<number> {
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
  // What a script asks for, it asks for in the turns behind the answer to what was asked before.
  do await page.evaluate(twoFrames)
  while (asked.size > 0)
  page.off('request', ask).off('requestfinished', end).off('requestfailed', end).off('response', take)
  return (await Promise.all(bodies)).reduce((bytes, body) => bytes + gzipSync(body).length, 0)
}

/** Resolves once the page has been drawn. */
const twoFrames = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))'
