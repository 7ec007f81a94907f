// `npm run typeface`: makes the typeface of the dashboard, a subset of Inter. With `--check`, it compares the committed
// files with what it would write.
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import subsetFont from 'subset-font'

const { resolve } = createRequire(import.meta.url)
const source = '@fontsource-variable/inter'
const folder = new URL('../src/service/gateway/dashboard/assets/', import.meta.url)

const between = (first, last) =>
  Array.from({ length: last - first + 1 }, (_, place) => String.fromCodePoint(first + place)).join('')

/** ASCII, the letters of Latin-1, and the signs of our pages. Browsers take other characters from the system's typeface. */
const characters = `${between(0x20, 0x7e)}${between(0xc0, 0xff)}\u00a0·×÷–—‘’“”…→←↑↓✓`
/** The weights in use, kerning, and digits of one width. Ligatures and alternates would make it a quarter larger. */
const options = {
  targetFormat: 'woff2',
  variationAxes: { wght: { min: 400, max: 700 } },
  keepFeatures: ['kern', 'tnum'],
  noHinting: true,
}

const original = await readFile(resolve(`${source}/files/inter-latin-wght-normal.woff2`))
const files = {
  'inter.woff2': await subsetFont(original, characters, options),
  'inter-license.txt': await readFile(resolve(`${source}/LICENSE`)),
}
for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, folder)
  if (!process.argv.includes('--check')) await writeFile(file, content)
  else if (!content.equals(await readFile(file))) {
    process.stderr.write(`${name} is out of date: run npm run typeface\n`)
    process.exitCode = 1
  }
}
