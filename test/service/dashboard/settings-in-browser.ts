import { generateKeyPairSync } from 'node:crypto'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkInViewports, enter, openPage, send } from '../../support/dashboard.js'
import { longTest } from '../../support/runs.js'
import { post } from '../../support/service.js'
import { until } from '../../support/until.js'
import { browser, origin } from './chainless-harness.js'

/** The settings of a key in a browser. */
const chainId = { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }
const publicKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString()
const contract = `0x${'ab'.repeat(20)}`

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  // In the short form settings are changed with scripts, and actions run without them.
  const [setting, doing] = javaScriptEnabled ? [t.test.bind(t), longTest] : [longTest, t.test.bind(t)]
  setting(`everything that can be set is set, found again and taken back, ${how}`, async (t) => {
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const { id, url } = await enter(page, origin, { name: 'first name' })
    const [settings, tokens] = [`${origin}/keys/${id}/settings`, `${origin}/keys/${id}/tokens`]
    const save = async () => {
      t.equal(await send(page, '.save button'), 303)
      await page.waitForSelector('[role=status]:has-text("Saved.")')
    }
    await page.goto(`${origin}/keys/${id}`)
    await page.click('text=Settings')
    const texts = {
      name: 'second name',
      description: 'what it is for',
      dailyLimit: '1234',
      monthlyLimit: '56789',
      addresses: '127.0.0.0/8\n2001:db8::/32',
      origins: 'https://app.example.com',
      contracts: contract,
    }
    for (const [field, text] of Object.entries(texts)) await page.fill(`#${field}`, text)
    await page.selectOption('#useCase', 'Games')
    await page.selectOption('#nodeService', 'JSON-RPC node API')
    await page.check('text=Only these:')
    await page.check('text=eth_chainId')
    await page.check('text=eth_getLogs')
    await save()
    await page.goto(tokens)
    await page.fill('#jwtPublicKey', publicKey)
    await page.fill('#jwtId', 'backend')
    await page.fill('#jwtAudience', 'gateway')
    await page.selectOption('#jwtAlgorithm', 'ES256')
    t.equal(await send(page, 'main form:has(.field) button[type=submit]'), 303)
    await page.waitForSelector('[role=status]:has-text("Public key registered")')
    t.match(await page.textContent('.tokens'), /backend.*ES256.*audience gateway/)

    await page.goto(settings)
    for (const [field, text] of Object.entries(texts))
      t.equal(await page.inputValue(`#${field}`), text, field)
    t.equal(await page.inputValue('#useCase'), 'Games')
    t.equal(await page.inputValue('#nodeService'), 'JSON-RPC node API')
    t.equal(await page.locator('input[type=checkbox]:checked').count(), 2)
    t.match(await page.textContent('h1'), 'second name')
    t.equal((await post(url, chainId)).status, 403, 'effective')

    for (const field of ['addresses', 'origins', 'contracts']) await page.fill(`#${field}`, '')
    await page.check('text=All methods')
    t.notOk(await page.isVisible('text=eth_chainId'), 'without restrictions there is nothing to choose')
    await save()
    t.equal((await post(url, chainId)).status, 401)
    await page.goto(tokens)
    t.equal(await send(page, '[aria-label="Remove backend"]'), 303)
    await page.waitForSelector('text=No public keys. No token is required')
    t.equal((await post(url, chainId)).status, 200)
    await context.close()
  })

  doing(`renamed, rotated, disabled, enabled and deleted, ${how}`, async (t) => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const { id, url } = await enter(page, origin, { name: 'first name' })
    const status = async (of = url) => (await post(of, chainId)).status
    await page.goto(`${origin}/keys`)
    await page.click('text=Rename')
    await page.fill('#name', 'second name')
    await send(page)
    await page.waitForSelector('th:has-text("second name")')

    await page.click('text=Settings')
    await page.click('text=Rotate key')
    await page.click('text=Cancel')
    await page.waitForURL(`**/keys/${id}/settings`)
    t.equal(await status(), 200)
    await page.click('text=Rotate key')
    await send(page)
    await page.waitForSelector('text=Key rotated')
    const renewed = (await page.textContent('[data-secret-text]')) ?? ''
    t.same([await status(), await status(renewed)], [401, 200])

    await page.click('text=Settings')
    await send(page, 'text=Disable key')
    await page.waitForSelector('text=Key disabled')
    t.equal(await status(renewed), 401)
    await send(page, 'text=Enable key')
    await page.waitForSelector('text=Key enabled')
    t.equal(await status(renewed), 200)

    await page.click('text=Delete key')
    await page.waitForURL('**/delete')
    t.equal(await status(renewed), 200)
    await send(page)
    await page.waitForSelector('text=No keys yet')
    t.equal(await status(renewed), 401)
    await context.close()
  })
}

t.test('a refused form focuses the field and keeps the input', async (t) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } })
  const page = await context.newPage()
  const { id } = await enter(page, origin)
  await page.goto(`${origin}/keys/${id}/settings`)
  await page.fill('#origins', 'https://app.example.com\nexample.com')
  t.equal(await send(page, '.save button'), 400)
  t.match(await page.textContent('#origins-problem'), 'Invalid origins: "example.com"')
  t.equal(await page.inputValue('#origins'), 'https://app.example.com\nexample.com')
  await until(() => page.evaluate('document.activeElement.id === "origins"'))
  await until(() => page.evaluate('document.activeElement.getBoundingClientRect().bottom <= innerHeight'))
  await context.close()
})

t.test('changes that are not saved are shown, and leaving the page asks first', async (t) => {
  const { page, context } = await openPage(browser)
  const { id } = await enter(page, origin)
  await page.goto(`${origin}/keys/${id}/settings`)
  const note = page.locator('[data-unsaved]')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.fill('#dailyLimit', '500')
  t.ok(await note.isVisible())
  await page.click('text=Usage')
  await page.waitForFunction('true')
  t.same(asked, ['beforeunload'])
  t.match(page.url(), '/settings')
  await page.fill('#dailyLimit', '')
  t.notOk(await note.isVisible(), 'as it was')
  await page.fill('#dailyLimit', '500')
  t.equal(await send(page, '.save button'), 303)
  await page.waitForSelector('[role=status]')
  await page.click('text=Usage')
  await page.waitForURL('**/usage')
  t.same(asked, ['beforeunload'], 'saving and leaving afterwards ask nothing')
  await page.goto(`${origin}/keys/${id}/settings`)
  await page.fill('#dailyLimit', 'many')
  await page.evaluate('for (const form of document.forms) form.noValidate = true')
  t.equal(await send(page, '.save button'), 400)
  await page.waitForSelector('#dailyLimit-problem')
  t.ok(await note.isVisible(), 'a refused form is not saved')
  await context.close()
})

/** States of the pages of `pages.ts` after user actions: a title and the way to reach it. */
function pages(page: Page, id: string): readonly (readonly [name: string, show: () => Promise<unknown>])[] {
  const key = `${origin}/keys/${id}`
  const refuse = (tab: string, field: string, text: string) => async () => {
    await page.goto(`${key}/${tab}`)
    await page.fill(`#${field}`, text)
    await page.evaluate('for (const form of document.forms) form.noValidate = true')
    t.equal(await send(page, 'main form:has(.field) button[type=submit]'), 400)
  }
  return [
    ['limits, refused', refuse('settings', 'dailyLimit', 'many')],
    ['addresses, refused', refuse('settings', 'addresses', `${'x'.repeat(80)}\n10.0.0.0/33`)],
    ['tokens, refused', refuse('tokens', 'jwtPublicKey', 'x'.repeat(200))],
    ['rename', () => page.goto(`${origin}/keys?rename=${id}`)],
    [
      'settings, full',
      async () => {
        await page.goto(`${key}/settings`)
        await page.fill('#addresses', '2001:db8:1234:5678:9abc:def0:1234:5678\n10.0.0.0/8')
        await page.fill('#contracts', `${contract}\n0x${'cd'.repeat(20)}`)
        await page.fill('#origins', `https://${'long.'.repeat(30)}example.com`)
        await page.check('text=Only these:')
        await page.check('text=eth_getTransactionByBlockNumberAndIndex')
        await send(page, '.save button')
        await send(page, 'text=Disable key')
      },
    ],
    [
      'tokens, full',
      async () => {
        await page.goto(`${key}/tokens`)
        await page.fill('#jwtPublicKey', publicKey)
        await page.fill('#jwtId', 'x'.repeat(64))
        await page.fill('#jwtAudience', 'x'.repeat(200))
        await send(page, 'main form:has(.field) button[type=submit]')
        await page.click('text=Public key')
      },
    ],
  ]
}

t.test('every page is accessible', async (t) => {
  const { page, context } = await openPage(browser)
  const { id } = await enter(page, origin, { name: 'x'.repeat(64) })
  for (const [title, show] of pages(page, id)) {
    await show()
    await checkInViewports(t, page, title)
  }
  await context.close()
})
