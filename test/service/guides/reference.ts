import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openGuide } from '../../support/guide.js'
import { codeBlocks } from '../../support/markdown-blocks.js'
import { service } from './service.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const reference = await openGuide('generated/REFERENCE.md')

/** Shown answers, by command. */
const shown = new Map<string, { readonly error?: { readonly code: number } }>()
const blocks = codeBlocks(await readFile(`${root}generated/REFERENCE.md`, 'utf8'))
for (const [at, { language, text }] of blocks.entries()) {
  const answer = blocks[at + 1]
  if (language === 'sh' && answer?.language === 'json') shown.set(text.trim(), JSON.parse(answer.text))
}

t.test(
  'the service answers every curl line of the reference, and refuses what the contract refuses',
  async (t) => {
    const [address, ...lines] = reference.commands()
    if (address === undefined) return t.fail('the reference sets RPC_URL')
    const [, url = ''] = /'(.*)'/.exec(address.text) ?? []
    const { code, out } = await reference.runLines([address, ...lines], {
      cwd: root,
      places: { [url]: service.networks.test.url },
      functions: 'curl() { command curl "$@"; echo; }',
    })
    t.equal(code, 0)
    const answers = out.trim().split('\n')
    const sent = [...new Set(lines.map(({ text }) => text.trim()))]
    t.equal(answers.length, sent.length)
    let refusals = 0
    for (const [at, line] of sent.entries()) {
      const answer = JSON.parse(answers[at] ?? '')
      t.ok('result' in answer || 'error' in answer, line)
      // Other answers depend on the chain.
      if (shown.get(line)?.error?.code !== -32_602) continue
      t.match(answer, { error: { code: -32_602 } }, line)
      refusals += 1
    }
    t.ok(refusals > 15)
  },
)
