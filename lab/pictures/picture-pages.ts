import type { Browser, Page } from 'playwright-core'
import { enter, openPage } from '../../test/support/dashboard.js'
import { post } from '../../test/support/service.js'

/** The window of each picture, in CSS pixels. */
export const pictureWindow = { width: 1280, height: 800 }

/** A service with development chains, and a browser. */
export interface Product {
  readonly browser: Browser
  readonly origin: string
}

/** A user with one key, whose pages are in the pictures. */
export interface ShownKey {
  readonly page: Page
  readonly id: string
  readonly url: string
}

const account = '0x00000000000000000000000000000000c0ffee01'

/** Requests as a wallet sends them, some of them with a mistake. */
const requests: readonly (readonly [method: string, params: readonly unknown[], times: number])[] = [
  ['eth_blockNumber', [], 9],
  ['eth_getBalance', [account, 'latest'], 7],
  ['eth_call', [{ to: account, data: '0x' }, 'latest'], 5],
  ['eth_getBlockByNumber', ['latest', false], 4],
  ['eth_getLogs', [{ fromBlock: 'latest' }], 3],
  ['eth_gasPrice', [], 2],
  ['eth_getBalance', [account, 'finalized'], 1],
  ['eth_getLogs', [{ fromBlock: '0x0' }], 1],
  ['eth_sendRawTransaction', ['0x00'], 1],
]

/** Signs up a user with a key and calls the service with it. */
export async function openKey({ browser, origin }: Product): Promise<ShownKey> {
  const { page } = await openPage(browser, { viewport: pictureWindow, colorScheme: 'light' })
  const key = await enter(page, origin, { name: 'Wallet' })
  await callAsWallet(key.url)
  return { page, ...key }
}

/**
 * Sends requests with a key, each method in proportion to its use. Some fail.
 * @param share the part of the requests that is sent, up to 1; all mistakes are in it
 */
export async function callAsWallet(url: string, share = 1): Promise<void> {
  const calls = requests.flatMap(([method, params, times]) =>
    Array.from({ length: Math.ceil(times * share) }, () => ({ method, params })),
  )
  await Promise.all(calls.map((call, id) => post(url, { jsonrpc: '2.0', id, ...call })))
}

/** The pictures of the dashboard: each opens its page for a key, and waits until it shows everything. */
export const dashboardPictures: Readonly<Record<string, (key: ShownKey, origin: string) => Promise<void>>> = {
  'dashboard-setup': async ({ page, id }, origin) => {
    await page.goto(`${origin}/keys/${id}`)
  },
  'dashboard-metrics': async ({ page, id }, origin) => {
    await page.setViewportSize({ ...pictureWindow, height: 1040 })
    await page.goto(`${origin}/keys/${id}/metrics?range=hour`)
    await page.waitForSelector('[data-live=calls-chart] canvas')
    await page.waitForSelector('[data-live=methods] >> text=eth_sendRawTransaction')
  },
  'dashboard-failures': async ({ page, id }, origin) => {
    await page.setViewportSize(pictureWindow)
    await page.goto(`${origin}/keys/${id}/failures`)
    await page.waitForSelector('[data-live=failures] >> text=eth_sendRawTransaction')
  },
}
