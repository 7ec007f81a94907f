import type { Page } from 'playwright-core'
import t from 'tap'
import { limits } from '../../../generated/contract.js'
import { findAuthenticator } from '../../support/authenticator.js'
import {
  checkAppearance,
  enter,
  layoutShift,
  logIn,
  maxLayoutShift,
  maxPageBytes,
  openPage,
  pageBytes,
  send,
  signUp,
  viewports,
} from '../../support/dashboard.js'
import { isLong } from '../../support/runs.js'
import { call } from '../../support/service.js'
import { timeCode, wrongTimeCode } from '../../support/time-code.js'
import { createVisitor, password } from '../../support/visitor.js'
import { browser, origin } from './chainless-harness.js'

const chainId = '0x1f'

// In the short form this test runs without scripts, and the one of the console with them.
for (const javaScriptEnabled of isLong ? [true, false] : [false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  t.test(`from sign-up to a first call with the shown URL, ${how}`, async (t) => {
    const { page, context, complaints } = await openPage(browser, { javaScriptEnabled })
    await page.goto(`${origin}/`)
    await page.click('text=Get a key')
    await page.fill('#email', `first-${how.replace(' ', '-')}@example.com`)
    await page.fill('#password', password)
    await send(page)
    const url = (await page.textContent('[data-secret-text]')) ?? ''
    t.equal(await call(url, 'eth_chainId'), chainId)
    await page.goto(`${origin}/keys`)
    await page.click('text=First key')
    const shown = () => page.textContent('[data-secret-text]')
    t.not(await shown(), url, 'hidden')
    await page.click('text=Reveal')
    t.equal(await shown(), url)
    await page.click('text=Hide')
    t.not(await shown(), url)
    await page.click('text=Log out')
    await page.waitForURL('**/login')
    t.match(await page.textContent('[role=status]'), 'logged out')
    await page.goto(`${origin}/keys`)
    t.match(page.url(), '/login?next=%2Fkeys')
    t.same(complaints, [])
    await context.close()
  })
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  t.test(`the second factor is set up and used by keyboard, ${how}`, async (t) => {
    const { page, context, complaints } = await openPage(browser, { javaScriptEnabled })
    const check = async (what: string) => {
      if (javaScriptEnabled) await checkAppearance(t, page, what)
    }
    const email = await signUp(page, origin)
    const submit = async () => {
      await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    }
    await page.goto(`${origin}/account`)
    await page.focus('text=Set up a second factor')
    await submit()
    await page.fill('#setUpPassword', password)
    await submit()
    await check('the key of the app')
    const secret = (await page.textContent('code')) ?? ''
    await page.fill('#code', wrongTimeCode(secret))
    await submit()
    await check('after a wrong code')
    await page.fill('#code', timeCode(secret))
    await submit()
    t.match(await page.textContent('h1'), 'Save your recovery codes')
    await check('the recovery codes')
    const recovery = (await page.textContent('.codes code')) ?? ''
    await page.goto(`${origin}/account/second-factor`)
    await check('the second factor is on')
    await page.click('text=Log out')
    await page.goto(`${origin}/login`)
    await page.fill('#email', email)
    await page.fill('#password', password)
    await submit()
    t.match(await page.textContent('h1'), 'Enter your code')
    await page.focus('summary')
    await page.keyboard.press('Enter')
    await check('the code of a log-in')
    await page.fill('#recovery', recovery)
    await submit()
    t.match(page.url(), '/keys')
    t.same(
      complaints.filter((text) => !text.includes('401')),
      [],
    )
    await context.close()
  })
}

t.test('an authenticator of others scans the QR code, and its codes are accepted', async (t) => {
  const authenticator = await findAuthenticator(t)
  const { page, context } = await openPage(browser)
  const email = await signUp(page, origin)
  await page.goto(`${origin}/account/second-factor`)
  await page.fill('#setUpPassword', password)
  await send(page)
  const shown = page.getByRole('img', { name: 'QR code with the key for an authenticator app' })
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    const uri = new URL(await authenticator.scan(await shown.screenshot()))
    t.equal(uri.href.split('?')[0], `otpauth://totp/Node%20access%20service:${encodeURIComponent(email)}`)
    t.same(Object.fromEntries(uri.searchParams), {
      secret: (await page.textContent('code'))?.replaceAll(' ', ''),
      issuer: 'Node access service',
      digits: '6',
      period: '30',
    })
  }
  const secret = ((await page.textContent('code')) ?? '').replaceAll(' ', '')
  await page.fill('#code', await authenticator.code(secret))
  t.equal(await send(page), 200)
  t.match(await page.textContent('h1'), 'Save your recovery codes')
  await context.close()
})

t.test('the URL and the call can be copied', async (t) => {
  const { page, context } = await openPage(browser)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  const { id, url } = await enter(page, origin)
  await page.goto(`${origin}/keys/${id}`)
  await page.click('text=Copy >> nth=0')
  await page.waitForSelector('text=Copied')
  t.equal(await page.evaluate('navigator.clipboard.readText()'), url)
  await page.click('[aria-label="Copy the example for curl"]')
  await page.waitForFunction('navigator.clipboard.readText().then((text) => text.startsWith("curl"))')
  t.match(await page.evaluate('navigator.clipboard.readText()'), `curl -s ${url} `)
  await context.close()
})

t.test('a log-out in one window ends the session of the other', async (t) => {
  const { page, context } = await openPage(browser)
  const email = await signUp(page, origin)
  const other = await openPage(browser)
  t.equal(await logIn(other.page, origin, email), 303)
  const second = await context.newPage()
  await second.goto(`${origin}/keys`)
  await page.click('text=Log out')
  await page.waitForURL('**/login*')
  await second.reload()
  t.match(second.url(), '/login')
  await other.page.reload()
  t.match(other.page.url(), '/keys', 'another browser stays logged in')
  await context.close()
  await other.context.close()
})

t.test('a forged client address is ignored: attempts are counted together', async (t) => {
  const guess = async () =>
    (await createVisitor(origin).post('/reset', { token: 'x', password }, { from: '/reset?token=x' })).status
  for (let n = 0; n < limits.logInAttemptsPerAddressPerMinute; n += 1) t.equal(await guess(), 400)
  t.equal(await guess(), 429)
})

t.test(
  'a long e-mail address takes no more room on a phone than a short one, and can be read in full',
  async (t) => {
    const height = async (email: string) => {
      const { page, context } = await openPage(browser, { viewport: { width: 390, height: 800 } })
      await signUp(page, origin, email)
      const header = await page.locator('header.top').boundingBox()
      await page.goto(`${origin}/account`)
      t.ok(await page.locator('main').getByText(email).first().isVisible(), 'the whole address')
      await context.close()
      return header?.height
    }
    const long = `${'a-long-name.'.repeat(4)}ada@${'a-department.'.repeat(8)}example.com`
    t.equal(await height(long), await height('a@b.example'))
  },
)

/** States of pages after user actions, and public pages: a title and the way to reach it. */
async function pages(
  page: Page,
): Promise<readonly (readonly [name: string, show: () => Promise<unknown>])[]> {
  const go = (path: string) => () => page.goto(`${origin}${path}`)
  const withForm = (path: string, values: Readonly<Record<string, string>>, button?: string) => async () => {
    await go(path)()
    for (const [id, value] of Object.entries(values)) await page.fill(`#${id}`, value)
    await page.evaluate('for (const form of document.forms) form.noValidate = true')
    await send(page, button)
  }
  const { id } = await enter(page, origin, {
    name: 'a key with a name that is as long as a name may be, nearly',
  })
  return [
    ['a new key, refused', withForm('/keys/new', { name: '' })],
    ['a key', go(`/keys/${id}?show=url`)],
    [
      'account, refused',
      withForm(
        '/account',
        { current: 'wrong', password: 'long enough to be taken' },
        'form[action="/account/password"] button',
      ),
    ],
    [
      'account, change of address',
      async () => {
        await go('/account')()
        await page.click('text=Change the address')
      },
    ],
    ['security events', go('/account/security')],
    ['no such page', go('/keys/key_unknown')],
    ['landing', () => page.context().clearCookies().then(go('/'))],
    ['sign up', go('/signup')],
    ['sign up, refused', withForm('/signup', { email: 'x', password: 'short' })],
    ['log in', go('/login')],
    ['log in, refused', withForm('/login', { email: 'nobody@example.com', password: 'wrong' })],
    ['forgot', go('/forgot')],
    ['forgot, sent', withForm('/forgot', { email: 'nobody@example.com' })],
    ['reset', go('/reset?token=x')],
    ['verify', go('/verify?token=x')],
    ['new address', go('/address?token=x')],
    ['code of a log-in', go('/login/code')],
  ]
}

t.test('every page is accessible', async (t) => {
  // A round of pages ends its session, so each round of the long form has a user of its own.
  for (const round of isLong ? viewports.keys() : [0]) {
    const { page, context } = await openPage(browser)
    for (const [place, [title, show]] of (await pages(page)).entries()) {
      const viewport = viewports[(place + round) % viewports.length]
      if (viewport !== undefined) await page.setViewportSize(viewport)
      const bytes = await pageBytes(page, show)
      t.ok((await layoutShift(page)) < maxLayoutShift, `${title}: no layout shift`)
      t.ok(bytes < maxPageBytes, `${title}: ${bytes} bytes`)
      await checkAppearance(t, page, title)
    }
    await context.close()
  }
})
