import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core'
import { findChromium } from './chromium.js'

type Test = { teardown: (work: () => unknown) => void; comment: (text: string) => void }

/** Chromium may have to be installed first; milliseconds. */
export const browserTimeout = 900_000

/** A password that is taken. */
export const password = 'a long enough password'

/** Widths and colours that every page is looked at with. */
export const looks: readonly BrowserContextOptions[] = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport: { width, height: 800 }, colorScheme })),
)

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

/** What axe-core finds wrong with a page: rules, and where. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(await axe)
  const found = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')
  const { violations } = found as {
    violations: readonly { id: string; nodes: readonly { target: readonly unknown[] }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

/** True where a page is wider than its window, or something sticks out of its card. */
export const isTooWide = (page: Page): Promise<boolean> =>
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

/**
 * Shows a page, and weighs all that is loaded for it, compressed; bytes.
 * @param isLive true where the page is kept up to date by a stream, so that the network never rests
 */
export async function weigh(
  page: Page,
  show: () => Promise<unknown>,
  { isLive = false }: { readonly isLive?: boolean } = {},
): Promise<number> {
  const bodies: Promise<Buffer>[] = []
  const take = (response: Response) => {
    if (response.request().resourceType() === 'eventsource') return
    bodies.push(response.body().catch(() => Buffer.alloc(0)))
  }
  page.on('response', take)
  await show()
  await page.waitForLoadState(isLive ? 'load' : 'networkidle')
  page.off('response', take)
  return (await Promise.all(bodies)).reduce((bytes, body) => bytes + gzipSync(body).length, 0)
}
