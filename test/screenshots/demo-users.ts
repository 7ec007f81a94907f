import type { Browser, BrowserContext, Page } from 'playwright-core'
import { enter, logIn, openBrowser, postForm } from '../support/dashboard.js'
import { onlyFont } from '../support/fonts.js'
import { startLogNode } from '../support/log-node.js'
import { post, type RunningService, startService } from '../support/service.js'
import { until } from '../support/until.js'
import { separateVisitors } from '../support/visitor.js'
import { fixedHtml } from './fixed-html.js'

type Test = { teardown: (work: () => unknown) => void }

/** A service whose pages are the same on each run: what its users did, at a clock that stands still. */
export interface DemoUsers {
  readonly origin: string
  readonly browser: Browser
  /** Pages of people, by what they have: no account, an account, a key without calls, much of everything, no calls left. */
  readonly people: Readonly<Record<Person, Page>>
  /** Ids of keys: of the key without calls, and of those of the busy user. */
  readonly keys: Readonly<Record<'quiet' | 'busy' | 'disabled' | 'rotated', string>>
  /** Path of the busy user's account among those of operators. */
  readonly account: string
}

/** Whose browser shows a page. */
export type Person = 'visitor' | 'newcomer' | 'quiet' | 'busy' | 'spent' | 'operator'

const people: readonly Person[] = ['visitor', 'newcomer', 'quiet', 'busy', 'spent', 'operator']
const minutes = 9
/**
 * What a client sends in a minute: calls with their number, and mistakes. The service knows the answers, or keeps that
 * of a final block, so the number of calls to the node does not depend on the speed of the machine.
 */
const calls: readonly (readonly [times: number, method: string, params: readonly unknown[]])[] = [
  [4, 'eth_getBlockByNumber', ['0x1', false]],
  [2, 'eth_chainId', []],
  [3, 'net_version', []],
]
const mistakes: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['eth_getBalance', ['0x1', 'latest']],
  ['eth_nope', []],
  ['eth_gasPrice', []],
]

/** Starts the service and a browser with the fonts of the tests, and lets users do what the pages show. */
export async function openDemoUsers(t: Test): Promise<DemoUsers> {
  const node = await startLogNode()
  t.teardown(() => node.close())
  const service = await startService({
    isChainless: true,
    nodeOptions: ['--import', new URL('fixed-clock.js', import.meta.url).href],
    env: {
      ...separateVisitors,
      FIXED_CLOCK: '2026-03-04T10:17:30Z',
      CONCORDAT_OPERATORS: 'demo@example.com',
      CONCORDAT_NODES_TEST: node.url,
      // Blocks of the node are old by any clock.
      CONCORDAT_TUNING_NODE_STALE_SECONDS: '0',
      CONCORDAT_TUNING_USAGE_FLUSH_SECONDS: '0.1',
      CONCORDAT_TUNING_USED_FLUSH_ALONE_SECONDS: '0.1',
    },
  })
  t.teardown(() => service.stop())
  const { origin } = service
  const browser = await openBrowser(t, await onlyFont(t, 'dejavu-sans'), [
    '--font-render-hinting=none',
    '--disable-lcd-text',
    '--force-color-profile=srgb',
    '--hide-scrollbars',
  ])
  const opened = await Promise.all(
    people.map(async (person) => [person, await openFixedPage(browser)] as const),
  )
  const pages = Object.fromEntries(opened) as Record<Person, Page>
  // Charts ask for new values at any time, also while the browser closes.
  t.teardown(() =>
    Promise.all(opened.map(([, page]) => page.context().unrouteAll({ behavior: 'ignoreErrors' }))),
  )
  const newcomer = await enter(pages.newcomer, origin, { email: 'newcomer@example.com' })
  await postForm(pages.newcomer, origin, `/keys/${newcomer.id}/delete`)
  // Users and sessions are ordered by their times.
  await nextMinute(service)
  const quiet = await enter(pages.quiet, origin, { name: 'wallet', email: 'quiet@example.com' })
  await nextMinute(service)
  const keys = await beBusy(pages.busy, service)
  // The account of the busy user has a second session.
  const elsewhere = await browser.newContext()
  await logIn(await elsewhere.newPage(), origin, 'ada@example.com')
  await elsewhere.close()
  await nextMinute(service)
  const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
  await logIn(pages.operator, origin, 'demo@example.com', secret)
  await spendLimit(pages.spent, pages.operator, origin)
  await nextMinute(service)
  const account = await accountOf(pages.operator, origin, 'ada')
  return { origin, browser, people: pages, keys: { quiet: quiet.id, ...keys }, account }
}

/** Opens a page whose HTML is the same in every run, without live updates. */
async function openFixedPage(browser: Browser): Promise<Page> {
  const context: BrowserContext = await browser.newContext({ reducedMotion: 'reduce' })
  await context.route(
    ({ pathname }) => !pathname.startsWith('/assets/'),
    async (route) => {
      if (route.request().resourceType() === 'eventsource') return route.abort()
      const response = await route.fetch({ maxRedirects: 0 })
      const isPage = response.headers()['content-type']?.startsWith('text/html') ?? false
      return route.fulfill({ response, ...(isPage && { body: fixedHtml(await response.text()) }) })
    },
  )
  return context.newPage()
}

/** Moves the clock of a service on by a minute. */
async function nextMinute({ origin, process: child }: RunningService): Promise<void> {
  const shown = async () => /datetime="([^"]*)"/.exec(await (await fetch(`${origin}/status`)).text())?.[1]
  const before = await shown()
  child.kill('SIGUSR2')
  await until(async () => (await shown()) !== before)
}

/** The path of a user's account among those of operators. */
async function accountOf(operator: Page, origin: string, name: string): Promise<string> {
  await operator.goto(`${origin}/admin?q=${name}`)
  return (await operator.getAttribute('tbody a', 'href')) ?? ''
}

/** A user whose limit an operator has lowered, and who has spent it. */
async function spendLimit(page: Page, operator: Page, origin: string): Promise<void> {
  const { url } = await enter(page, origin, { name: 'load test', email: 'spent@example.com' })
  const limits = `${await accountOf(operator, origin, 'spent')}/limits`
  await postForm(operator, origin, limits, { dailyLimit: '10', reason: 'Load tests' }, limits)
  for (let id = 0; id < 12; id += 1)
    await post(url, { jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })
  await until(async () => {
    const usage = await (await page.request.get(`${origin}/usage`)).text()
    return usage.includes('10 of 10') && usage.includes('Last refused')
  })
}

/** A user with a busy key, a disabled one, and one whose old URL works for a while. */
async function beBusy(page: Page, service: RunningService) {
  const { origin } = service
  const busy = await enter(page, origin, { name: 'wallet', email: 'ada@example.com' })
  const made = await postForm(
    page,
    origin,
    '/keys',
    { name: 'indexer of the main network', network: 'main' },
    '/keys/new',
  )
  const [, disabled = ''] = /\/keys\/(key_\w+)/.exec(made.url()) ?? []
  await postForm(page, origin, `/keys/${disabled}/disable`, {}, `/keys/${disabled}/settings`)
  const replaced = await postForm(page, origin, '/keys', { name: 'backend', network: 'test' }, '/keys/new')
  const [, rotated = ''] = /\/keys\/(key_\w+)/.exec(replaced.url()) ?? []
  const [, oldUrl = ''] = /data-secret-text="([^"]*)"/.exec(await replaced.text()) ?? []
  await postForm(page, origin, `/keys/${rotated}/rotate`, { grace: '24' }, `/keys/${rotated}/rotate`)
  await post(oldUrl, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  let total = 0
  const hasCounted = async () => {
    const read = async (path: string) => (await page.request.get(origin + path)).text()
    const shown = await read(`/keys/${busy.id}/metrics?range=hour`)
    // Charges are written apart from the counts of calls. One more call has used the old URL.
    return shown.includes(`<dd>${total}</dd>`) && (await read('/usage')).includes(`${total + 1} of `)
  }
  for (let minute = 0; minute < minutes; minute += 1) {
    const sent = [
      ...calls.flatMap(([times, method, params]) =>
        Array.from({ length: times * ((minute * 5) % 7) }, () => ({ method, params })),
      ),
      ...mistakes
        .slice(minute % mistakes.length)
        .slice(0, 1)
        .map(([method, params]) => ({ method, params })),
    ]
    for (const [id, call] of sent.entries())
      await post(busy.url, { jsonrpc: '2.0', id, ...call }, { 'x-request-id': `call-${minute}-${id}` })
    total += sent.length
    // Counts belong to the minute in which they began.
    await until(hasCounted)
    await nextMinute(service)
  }
  return { busy: busy.id, disabled, rotated }
}
