/**
 * `npm run pictures`: makes the pictures of README.md and docs/ from the running product, as WebP, and writes the texts
 * that each shows beside it. Calls are sent for some minutes, so that charts have a shape; `-- MINUTES` changes it.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, openPage } from '../../test/support/dashboard.js'
import { runConcordat, startService } from '../../test/support/service.js'
import { startStagingNode } from '../../test/support/staging-node.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { flowPage } from './flow-page.js'
import { callAsWallet, dashboardPictures, openKey, pictureWindow } from './picture-pages.js'
import { pictureFolder, shownTexts } from './shown-texts.js'

/** The largest picture, in bytes. Its quality is lowered until it fits. */
const mostBytes = 60_000
const qualities = [0.92, 0.85, 0.75, 0.65, 0.5]
/** Time between two rounds of calls. */
const roundMilliseconds = 5_000

const minutes = Number(process.argv[2] ?? 6)
const undo: (() => unknown)[] = []
const scope = {
  teardown: (work: () => unknown) => undo.unshift(work),
}
try {
  await makePictures()
} finally {
  for (const work of undo) await work()
}

async function makePictures(): Promise<void> {
  const service = await startService()
  scope.teardown(() => service.stop())
  const browser = await openBrowser(scope)
  await mkdir(pictureFolder, { recursive: true })
  // The drawings of the guides are in the same folder.
  for (const file of await readdir(pictureFolder))
    if (/\.(?:txt|webp)$/.test(file)) await rm(join(pictureFolder, file))

  const key = await openKey({ browser, origin: service.origin })
  for (const end = Date.now() + minutes * 60_000; Date.now() < end; await wait(roundMilliseconds))
    await callAsWallet(key.url, Math.random())
  for (const [name, open] of Object.entries(dashboardPictures)) {
    await open(key, service.origin)
    await take(browser, key.page, name)
  }

  const folder = await temporaryFolder(scope)
  const report = join(folder, 'report.html')
  const staging = await startStagingNode(scope, service.origin)
  const url = `${staging}${new URL(service.networks.test.url).pathname}`
  const only = ['--only', 'identity/*', '--only', 'null-lookups/*']
  const { out } = await runConcordat(['conform', url, ...only, '--report', `html=${report}`])
  const open = async () => (await openPage(browser, { viewport: pictureWindow, colorScheme: 'light' })).page
  const ofReport = await open()
  await ofReport.goto(pathToFileURL(report).href)
  await take(browser, ofReport, 'report')

  const page = await open()
  await page.setContent(await flowPage(service.networks.test.url, out))
  const { height } = (await page.locator('main').boundingBox()) ?? pictureWindow
  await page.setViewportSize({ ...pictureWindow, height: Math.ceil(height) })
  await take(browser, page, 'flow')
  console.log((await readdir(pictureFolder)).join('\n'))
}

/** Writes what the window of a page shows: the picture, and its texts. */
async function take(browser: Browser, page: Page, name: string): Promise<void> {
  const png = await page.screenshot({ animations: 'disabled' })
  const texts = (await page.evaluate(shownTexts(true))) as readonly string[]
  await writeFile(join(pictureFolder, `${name}.webp`), await webpOf(browser, png))
  await writeFile(join(pictureFolder, `${name}.txt`), `${texts.join('\n')}\n`)
}

/** Converts a picture to WebP by a canvas of the browser. */
async function webpOf(browser: Browser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage()
  try {
    for (const quality of qualities) {
      const url = await page.evaluate(`(async () => {
        const image = new Image()
        image.src = 'data:image/png;base64,${png.toString('base64')}'
        await image.decode()
        const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
        canvas.getContext('2d').drawImage(image, 0, 0)
        return canvas.toDataURL('image/webp', ${quality})
      })()`)
      const webp = Buffer.from(String(url).split(',')[1] ?? '', 'base64')
      if (webp.length <= mostBytes) return webp
    }
  } finally {
    await page.close()
  }
  throw new RangeError(`the picture is larger than ${mostBytes} bytes`)
}
