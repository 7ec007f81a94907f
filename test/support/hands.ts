import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { newClientAddress } from './visitor.js'

/** A way to operate pages, and the browser's settings that belong to it. */
export interface Way {
  readonly name: string
  readonly keyboard: boolean
  readonly options: BrowserContextOptions
}

/** What a user with a mouse has. */
const mouse: Way = { name: 'with a mouse', keyboard: false, options: {} }
/** A window of 1280 by 800 pixels at a zoom of 200 %, with reduced motion and forced colours. */
const aided: BrowserContextOptions = {
  viewport: { width: 640, height: 400 },
  deviceScaleFactor: 2,
  reducedMotion: 'reduce',
  forcedColors: 'active',
}
const aids = 'by keyboard alone, at 200 % zoom, with reduced motion, in forced colours'

/** The ways in which every journey can be made. */
export const ways: readonly Way[] = [
  { name: aids, keyboard: true, options: aided },
  { name: `${aids}, without scripts`, keyboard: true, options: { ...aided, javaScriptEnabled: false } },
  mouse,
]

/** The user of a browser, who operates pages in one way. */
export interface Hands {
  readonly page: Page
  /** Number of activated links and buttons, and of choices. */
  readonly presses: () => number
  /** Activates a link or a button. */
  press(target: Locator): Promise<void>
  /** Replaces the text of a field. */
  write(field: Locator, text: string): Promise<void>
  /** Chooses a radio button. */
  choose(option: Locator): Promise<void>
  close(): Promise<void>
}

/** Most stops of the Tab key on a page. */
const mostStops = 150

/** Opens a browser context for a user, who has an own client address. */
export async function openHands(browser: Browser, { keyboard, options }: Way): Promise<Hands> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...options,
    extraHTTPHeaders: { 'x-forwarded-for': newClientAddress() },
  })
  const page = await context.newPage()
  let presses = 0
  return {
    page,
    presses: () => presses,
    async press(target) {
      presses += 1
      if (!keyboard) return target.click()
      await reach(page, target)
      await page.keyboard.press('Enter')
    },
    async write(field, text) {
      if (!keyboard) return field.fill(text)
      await reach(page, field)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async choose(option) {
      presses += 1
      if (!keyboard) return option.check()
      const name = await option.getAttribute('name')
      await reach(page, page.locator(`input[type=radio][name="${name}"]:checked`))
      for (let n = 0; n < mostStops && !(await option.isChecked()); n += 1)
        await page.keyboard.press('ArrowDown')
      requireVisibleFocus(await focusOf(option))
    },
    close: () => context.close(),
  }
}

/** Presses the Tab key until an element has the focus, which the user must see. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < mostStops; stops += 1) {
    const focus = await focusOf(target)
    if (focus.isFocused) return requireVisibleFocus(focus)
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not reach ${target}`)
}

interface Focus {
  readonly isFocused: boolean
  readonly isMarked: boolean
  readonly isCovered: boolean
  readonly what: string
}

/** WCAG 2.2, 2.4.7 Focus Visible and 2.4.11 Focus Not Obscured. */
function requireVisibleFocus({ isFocused, isMarked, isCovered, what }: Focus): void {
  if (!isFocused || !isMarked || isCovered)
    throw new Error(
      `the focus is not visible: ${what} (marked: ${isMarked}, covered or outside: ${isCovered})`,
    )
}

const focusOf = (target: Locator): Promise<Focus> =>
  target.evaluate(
    // A text, because the test's compiler adds helpers to functions that the page does not have.
    new Function(
      'element',
      `
      const [{ left, top, width, height } = {}] = element.getClientRects()
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const hit = document.elementFromPoint(left + width / 2, top + height / 2)
      const isCovered = hit === null || !(element.contains(hit) || hit.contains(element))
      return {
        isFocused: element === document.activeElement,
        isMarked: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1,
        isCovered,
        what: element.outerHTML.slice(0, 120),
      }`,
    ) as (element: Element) => Focus,
  )
