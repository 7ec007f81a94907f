import type { BrowserContextOptions, Page } from 'playwright-core'
import { enter, openPage } from '../../support/dashboard.js'

/** The console of a key, as users operate it. */

type Browser = Parameters<typeof openPage>[0]

/** Opens the page of a new user's key, and records errors of the browser. */
export async function openConsole(
  t: { teardown: (work: () => unknown) => void },
  browser: Browser,
  origin: string,
  { make = enter, ...options }: BrowserContextOptions & { readonly make?: typeof enter } = {},
) {
  const { context, page, complaints } = await openPage(browser, options)
  t.teardown(() => context.close())
  const key = await make(page, origin)
  await page.goto(`${origin}/keys/${key.id}`)
  return { context, page, complaints, ...key }
}

/** Selects a method as a user with scripts does. */
export async function choose(page: Page, method: string) {
  await page.selectOption('#method', method)
  await page.waitForSelector(`[data-method=${method}]`)
}

/** Sends the form and reads the shown answer. */
export async function sendCall(page: Page) {
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === 'POST'),
    page.click('.call button[type=submit]'),
  ])
  await page.waitForSelector('[data-answer=parts]:not([hidden])')
  return { sent: JSON.parse(request.postData() ?? ''), ...(await shownAnswer(page)) }
}

/** The answer that the page shows. */
export async function shownAnswer(page: Page) {
  const text = async (name: string) => (await page.textContent(`[data-answer=${name}]`)) ?? ''
  const headers = await page
    .locator('[data-answer=headers] > div')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
  return {
    what: await text('what'),
    details: await text('details'),
    body: await text('body'),
    headers: new Map(headers.map(([name = '', value = '']) => [name, value])),
  }
}
