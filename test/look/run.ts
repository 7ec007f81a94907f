/**
 * `npm run look`: compares the pages of the service with their stored pictures in test/pictures/.
 *
 *   npm run look                        all states
 *   npm run look -- metrics keys        some states
 *   npm run look -- --accept [STATE …]  stores what the product shows now
 *
 * Exit codes: 0 nothing has changed or all is stored, 1 a picture has changed
 */
import { pathToFileURL } from 'node:url'
import { checkPictures, differencesFile } from './check-pictures.js'

const given = process.argv.slice(2)
const isAccepting = given.includes('--accept')
const names = given.filter((word) => word !== '--accept')
const undo: (() => unknown)[] = []
try {
  const t = { teardown: (work: () => unknown) => undo.unshift(work) }
  const changed = await checkPictures(t, { isAccepting, names: names.length > 0 ? names : undefined })
  for (const { name, says } of changed) console.log(`${name} ${says}`)
  if (changed.length > 0)
    console.log(`${isAccepting ? 'stored' : 'compare'}: ${pathToFileURL(differencesFile)}`)
  process.exitCode = changed.length > 0 && !isAccepting ? 1 : 0
} finally {
  for (const work of undo) await work()
}
