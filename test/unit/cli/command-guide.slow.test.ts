import { readFile } from 'node:fs/promises'
import t from 'tap'
import { commandGuide } from '../../../src/cli/command-guide.js'
import { commands } from '../../../src/cli/main.js'

const path = new URL('../../../docs/commands.md', import.meta.url)

t.test('docs/commands.md is current (npm run generate), and has each command with its options', async (t) => {
  const guide = await commandGuide()
  t.equal(await readFile(path, 'utf8'), guide)
  for (const name of Object.keys(commands)) {
    t.match(guide, `\n| [\`${name}\`](#${name}) | `)
    t.match(guide, `\nUsage: concordat ${name} `)
  }
  t.match(guide, /\| `--out` `--only` `--emit` `--package` .*`--check` /)
})
