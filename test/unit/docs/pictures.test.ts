import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { pictureFolder, recordedTexts } from '../../../lab/pictures/shown-texts.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))

t.test(
  'every picture of README.md and docs/ is shown, and small; npm run pictures makes those of the product',
  async (t) => {
    const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter((name) =>
      name.endsWith('.md'),
    )
    const sources = ['README.md', ...docs.map((name) => join('docs', name))]
    const texts = await Promise.all(sources.map((source) => readFile(join(root, source), 'utf8')))
    const shown = texts.flatMap((text) =>
      [...text.matchAll(/!\[[^\]]+\]\((?:docs\/)?([^)]+)\)/g)].map(([, file = '']) => file),
    )
    const files = (await readdir(pictureFolder)).filter((name) => !name.endsWith('.txt'))
    t.same([...new Set(shown.map((file) => basename(file)))].sort(), files.sort())
    for (const file of files.filter((name) => !name.endsWith('.svg'))) {
      const picture = await readFile(join(pictureFolder, file))
      t.equal(picture.subarray(8, 12).toString(), 'WEBP', file)
      t.ok(picture.length < 60_000, `${file}: ${picture.length} bytes`)
      t.ok((await recordedTexts(file.replace('.webp', ''))).length > 5, `${file}: its texts are recorded`)
    }
  },
)
