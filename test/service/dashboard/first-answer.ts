import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import t from 'tap'
import { checkAppearance, openBrowser, openPage } from '../../support/dashboard.js'
import { freePort } from '../../support/free-port.js'
import { startMailServer } from '../../support/mail-server.js'
import { startService } from '../../support/service.js'
import { newAddress, password, separateVisitors } from '../../support/visitor.js'

/** The way from a visitor to a first answer, with mail. */
const mail = await startMailServer()
t.teardown(() => mail.close())
const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const service = await startService({
  args: ['--port', String(port)],
  env: {
    ...separateVisitors,
    CONCORDAT_SMTP_URL: mail.url,
    CONCORDAT_PUBLIC_URL_DASHBOARD: origin,
  },
})
t.teardown(() => service.stop())
const browser = await openBrowser(t)

/** Signs up from the first page. Resolves to the link of the mail. */
async function signUp(page: Page) {
  const email = newAddress()
  const press = (name: string, role: 'link' | 'button' = 'button') =>
    page.getByRole(role, { name, exact: true }).click()
  await page.goto(origin)
  await press('Get a key', 'link')
  await page.fill('#email', email)
  await page.fill('#password', password)
  await press('Sign up')
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
  const { text } = await mail.mail(({ to, text: said }) => to.includes(email) && said.includes('/verify'))
  const link = /(http\S+\/verify\?token=\S+)/.exec(text)?.[1] ?? ''
  return { email, link, press }
}

t.test('a visitor signs up, opens the link of the mail, and sends a first call', async (t) => {
  const { page, context } = await openPage(browser)
  const { link, press } = await signUp(page)
  await page.goto(link)
  await page.waitForURL('**/keys/key_*')
  t.match(await page.textContent('main'), 'You are logged in, and your first key works')
  const command = (await page.textContent('[data-example=curl] pre')) ?? ''
  const { stdout } = await promisify(execFile)('bash', ['-c', command])
  t.match(JSON.parse(stdout), { jsonrpc: '2.0', id: 1, result: /^0x/ }, 'the line works as it is shown')
  await press('Send')
  await page.getByText('"result"').first().waitFor()
  await page.goto(`${origin}/keys`)
  t.match(await page.textContent('main'), 'First key')
  await context.close()
})

t.test('a refused form says so in its title, and moves the focus', async (t) => {
  const { page, context } = await openPage(browser)
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.role')
  await page.goto(`${origin}/login`)
  await page.fill('#email', newAddress())
  await page.fill('#password', 'wrong')
  await page.keyboard.press('Enter')
  await page.waitForFunction("document.title.startsWith('Error: ')")
  t.equal(await focused(), 'alert')
  await page.goto(`${origin}/signup`)
  await page.fill('#email', newAddress())
  await page.fill('#password', 'password1234')
  await page.keyboard.press('Enter')
  await page.waitForFunction("document.title.startsWith('Error: ')")
  t.equal(await focused(), 'password')
  await page.goto(`${origin}/scope`)
  t.match(await page.textContent('main'), /Teams and roles.*Instead:.*An API to manage keys/s)
  await checkAppearance(t, page, 'what is left out')
  await context.close()
})

t.test('another browser asks for the password, and the mail can be sent again', async (t) => {
  const { page, context } = await openPage(browser)
  const { email, link, press } = await signUp(page)
  const other = await openPage(browser)
  await other.page.goto(link)
  t.match(await other.page.textContent('h1'), 'Confirm your e-mail address')
  t.equal(await other.page.locator('#password').count(), 1)
  const before = mail.mails.filter(({ to }) => to.includes(email)).length
  await press('Send again')
  await mail.mail(
    ({ to }) => to.includes(email) && mail.mails.filter((each) => each.to.includes(email)).length > before,
  )
  t.match(await page.textContent('main'), email)
  await context.close()
  await other.context.close()
})
