import { Wallet } from 'ethers'
import t from 'tap'
import { axeProblems, checkInViewports, createKey, enter, openPage, send } from '../../support/dashboard.js'
import { developmentAccounts } from '../../support/development-chain.js'
import { chosen } from '../../support/runs.js'
import { call } from '../../support/service.js'
import { until } from '../../support/until.js'
import { browser, origin } from './chain-harness.js'

/** A key's connection details: its URLs, the state of its network, and parameters for wallets. */

/** The page of a new user's key, on its connection tab. */
async function openTab(options = {}, network: 'test' | 'main' = 'test') {
  const { context, page, complaints } = await openPage(browser, options)
  const key = await enter(page, origin, { name: 'a key', network })
  const path = `${origin}/keys/${key.id}/networks`
  await page.goto(path)
  return { context, page, complaints, path, ...key }
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with scripts' : 'without scripts'
  t.test(`both forms of the URL are hidden, can be revealed, and work, ${how}`, async (t) => {
    const { context, page, url, complaints } = await openTab({ javaScriptEnabled })
    const shown = () => page.locator('.url code').allTextContents()
    t.match(await shown(), [/^http.*\/\w{3}….{4}$/, /^http.*\/v2\/\w{3}….{4}$/])
    await page.click('text=Reveal')
    await page.waitForSelector('text=Hide')
    const [plain = '', ofProviders = ''] = await shown()
    t.equal(plain, url)
    t.equal(ofProviders, url.replace(origin, `${origin}/v2`))
    for (const each of [plain, ofProviders]) t.equal(await call(each, 'eth_chainId'), '0x1f')
    t.match(await page.textContent('pre'), url, 'also in the wallet parameters')
    await page.click('text=Hide')
    await page.waitForSelector('text=Reveal')
    t.notMatch(await shown(), [plain])
    t.same(complaints, [])
    await context.close()
  })
}

t.test('chain id, head and nodes match the calls, for both networks', async (t) => {
  const { context, page, url, complaints } = await openTab({}, 'main')
  const own = page.locator('section:has(#own)')
  t.match(await own.textContent(), /Main network.*Calls available.*Chain id30 \(0x1e\).*Nodes1 of 1 in use/s)
  t.match(await page.locator('section:has(#other-test)').textContent(), /Test network.*Chain id31 \(0x1f\)/s)
  /** Waits until the page shows the current head. */
  const showsHead = async () => {
    const head = Number(await call(url, 'eth_blockNumber')).toLocaleString('en-US')
    await page.waitForSelector(`[data-live=own-facts]:has-text("Latest block${head}Nodes")`)
  }
  await showsHead()
  const sender = developmentAccounts[7]
  if (sender === undefined) throw new TypeError('no accounts')
  const before = await call(url, 'eth_blockNumber')
  await call(
    url,
    'eth_sendRawTransaction',
    await new Wallet(sender.privateKey).signTransaction({
      to: sender.address,
      nonce: Number(await call(url, 'eth_getTransactionCount', sender.address, 'latest')),
      gasLimit: 30_000,
      gasPrice: 60_000_000,
      chainId: 30,
      type: 0,
    }),
  )
  await until(async () => (await call(url, 'eth_blockNumber')) !== before)
  await showsHead()
  t.pass('the page is updated by itself')
  t.same(complaints, [])
  await context.close()
})

t.test('the other network links to its existing keys, or to a new one', async (t) => {
  const { context, page, path } = await openTab()
  const other = page.locator('section:has(#other-main)')
  await other.locator('text=Create a key for it').click()
  await page.waitForURL('**/keys/new')
  const { id } = await createKey(page, origin, { name: 'of the other', network: 'main' })
  await page.goto(path)
  t.match(await other.textContent(), 'Your key for this network: of the other.')
  await createKey(page, origin, { name: 'third', network: 'main' })
  await createKey(page, origin, { name: 'fourth', network: 'test' })
  await page.goto(path)
  t.match(await other.textContent(), 'Your keys for this network: of the other, third.')
  await other.locator('text=of the other').click()
  await page.waitForURL(`**/keys/${id}/networks`)
  await page.goto(path.replace('/networks', '/delete'))
  await send(page)
  await page.goto(`${origin}/keys/${id}/networks`)
  t.match(await page.locator('section:has(#other-test)').textContent(), 'Your key for this network: fourth.')
  await context.close()
})

t.test('the parameters of EIP-3085 are copied', async (t) => {
  const { context, page, url } = await openTab()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  await page.click('[aria-label="Copy the parameters"]')
  await page.waitForFunction('navigator.clipboard.readText().then((text) => text.includes("rpcUrls"))')
  t.same(JSON.parse(String(await page.evaluate('navigator.clipboard.readText()'))), {
    chainId: '0x1f',
    chainName: 'Node access service, test network',
    rpcUrls: [url],
    nativeCurrency: { name: 'Testnet Smart Bitcoin', symbol: 'tRBTC', decimals: 18 },
  })
  await page.click('[aria-label^="Copy: URL with /v2"]')
  await page.waitForFunction('navigator.clipboard.readText().then((text) => text.includes("/v2/"))')
  t.match(await page.textContent('section:has(#wallet)'), /The wallet and its users can see the key/)
  t.match(await page.textContent('section:has(#wallet)'), /with the id of the real chain 31/)
  t.equal(await page.locator('[data-wallets] button').count(), 0, 'without a wallet there is no button')
  await context.close()
})

/** A wallet of a page. It returns the given answer and records its calls. */
const walletScript = (answer: string, announce: string) => `
  window.asked = []
  const provider = {
    request: async (request) => {
      window.asked.push(request)
      ${answer}
    },
  }
  ${announce}
`
const announced = `
  const info = { uuid: 'a', name: 'Purse <b>', icon: 'data:,', rdns: 'example.purse' }
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  addEventListener('eip6963:requestProvider', announce)
  window.ethereum = provider
`
const injected = 'window.ethereum = provider'
const refusal = (code: number, message: string) =>
  `throw Object.assign(new Error(${JSON.stringify(message)}), { code: ${code} })`

/** Kinds of wallets, and the texts of the page. */
const wallets = {
  'that announces itself': {
    script: walletScript('return null', announced),
    button: 'Add to Purse <b>',
    said: 'Network added to Purse <b>.',
  },
  'that is injected': {
    script: walletScript('return null', injected),
    button: 'Add to the wallet',
    said: 'Network added to the wallet.',
  },
  'whose user says no': {
    script: walletScript(refusal(4001, 'User rejected the request.'), injected),
    button: 'Add to the wallet',
    said: 'You declined the request in the wallet.',
  },
  'that takes no such network': {
    script: walletScript(refusal(-32602, 'Expected an https URL'), injected),
    button: 'Add to the wallet',
    said: 'the wallet did not add the network: Expected an https URL',
  },
}
const standIns = { 'that is injected': 'whose user says no' }

for (const [title, { script, button, said }] of chosen(wallets, standIns)) {
  t.test(`a wallet ${title}`, async (t) => {
    const { context, page, path, url, complaints } = await openTab()
    await page.addInitScript(script)
    await page.goto(path)
    const buttons = page.locator('[data-wallets] button')
    await buttons.first().waitFor()
    t.same(await buttons.allTextContents(), [button], 'one button for one wallet')
    await buttons.click()
    await page.waitForSelector('[data-wallet-answer]:not(:empty)')
    t.equal(await page.textContent('[data-wallet-answer]'), said)
    t.match(await page.evaluate('window.asked'), [
      { method: 'wallet_addEthereumChain', params: [{ chainId: '0x1f', rpcUrls: [url] }] },
    ])
    t.same(await axeProblems(page), [])
    t.same(complaints, [])
    await context.close()
  })
}

t.test('settings of a key that block wallets are explained', async (t) => {
  const { context, page, path } = await openTab()
  await page.goto(path.replace('/networks', '/settings'))
  await page.fill('#origins', 'https://app.example.com')
  await send(page, '.save button')
  await page.goto(path)
  const text = await page.textContent('section:has(#wallet)')
  t.match(text, 'Wallets send other origins')
  t.notMatch(text, 'which wallets do not send')
  await context.close()
})

t.test('the page with the shown URL is accessible', async (t) => {
  const { context, page, path } = await openTab()
  await page.goto(`${path}?show=url`)
  await checkInViewports(t, page, 'networks')
  await context.close()
})
