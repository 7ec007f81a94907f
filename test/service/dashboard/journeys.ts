import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { enter as enterWithoutPages } from '../../support/dashboard.js'
import { type Hands, openHands, type Way, ways } from '../../support/hands.js'
import { isLong } from '../../support/runs.js'
import { call, post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { createVisitor, newAddress, password } from '../../support/visitor.js'
import { browser, origin, service } from './chain-harness.js'

/** What users do over several pages, by links, buttons and fields as assistive technology names them. */
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const invalid = { jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: ['nonsense', 'latest'] }
/** Answers that show that a client goes on. */
const fewCalls = 20

type Test = typeof t
let journeys = 0

/** Makes a journey in every way in the long form; in one of them, in turn, in the short form. */
function journey(name: string, make: (t: Test, hands: Hands, way: Way) => Promise<void>): void {
  journeys += 1
  const chosen = ways.filter((_, at) => isLong || at === journeys % ways.length)
  for (const way of chosen)
    t.test(`${name}, ${way.name}`, async (t) => {
      const hands = await openHands(browser, way)
      await make(t as Test, hands, way)
      await hands.close()
    })
}

const link = ({ page }: Hands, name: string | RegExp) =>
  page.getByRole('link', { name, exact: typeof name === 'string' })
const button = ({ page }: Hands, name: string) => page.getByRole('button', { name, exact: true })
const field = ({ page }: Hands, name: string) => page.getByLabel(name, { exact: true })
const said = ({ page }: Hands, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

/** Signs up a user with a key, without rendering pages. */
async function enter({ page }: Hands) {
  const email = newAddress()
  const made = await enterWithoutPages(page, origin, { name: 'wallet', email })
  return { email, ...made, settings: `${origin}/keys/${made.id}/settings` }
}

/** Logs in through the page. */
async function logIn(hands: Hands, email: string, secret = password): Promise<void> {
  await hands.write(field(hands, 'E-mail address'), email)
  await hands.write(field(hands, 'Password'), secret)
  await hands.press(button(hands, 'Log in'))
  await button(hands, 'Log out').waitFor()
}

journey('the cause of an error is found in three presses', async (t, hands) => {
  const { page } = hands
  const { url } = await enter(hands)
  for (let n = 0; n < 46; n += 1) await post(url, chainId)
  for (let n = 0; n < 3; n += 1) await post(url, invalid)
  await until(async () => (await (await page.request.get(`${origin}/keys`)).text()).includes('6.1 %'))
  await page.goto(`${origin}/keys`)
  const cause = async () => {
    await page.getByRole('heading', { name: 'Failed call' }).waitFor()
    const text = await page.textContent('main')
    t.match(text, 'Invalid params: /0 must be an address of 20 bytes')
    t.match(text, '"nonsense"')
  }
  const one = link(hands, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/).first()

  await hands.press(link(hands, '6.1 %'))
  await hands.press(one)
  await cause()
  t.equal(hands.presses(), 2, 'from the error rate in the list of keys')
  await hands.press(link(hands, 'Metrics'))
  const before = hands.presses()
  await hands.press(link(hands, '93.9 %'))
  await hands.press(one)
  await cause()
  const presses = hands.presses() - before
  t.ok(presses <= 3, `from the success rate: ${presses} presses`)
})

/** Calls a URL without a pause, one call after the other, until it is stopped. */
function startTraffic(first: string) {
  let url = first
  let isStopped = false
  const answers: { readonly url: string; readonly status: number }[] = []
  const run = async () => {
    while (!isStopped) {
      const used = url
      answers.push({ url: used, status: (await post(used, chainId)).status })
    }
  }
  const running = run()
  return {
    answers,
    /** Waits for answers to calls that began later. */
    more: (count = answers.length) => until(() => answers.length > count + fewCalls),
    moveTo: (next: string) => {
      url = next
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}

journey('a key is rotated under traffic without a failed call', async (t, hands) => {
  const { page } = hands
  const { url, settings } = await enter(hands)
  const traffic = startTraffic(url)
  t.teardown(() => traffic.stop())
  await traffic.more()
  await page.goto(settings)
  await hands.press(link(hands, 'Rotate key…'))
  await hands.choose(field(hands, 'works for another hour, too; both count as one key'))
  await hands.press(button(hands, 'Rotate key'))
  await said(hands, 'Key rotated')
  const renewed = (await page.textContent('[data-secret-text]')) ?? ''
  t.not(renewed, url)
  await traffic.more()
  traffic.moveTo(renewed)
  await traffic.more()
  await page.goto(settings)
  await hands.press(button(hands, 'End it now'))
  await said(hands, 'The old URL no longer works.')
  await traffic.more()
  await traffic.stop()
  t.same(
    traffic.answers.filter(({ status }) => status !== 200),
    [],
    `of ${traffic.answers.length} calls`,
  )
  t.ok(traffic.answers.some((answer) => answer.url === url))
  t.equal(traffic.answers.at(-1)?.url, renewed)
  t.equal((await post(url, chainId)).status, 401, 'the old URL has ended')
})

journey(
  'a limit that an operator lowered is nearly spent and spent, which every page shows',
  async (t, hands) => {
    const { page } = hands
    const user = createVisitor(origin)
    const email = newAddress()
    const { location } = await user.post('/signup', { email, password })
    const { html } = await user.get(location ?? '')
    const [, url = ''] = /data-secret-text="([^"]*)"/.exec(html) ?? []

    await page.goto(`${origin}/admin?q=${email}`)
    const [, secret = ''] = /demo@example\.com \/ (\S+)/.exec(service.output().out) ?? []
    await logIn(hands, 'demo@example.com', secret)
    await hands.press(link(hands, email))
    await hands.press(link(hands, 'Change the limits'))
    await hands.write(field(hands, 'Requests per day'), '10')
    await hands.press(button(hands, 'Change the limits'))
    await page.getByText('10 requests per day').first().waitFor()
    await hands.press(button(hands, 'Log out'))
    await said(hands, 'You are logged out.')
    await logIn(hands, email)

    const banner = page.locator('aside.banner')
    const everywhere = async (text: string, places = ['Keys', 'Usage', 'Account', 'Status']) => {
      for (const place of places) {
        await hands.press(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: place }))
        await page.waitForURL(`**/${place.toLowerCase()}`)
        t.match(await banner.textContent(), text, place)
      }
    }
    await until(async () => (await post(url, chainId)).headers.get('ratelimit-policy')?.includes('q=10;'))
    const used = () =>
      user.get('/usage').then(({ html: shown }) => Number(/(\d+) of 10 requests/.exec(shown)?.[1]))
    while ((await used()) < 8) await post(url, chainId)
    await everywhere(`${limits.quotaWarningPercent} % of today’s 10 requests are used.`, ['Account', 'Keys'])
    while ((await post(url, chainId)).status === 200);
    await everywhere('All 10 requests of today are used. Calls are refused until 00:00 UTC.')
    await hands.press(banner.getByRole('link', { name: 'Usage' }))
    await page.waitForURL('**/usage')
    t.match(await page.textContent('main'), 'An operator of this service has lowered the daily limit')
  },
)

journey('of two tabs, neither loses a setting silently', async (t, hands, way) => {
  const { page } = hands
  const { settings } = await enter(hands)
  await page.goto(settings)
  const other = await page.context().newPage()
  await other.goto(settings)
  const own = 'Requests per day'
  const elsewhere = async (fields: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(fields))
      await other.getByLabel(name, { exact: true }).fill(text)
    await other.getByRole('button', { name: 'Save changes' }).click()
    await other.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
  }
  const save = () => hands.press(button(hands, 'Save changes'))

  await elsewhere({ Name: 'from the other tab', 'Origins, one per line': 'https://app.example.com' })
  await page.bringToFront()
  await hands.write(field(hands, own), '500')
  await save()
  await said(hands, 'Saved.')
  t.same(
    [await field(hands, 'Name').inputValue(), await field(hands, own).inputValue()],
    ['from the other tab', '500'],
    'different settings: both are kept',
  )
  t.equal(await field(hands, 'Origins, one per line').inputValue(), 'https://app.example.com')

  await other.goto(settings)
  await elsewhere({ [own]: '700' })
  await page.bringToFront()
  await hands.write(field(hands, own), '600')
  await save()
  const alert = page.getByRole('alert').first()
  await alert.waitFor()
  t.match(await alert.textContent(), 'Not saved, because these settings were changed elsewhere')
  t.match(await page.textContent('main'), 'The present value is:\n700')
  t.equal(await field(hands, own).inputValue(), '600', `${way.name}: the own entry stays`)
  await save()
  await said(hands, 'Saved.')
  t.equal(await field(hands, own).inputValue(), '600', 'the second time is a decision')
})

journey('a form of an ended session loses nothing that was typed', async (t, hands, { options }) => {
  const { page } = hands
  const { email, settings } = await enter(hands)
  await page.goto(settings)
  await hands.write(field(hands, 'Name'), 'typed too late')
  await hands.write(field(hands, 'Origins, one per line'), 'https://app.example.com')
  const end = async () => {
    const elsewhere = createVisitor(origin)
    t.equal((await elsewhere.post('/login', { email, password }, { from: '/login' })).status, 303)
    t.equal((await elsewhere.post('/account/sessions', {})).status, 303)
  }
  await end()
  await hands.press(button(hands, 'Save changes'))
  await said(hands, 'the form was not sent')
  t.match(page.url(), `/login?next=${encodeURIComponent(new URL(settings).pathname)}`)
  await logIn(hands, email)
  t.equal(page.url(), settings, 'its page is back')
  // Without scripts, the page said that the form was not sent, and the user types again.
  if (options.javaScriptEnabled === false) {
    t.equal(await field(hands, 'Name').inputValue(), 'wallet', 'nothing was saved')
    await hands.write(field(hands, 'Name'), 'typed too late')
    await hands.write(field(hands, 'Origins, one per line'), 'https://app.example.com')
  } else {
    t.equal(await field(hands, 'Name').inputValue(), 'typed too late')
    t.ok(await page.getByText('Not saved yet.').isVisible())
  }
  await hands.press(button(hands, 'Save changes'))
  await said(hands, 'Saved.')
  t.equal(await field(hands, 'Name').inputValue(), 'typed too late')
  t.equal(await field(hands, 'Origins, one per line').inputValue(), 'https://app.example.com')
  await page.goto(settings)
  t.notOk(await page.getByText('Not saved yet.').isVisible(), 'and are filled in once')

  const created = `${origin}/keys/new`
  await page.goto(created)
  await hands.write(field(hands, 'Name'), 'a second key')
  await end()
  await hands.press(button(hands, 'Create key'))
  await said(hands, 'the form was not sent')
  await logIn(hands, email)
  t.equal(page.url(), created, 'the page of a new key, too')
  if (options.javaScriptEnabled === false) await hands.write(field(hands, 'Name'), 'a second key')
  t.equal(await field(hands, 'Name').inputValue(), 'a second key')
  await hands.press(button(hands, 'Create key'))
  await page.waitForURL('**/keys/key_*')
  await page.goto(created)
  t.equal(await field(hands, 'Name').inputValue(), '', 'an accepted form is not filled in again')
})

journey('from the first page to a first answer', async (t, hands) => {
  const { page } = hands
  await page.goto(origin)
  await hands.press(link(hands, 'Get a key'))
  await hands.write(field(hands, 'E-mail address'), newAddress())
  await hands.write(field(hands, 'Password'), password)
  await hands.press(button(hands, 'Sign up'))
  await said(hands, 'your first key works')
  const url = (await page.textContent('[data-secret-text]')) ?? ''
  t.equal(await call(url, 'eth_chainId'), service.networks.test.chainId)
  await hands.press(button(hands, 'Send'))
  await page.getByText('"result"').first().waitFor()
  t.equal(hands.presses(), 3, 'to the key, the account and the answer')
})
