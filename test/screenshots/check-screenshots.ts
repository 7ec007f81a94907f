import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openImageTools } from './compare-images.js'
import { openDemoUsers } from './demo-users.js'
import { takeScreenshots } from './take-screenshots.js'

/** The folder of the stored screenshots, one PNG each. */
const storedFolder = fileURLToPath(new URL('stored/', import.meta.url))
/** The page that shows changed screenshots beside the stored ones. */
export const differencesFile = fileURLToPath(new URL('../../.tap/screenshots.html', import.meta.url))

/** A screenshot that differs from the stored one. */
export interface ChangedScreenshot {
  readonly name: string
  readonly says: string
}

/** Options of a check. */
export interface CheckOptions {
  /** Stores what changed. */
  readonly isAccepting?: boolean
  /** States to look at; all by default. */
  readonly names?: readonly string[] | undefined
  /** Is called with each page in light colours at a phone's width, and in dark ones at a desktop's. */
  readonly visit?: (page: Page, name: string) => Promise<void>
}

/**
 * Compares the pages of a service with their stored screenshots, and writes {@link differencesFile} if any has changed.
 * @returns the changed, new and superfluous screenshots
 */
export async function checkScreenshots(
  t: { teardown: (work: () => unknown) => void },
  { isAccepting = false, names, visit }: CheckOptions = {},
): Promise<readonly ChangedScreenshot[]> {
  await mkdir(storedFolder, { recursive: true })
  const stored = new Set((await readdir(storedFolder)).map((file) => file.replace(/\.png$/, '')))
  const demo = await openDemoUsers(t)
  const tools = await openImageTools(demo.browser)
  const changed: (ChangedScreenshot & { readonly sheet: string })[] = []
  const fileOf = (name: string) => join(storedFolder, `${name}.png`)
  for await (const { name, png } of takeScreenshots(demo, names, visit)) {
    const old = stored.delete(name) ? await readFile(fileOf(name), 'base64') : undefined
    const difference = old === undefined ? undefined : await tools.compare(old, png)
    if (old !== undefined && difference === undefined) continue
    if (difference === undefined) changed.push({ name, says: 'is new', sheet: pngUrl(await tools.pack(png)) })
    else
      changed.push({
        name,
        says: difference.share === undefined ? 'has another size' : `differs in ${percent(difference.share)}`,
        sheet: `data:image/webp;base64,${difference.sheet}`,
      })
    if (isAccepting) await writeFile(fileOf(name), Buffer.from(await tools.pack(png), 'base64'))
  }
  for (const name of names === undefined ? stored : []) {
    changed.push({
      name,
      says: 'shows a state that is gone',
      sheet: pngUrl(await readFile(fileOf(name), 'base64')),
    })
    if (isAccepting) await rm(fileOf(name))
  }
  if (changed.length > 0) {
    await mkdir(dirname(differencesFile), { recursive: true })
    await writeFile(differencesFile, pageOf(changed))
  }
  return changed.map(({ name, says }) => ({ name, says }))
}

const pngUrl = (base64: string): string => `data:image/png;base64,${base64}`

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`

/** A page with the stored screenshot of each on the left, and what the product shows now on the right. */
const pageOf = (
  changed: readonly (ChangedScreenshot & { readonly sheet: string })[],
): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Changed screenshots</title>
<body style="margin: 1rem; background: #888; font: 1rem sans-serif">
<p>Stored screenshots are on the left, what the product shows now on the right; differences are red.
<code>npm run screenshots -- --accept</code> stores what it shows now.</p>
${changed
  .map(
    ({ name, says, sheet }) =>
      `<h2>${name} ${says}</h2>\n<img alt="" style="max-width: 100%" src="${sheet}">`,
  )
  .join('\n')}
</body></html>
`
