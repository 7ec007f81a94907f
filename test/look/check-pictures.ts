import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { openPictureTools } from './compare-pictures.js'
import { openLookWorld } from './look-world.js'
import { takePictures } from './take-pictures.js'

/** The folder of the stored pictures, one PNG each. */
const storedFolder = fileURLToPath(new URL('../pictures/', import.meta.url))
/** The page that shows changed pictures beside the stored ones. */
export const differencesFile = fileURLToPath(new URL('../../.tap/pictures.html', import.meta.url))

/** A picture that is not what is stored. */
export interface ChangedPicture {
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
 * Compares the pages of a service with their stored pictures, and writes {@link differencesFile} if any has changed.
 * @returns the changed, new and superfluous pictures
 */
export async function checkPictures(
  t: { teardown: (work: () => unknown) => void },
  { isAccepting = false, names, visit }: CheckOptions = {},
): Promise<readonly ChangedPicture[]> {
  await mkdir(storedFolder, { recursive: true })
  const stored = new Set((await readdir(storedFolder)).map((file) => file.replace(/\.png$/, '')))
  const world = await openLookWorld(t)
  const tools = await openPictureTools(world.browser)
  const changed: (ChangedPicture & { readonly sheet: string })[] = []
  const fileOf = (name: string) => join(storedFolder, `${name}.png`)
  for await (const { name, png } of takePictures(world, names, visit)) {
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

/** A page with the stored picture of each on the left, and what the product shows now on the right. */
const pageOf = (changed: readonly (ChangedPicture & { readonly sheet: string })[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Changed pictures</title>
<body style="margin: 1rem; background: #888; font: 1rem sans-serif">
<p>Stored pictures are on the left, what the product shows now on the right; differences are red.
<code>npm run look -- --accept</code> stores what it shows now.</p>
${changed
  .map(
    ({ name, says, sheet }) =>
      `<h2>${name} ${says}</h2>\n<img alt="" style="max-width: 100%" src="${sheet}">`,
  )
  .join('\n')}
</body></html>
`
