import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import subsetFont from 'subset-font'
import { temporaryFolder } from './temporary-folder.js'

const between = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)).join('')
/** Letters of Latin, and the punctuation of pages, such as the ellipsis of masked keys. */
const letters = between(0x20, 0x17f) + between(0x2010, 0x2027)

/** A font family, by the name of its `@fontsource` package. */
export type FontFamily = 'arimo' | 'dejavu-sans'

/**
 * Limits programs that use fontconfig, such as Chromium on Linux, to the regular and bold faces of one family. They do
 * not find the fonts of this machine.
 * @returns environment variables for these programs
 */
export async function onlyFont(
  t: Parameters<typeof temporaryFolder>[0],
  family: FontFamily,
): Promise<Readonly<Record<string, string>>> {
  const folder = await temporaryFolder(t)
  const fonts = join(folder, 'fonts')
  await mkdir(fonts)
  for (const weight of [400, 700]) {
    const file = `@fontsource/${family}/files/${family}-latin-${weight}-normal.woff2`
    const web = await readFile(fileURLToPath(import.meta.resolve(file)))
    // The names by which style sheets find a face: family, style, full name and PostScript name.
    const names = { targetFormat: 'truetype' as const, preserveNameIds: [1, 2, 4, 6] }
    await writeFile(join(fonts, `${weight}.ttf`), await subsetFont(web, letters, names))
  }
  const configuration = join(folder, 'fonts.conf')
  await writeFile(
    configuration,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`,
  )
  return { FONTCONFIG_FILE: configuration }
}
