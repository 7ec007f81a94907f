/**
 * `npm run measure`: how far work travels through the code, from V8's coverage of the compiled program.
 *
 *   npm run measure              the table
 *   npm run measure -- --files   with the source files behind each row
 *   npm run measure -- --write   writes ways that became shorter to `bench/ways.json`; with `--decision FILE`, the name
 *                                of a record in `docs/decisions/`, also ways that became longer
 *
 * - files: source files of `src/` and `generated/` in which a function was called. The body of a module, which runs
 *   when the module is loaded, does not count as a function.
 * - allowed: the number of files in `bench/ways.json`. The exit status is 1 when a way has more.
 * - functions: functions of those files that were called.
 * - depth: the most of those functions that were on one stack, callers that await included. A conditional breakpoint at
 *   the entry of each function counts the frames of the stack in a second run of the same work. Of
 *   `generate`, which calls some functions 100,000 times, a sample of the stack is taken every 50 µs instead. The
 *   depth of `generate` therefore differs between runs; files and functions do not.
 *
 * A forwarded request is measured 50 times in a warmed-up service, and what was called in each of them counts, so that
 * timers of the service do not. One conformance case is measured from its start to the start of the next, with one case
 * at a time; the functions from `runConformance` to the socket are those on the stack of its first request.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { allowedWaysFile, compareWay, readAllowedWays, updateAllowedWays } from './allowed-ways.js'
import { measureWays, type WayName, wayNames } from './ways.js'

const { values: options } = parseArgs({
  options: {
    files: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    decision: { type: 'string' },
  },
})

/** Numbers of files that the project aims for. */
const aims: Readonly<Record<WayName, number>> = {
  'one forwarded request': 40,
  'generate --only types,client': 60,
  'one conformance case': 60,
}

function row(name: string, figures: readonly (string | number)[]): string {
  return `${name.padEnd(44)}${figures.map((figure) => String(figure).padStart(12)).join('')}`
}

const { decision } = options
const hasRecord =
  decision === undefined || existsSync(new URL(`../docs/decisions/${decision}`, import.meta.url))
if (!hasRecord) throw new Error(`docs/decisions/ has no ${decision}`)

const { ways, pathToRequest } = await measureWays({ withDepth: true })
const before = readAllowedWays()
console.log(row('', ['files', 'allowed', 'aim', 'functions', 'depth']))
for (const name of wayNames) {
  const { files, functions, depth } = ways[name]
  const allowed = before.ways[name].files.length
  console.log(row(name, [files.length, allowed, aims[name], functions.length, depth ?? '']))
}
console.log(row('', ['functions', '', 'aim']))
console.log(row('from runConformance to the socket', [pathToRequest.length, '', 9]))
if (options.files) {
  for (const name of wayNames) console.log(`\n${name}:\n  ${ways[name].files.join('\n  ')}`)
  console.log(`\nfrom runConformance to the socket:\n  ${pathToRequest.join('\n  ')}`)
}
const [request, generate, conformanceCase] = wayNames
const measured = {
  [request]: ways[request].files,
  [generate]: ways[generate].files,
  [conformanceCase]: ways[conformanceCase].files,
}
const after = options.write ? updateAllowedWays(before, measured, decision) : before
if (options.write) await writeFile(allowedWaysFile, `${JSON.stringify(after, undefined, 2)}\n`)
for (const name of wayNames) {
  const change = compareWay(name, after.ways[name], measured[name])
  if (change !== undefined) console.log(`\n${change.text}`)
  if (change?.isLonger) process.exitCode = 1
}
