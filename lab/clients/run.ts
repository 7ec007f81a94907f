/**
 * `npm run clients`: runs the programs of this folder, or those that are named, against a development chain with one block
 * a second, and writes `docs/clients.md`. A result that is worse than the committed one fails the run, and the file then
 * stays as it is. A program that cannot run because its toolchain is missing keeps its results, marked "not run".
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runProgram } from './program.js'
import { startServices } from './services.js'
import { type ClientSection, formatClients, markNotRun, parseClients, worseResults } from './table.js'

const file = fileURLToPath(new URL('../../docs/clients.md', import.meta.url))
const folders = (await readdir(new URL('.', import.meta.url), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const wanted = process.argv.length > 2 ? process.argv.slice(2) : folders
const unknown = wanted.filter((name) => !folders.includes(name))
if (unknown.length > 0) {
  console.error(`unknown programs: ${unknown.join(', ')}; known: ${folders.join(', ')}`)
  process.exit(2)
}

const committed = parseClients(await readFile(file, 'utf8').catch(() => ''))
const sections = new Map(committed)
const worse: string[] = []
const services = await startServices()
try {
  for (const name of wanted) {
    const before = committed.get(name)
    const settings = services.settings(folders.indexOf(name))
    const { missing, failure, output, ...section } = await runProgram(name, settings)
    if (missing !== undefined) {
      console.log(`${name}: not run, because ${missing} is missing`)
      sections.set(name, markNotRun(before, missing))
      continue
    }
    console.log(`${name} ${section.version}`)
    for (const [step, result] of section.results) console.log(`  ${step}: ${result}`)
    const problems = [...(failure === undefined ? [] : [failure]), ...worseResults(before, section)]
    if (problems.length > 0) console.log(`${output}\n${problems.map((problem) => `  ${problem}\n`).join('')}`)
    worse.push(...problems.map((problem) => `${name}: ${problem}`))
    sections.set(name, section satisfies ClientSection)
  }
} finally {
  await services.stop()
}
if (worse.length > 0) {
  console.error(`worse than in docs/clients.md:\n${worse.join('\n')}`)
  process.exit(1)
}
await writeFile(file, formatClients(folders, sections))
