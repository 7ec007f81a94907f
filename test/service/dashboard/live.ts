import t from 'tap'
import { createKey, openPage, signUp } from '../../support/dashboard.js'
import { browser, origin } from './chain-harness.js'

/** Scripts in unusual conditions. */

t.test('a live page says when its updates stop', async (t) => {
  const { page, context } = await openPage(browser)
  await signUp(page, origin)
  const { id } = await createKey(page, origin)
  const [metrics, networks] = [await context.newPage(), await context.newPage()]
  await metrics.goto(`${origin}/keys/${id}/metrics`)
  await networks.goto(`${origin}/keys/${id}/networks`)
  const stale = '[data-stale]:text("updates have stopped")'
  t.equal(await metrics.locator(stale).count(), 0)
  await page.goto(`${origin}/keys/${id}/delete`)
  await page.click('main button[type=submit]')
  await page.waitForSelector('text=Key deleted')
  for (const each of [metrics, networks]) {
    await each.bringToFront()
    await each.waitForSelector(stale)
    t.equal(await each.locator(stale).count(), 1, each.url())
  }
})

t.test('copying is confirmed; without a clipboard there is no button', async (t) => {
  const { page, context, complaints } = await openPage(browser)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  await page.goto(origin)
  await page.click('[data-copy]')
  await page.waitForSelector('p[role=status]:text-is("Copied")')
  await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })')
  await page.goto(origin)
  await page.waitForSelector('p[role=status].unseen', { state: 'attached' })
  t.notOk(await page.isVisible('[data-copy]'))
  t.same(complaints, [])
})

t.test(
  'a form is sent once, however often its button is pressed, and again when its page is shown again',
  async (t) => {
    const { page } = await openPage(browser)
    await signUp(page, origin)
    let posts = 0
    page.on('request', (request) => {
      if (request.method() === 'POST') posts += 1
    })
    await page.goto(`${origin}/keys/new`)
    await page.fill('input[name=name]', 'pressed twice')
    await page.dblclick('main button[type=submit]')
    await page.waitForURL((url) => url.pathname !== '/keys/new')
    t.equal(posts, 1)
    await page.goto(`${origin}/keys`)
    t.equal(await page.locator('main a:text-is("pressed twice")').count(), 1)
    await page.goBack()
    await page.goto(`${origin}/keys/new`)
    await page.fill('input[name=name]', 'another')
    await page.click('main button[type=submit]')
    await page.waitForURL((url) => url.pathname !== '/keys/new')
    t.equal(posts, 2)
  },
)
