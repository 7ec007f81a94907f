import { readFile } from 'node:fs/promises'
import t from 'tap'
import { flowPage } from '../../../lab/pictures/flow-page.js'
import { dashboardPictures, openKey } from '../../../lab/pictures/picture-pages.js'
import { outdatedTexts, shownTexts, textsOfHtml } from '../../../lab/pictures/shown-texts.js'
import { markdownBlocks } from '../../support/markdown-blocks.js'
import { browser, origin, service } from './chain-harness.js'

/** The pictures of the documentation: each text in them is still a text of the product. */

t.test('the pictures of the dashboard show its texts', async (t) => {
  const key = await openKey({ browser, origin })
  t.teardown(() => key.page.context().close())
  for (const [name, open] of Object.entries(dashboardPictures)) {
    await open(key, origin)
    const texts = (await key.page.evaluate(shownTexts(false))) as readonly string[]
    t.same(await outdatedTexts(name, texts), [], `${name}: run npm run pictures`)
  }
})

t.test('the picture of the flow shows the contract, the generated client and answers', async (t) => {
  // The test of the guide compares this output with that of a run.
  const guide = await readFile(new URL('../../../docs/qa.md', import.meta.url), 'utf8')
  const output = markdownBlocks(guide, 'First run', 'text').find((block) => block.includes('✗'))
  const page = await flowPage(service.networks.test.url, output ?? '')
  t.same(await outdatedTexts('flow', textsOfHtml(page)), [], 'run npm run pictures')
})
