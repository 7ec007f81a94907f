/**
 * `npm run screenshots`: compares the pages of the service with their stored screenshots in test/screenshots/stored/.
 *
 *   npm run screenshots                        all states
 *   npm run screenshots -- metrics keys        some states
 *   npm run screenshots -- --accept [STATE …]  stores what the product shows now
 *
 * Exit codes: 0 nothing has changed or all is stored, 1 a screenshot has changed
 */
import { pathToFileURL } from 'node:url'
import { checkScreenshots, differencesFile } from './check-screenshots.js'

const given = process.argv.slice(2)
const isAccepting = given.includes('--accept')
const names = given.filter((word) => word !== '--accept')
const undo: (() => unknown)[] = []
try {
  const t = { teardown: (work: () => unknown) => undo.unshift(work) }
  const changed = await checkScreenshots(t, { isAccepting, names: names.length > 0 ? names : undefined })
  for (const { name, says } of changed) console.log(`${name} ${says}`)
  if (changed.length > 0)
    console.log(`${isAccepting ? 'stored' : 'compare'}: ${pathToFileURL(differencesFile)}`)
  process.exitCode = changed.length > 0 && !isAccepting ? 1 : 0
} finally {
  for (const work of undo) await work()
}
