import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import type { Page } from 'playwright-core'
import t from 'tap'
import { linkPackages } from '../../support/compiled-package.js'
import { enter, postForm } from '../../support/dashboard.js'
import { isLong } from '../../support/runs.js'
import { call } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { findTool } from '../../support/tools.js'
import { userShell } from '../../support/user-shell.js'
import { browser, origin } from './chain-harness.js'

/** The first tab of a key: each example is run as shown. */

const ids = ['curl', 'fetch', 'client', 'viem', 'ethers', 'web3', 'python']

async function openKey(t: Parameters<typeof temporaryFolder>[0], options = {}, network?: 'test' | 'main') {
  const context = await browser.newContext(options)
  t.teardown(() => context.close())
  const page = await context.newPage()
  const key = await enter(page, origin, network === undefined ? {} : { network })
  await page.goto(`${origin}/keys/${key.id}?show=url`)
  return { context, page, ...key, secret: key.url.split('/').at(-1) ?? '' }
}

/** Makes a key require tokens, and returns one. */
async function requireToken(page: Page, keyId: string): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwtPublicKey = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  await postForm(page, origin, `/keys/${keyId}/tokens`, { jwtPublicKey, jwtId: 'backend' })
  return new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).setExpirationTime('1h').sign(privateKey)
}

const codeOf = (page: Page, id: string) =>
  page.locator(`[data-example=${id}] pre code`).evaluate((element) => element.textContent ?? '')

t.test('every example works as shown, in the long form on both networks', async (t) => {
  await findTool('curl')
  const folder = await temporaryFolder(t)
  await linkPackages(join(folder, 'node_modules'), ['@concordat/node-access', 'viem', 'ethers', 'web3'])
  await findTool('python')
  const shell = userShell(folder)
  const kinds = [
    ['main', false],
    ['main', true],
    ...(isLong
      ? ([
          ['test', false],
          ['test', true],
        ] as const)
      : []),
  ] as const
  for (const [network, hasToken] of kinds) {
    const { page, id: keyId, url } = await openKey(t, { javaScriptEnabled: false }, network)
    const unrestricted = await openKey(t, {}, network)
    const head = async () => Number(await call(unrestricted.url, 'eth_blockNumber'))
    const token = hasToken ? `export TOKEN=${await requireToken(page, keyId)}; ` : ''
    await page.reload()
    for (const id of ids) {
      const shown = await codeOf(page, id)
      t.match(shown, url, `${id} contains the URL`)
      // The typed text is the last code element above the example.
      const [words = []] = await page
        .locator(`[data-example=${id}] p:first-child`)
        .evaluateAll((texts) =>
          texts.map((text) => [...text.querySelectorAll('code')].map((code) => code.textContent ?? '')),
        )
      const [file = 'call.sh', command = 'bash call.sh'] = words.slice(-2)
      await writeFile(join(folder, file), shown)
      const before = await head()
      const { code, output } = await shell.run(`${token}${command}`)
      t.equal(code, 0, `${id} on the ${network} network${hasToken ? ' with a token' : ''}: ${output}`)
      const [, block] =
        id === 'curl'
          ? (/^\{"jsonrpc":"2\.0","id":1,"result":"(0x[0-9a-f]+)"\}$/.exec(output.trim()) ?? [])
          : (new RegExp(`^chain ${network === 'test' ? 31 : 30} block (\\d+)$`).exec(output.trim()) ?? [])
      t.ok(Number(block) >= before && Number(block) <= (await head()), `${id} prints the head: ${output}`)
    }
  }
})

t.test('the examples’ environment works on the test network', async (t) => {
  await findTool('curl')
  const folder = await temporaryFolder(t)
  await findTool('python')
  const { page, url } = await openKey(t)
  const shell = userShell(folder)
  const files = { curl: 'bash first.sh', fetch: 'node first.mjs', python: 'python3 first.py' }
  for (const [id, command] of Object.entries(files)) {
    const variable = (await page.locator(`[data-example=${id}] p:last-child code`).textContent()) ?? ''
    const text = (await codeOf(page, id)).replace(id === 'curl' ? url : `'${url}'`, variable)
    await writeFile(join(folder, command.split(' ')[1] ?? ''), id === 'python' ? `import os\n${text}` : text)
    const { output } = await shell.run(`RPC_URL=${url} ${command}`)
    t.match(output, id === 'curl' ? /"result":"0x/ : /^chain 31 block \d+$/m, id)
  }
})

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  t.test(`a key is hidden until requested, and not part of any address, ${how}`, async (t) => {
    const { page, id, secret } = await openKey(t, { javaScriptEnabled })
    const seen = () => page.textContent('main')
    await page.goto(`${origin}/keys/${id}`)
    t.notMatch(await seen(), secret)
    for (const each of ids) t.notMatch(await codeOf(page, each), secret, each)
    await page.click('text=Reveal')
    await page.waitForSelector('text=Hide')
    t.match(await seen(), secret)
    for (const each of ids) t.match(await codeOf(page, each), secret, each)
    t.notMatch(page.url(), secret)
    await page.click('text=Hide')
    await page.waitForSelector('text=Reveal')
    t.notMatch(await seen(), secret)
    for (const each of ids) t.notMatch(await codeOf(page, each), secret, each)
  })
}

t.test('copied text contains the key, though the page hides it', async (t) => {
  const { page, context, id, url, secret } = await openKey(t)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  await page.goto(`${origin}/keys/${id}`)
  for (const each of ids) {
    await page.click(`label[for=example-${each}]`)
    await page.click(`[data-example=${each}] button`)
    await page.waitForSelector(`[data-example=${each}] button:has-text("Copied")`)
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    t.match(copied, url, each)
    t.equal(copied.replaceAll(secret, ''), (await codeOf(page, each)).replace(/[^/]{3}…[^\s/']+/g, ''), each)
  }
})

t.test('examples are selected with the keyboard, also without scripts', async (t) => {
  const { page, id } = await openKey(t, { javaScriptEnabled: false })
  await page.goto(`${origin}/keys/${id}`)
  await page.focus('text=Reveal')
  await page.keyboard.press('Tab')
  for (const each of ids) {
    t.ok(await page.isVisible(`[data-example=${each}]`), each)
    t.equal(await page.locator('.examples .panel:visible').count(), 1)
    await page.keyboard.press('ArrowRight')
  }
  t.ok(await page.isVisible('[data-example=curl]'), 'and back to the first')
})
