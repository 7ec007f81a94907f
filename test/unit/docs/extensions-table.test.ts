import { readFileSync } from 'node:fs'
import t from 'tap'
import { ownExtensions } from '../../../src/lint/own-extensions.js'

const guide = readFileSync(new URL('../../../docs/backend.md', import.meta.url), 'utf8')

t.test('docs/backend.md lists the extensions that lint knows', async (t) => {
  const [, section = ''] = /^## Extensions\n(.*?)^## /ms.exec(guide) ?? []
  const listed = [...section.matchAll(/^\| `(x-[a-z-]+)`/gm)].map(([, name]) => name)
  t.same([...new Set(listed)].sort(), [...new Set(ownExtensions.map(({ name }) => name))].sort())
})
