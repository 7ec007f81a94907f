import type { CDPSession, Page } from 'playwright-core'
import type { DemoUsers, Person } from './demo-users.js'
import { type ScreenState, screenStates } from './screen-states.js'

/** A screenshot of a state: its window's width in CSS pixels, its colours, and pixels of the screenshot per CSS pixel. */
export interface Rendering {
  readonly width: 390 | 1280
  readonly colours: 'light' | 'dark' | 'forced'
  readonly scale: number
}

/**
 * The renderings of each state. Themes change colours and no layout, so each of them is taken at one width and in half the
 * size. Forced colours are taken at the width of a phone, where the most borders meet.
 */
const renderings: readonly Rendering[] = [
  { width: 390, colours: 'forced', scale: 0.5 },
  { width: 390, colours: 'light', scale: 1 },
  { width: 1280, colours: 'light', scale: 1 },
  { width: 1280, colours: 'dark', scale: 0.5 },
]

/** A screenshot as the browser took it. */
export interface Screenshot {
  /** `STATE-WIDTH-COLOURS`. */
  readonly name: string
  /** PNG, base64. */
  readonly png: string
}

const height = 800
const longest = 4_000

/**
 * Takes the screenshots of states in all their renderings, one after the other.
 * @param names the states; all by default
 * @param visit is called with the page in the last rendering of each width
 */
export async function* takeScreenshots(
  demo: DemoUsers,
  names: readonly string[] = Object.keys(screenStates),
  visit?: (page: Page, name: string) => Promise<void>,
): AsyncGenerator<Screenshot> {
  const sessions = new Map<Person, CDPSession>()
  for (const name of names) {
    const state = screenStates[name]
    if (state === undefined) throw new TypeError(`there is no state ${name}`)
    const page = demo.people[state.person]
    const session = sessions.get(state.person) ?? (await page.context().newCDPSession(page))
    sessions.set(state.person, session)
    for (const width of [...new Set(renderings.map((one) => one.width))]) {
      await open(page, demo, state, width)
      for (const { colours, scale } of renderings.filter((one) => one.width === width)) {
        await page.emulateMedia({
          colorScheme: colours === 'dark' ? 'dark' : 'light',
          forcedColors: colours === 'forced' ? 'active' : 'none',
        })
        yield { name: `${name}-${width}-${colours}`, png: await take(page, session, state, scale) }
      }
      if (!state.isLong) await visit?.(page, name)
    }
  }
}

async function open(page: Page, demo: DemoUsers, state: ScreenState, width: number): Promise<void> {
  const path = typeof state.path === 'string' ? state.path : state.path(demo)
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  // A page with a fragment only scrolls when it is shown already.
  if (path.includes('#')) await page.goto('about:blank')
  await page.goto(`${demo.origin}${path}`)
  await state.act?.(page)
  await page.mouse.move(0, 0)
}

/** Takes the whole page, or the window, once all typefaces are there and nothing is focused. */
async function take(
  page: Page,
  session: CDPSession,
  { isLong = false, isPlace = false }: ScreenState,
  scale: number,
): Promise<string> {
  const { width, full, top } = (await page.evaluate(`document.fonts.ready
    .then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    .then(() => {
      document.activeElement?.blur()
      const { clientWidth: width, scrollHeight: full } = document.documentElement
      return { width, full, top: scrollY }
    })`)) as { readonly width: number; readonly full: number; readonly top: number }
  const isWindow = isLong || isPlace
  const clip = isWindow
    ? { x: 0, y: top, width, height }
    : { x: 0, y: 0, width, height: Math.min(full, longest) }
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: !isWindow,
    clip: { ...clip, scale },
  })
  return data
}
