import type { CDPSession, Page } from 'playwright-core'
import type { LookWorld, Person } from './look-world.js'
import { type LookState, lookStates } from './states.js'

/** A picture of a state: its window's width in CSS pixels, its colours, and pixels of the picture per CSS pixel. */
export interface Look {
  readonly width: 390 | 1280
  readonly colours: 'light' | 'dark' | 'forced'
  readonly scale: number
}

/**
 * The looks of each state. Themes change colours and no layout, so each of them is taken at one width and in half the
 * size: forced colours at the width of a phone, where the most borders meet.
 */
const looks: readonly Look[] = [
  { width: 390, colours: 'forced', scale: 0.5 },
  { width: 390, colours: 'light', scale: 1 },
  { width: 1280, colours: 'light', scale: 1 },
  { width: 1280, colours: 'dark', scale: 0.5 },
]

/** A picture as the browser took it. */
export interface TakenPicture {
  /** `STATE-WIDTH-COLOURS`. */
  readonly name: string
  /** PNG, base64. */
  readonly png: string
}

const height = 800
const longest = 4_000

/**
 * Takes the pictures of states in all their looks, one after the other.
 * @param names the states; all by default
 * @param visit is called with the page in the last look of each width
 */
export async function* takePictures(
  world: LookWorld,
  names: readonly string[] = Object.keys(lookStates),
  visit?: (page: Page, name: string) => Promise<void>,
): AsyncGenerator<TakenPicture> {
  const sessions = new Map<Person, CDPSession>()
  for (const name of names) {
    const state = lookStates[name]
    if (state === undefined) throw new TypeError(`there is no state ${name}`)
    const page = world.people[state.person]
    const session = sessions.get(state.person) ?? (await page.context().newCDPSession(page))
    sessions.set(state.person, session)
    for (const width of [...new Set(looks.map((look) => look.width))]) {
      await open(page, world, state, width)
      for (const { colours, scale } of looks.filter((look) => look.width === width)) {
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

async function open(page: Page, world: LookWorld, state: LookState, width: number): Promise<void> {
  const path = typeof state.path === 'string' ? state.path : state.path(world)
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' })
  // A page with a fragment only scrolls when it is shown already.
  if (path.includes('#')) await page.goto('about:blank')
  await page.goto(`${world.origin}${path}`)
  await state.act?.(page)
  await page.mouse.move(0, 0)
}

/** Takes the whole page, or the window of a long one, once all typefaces are there and nothing is focused. */
async function take(
  page: Page,
  session: CDPSession,
  { isLong = false }: LookState,
  scale: number,
): Promise<string> {
  const { width, full, top } = (await page.evaluate(`document.fonts.ready
    .then(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
    .then(() => {
      document.activeElement?.blur()
      const { clientWidth: width, scrollHeight: full } = document.documentElement
      return { width, full, top: scrollY }
    })`)) as { readonly width: number; readonly full: number; readonly top: number }
  const clip = isLong
    ? { x: 0, y: top, width, height }
    : { x: 0, y: 0, width, height: Math.min(full, longest) }
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
    captureBeyondViewport: !isLong,
    clip: { ...clip, scale },
  })
  return data
}
