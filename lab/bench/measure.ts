/**
 * `npm run measure`: how far work travels through the code, from V8's coverage of the compiled program.
 *
 *   npm run measure              the table
 *   npm run measure -- --files   with the source files behind each row
 *   npm run measure -- --write   stores shorter code paths in `lab/bench/code-paths.json`
 *   npm run measure -- --write --decision FILE   also stores longer ones; FILE is a record of `docs/decisions/`
 *
 * - files: source files of `src/` and `generated/` in which a function was called. The body of a module, which runs
 *   when the module is loaded, does not count as a function.
 * - allowed: the number of files in `lab/bench/code-paths.json`. The exit status is 1 when a code path has more.
 * - functions: functions of those files that were called.
 * - depth: the most of those functions that were on one stack, callers that await included. A conditional breakpoint at
 *   the entry of each function counts the frames of the stack in a second run of the same work. Of
 *   `generate`, which calls some functions 100,000 times, a sample of the stack is taken every 50 µs instead. The
 *   depth of `generate` therefore differs between runs; files and functions do not.
 *
 * A forwarded request is measured 50 times in a warmed-up service, and what was called in each of them counts, so that
 * timers of the service do not. One conformance case is measured from its start to the start of the next, with one case
 * at a time. The functions from `runConformance` to the socket are those on the stack of its first request.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import {
  allowedCodePathsFile,
  compareCodePath,
  readAllowedCodePaths,
  updateAllowedCodePaths,
} from './allowed-code-paths.js'
import { type CodePathName, codePathNames, measureCodePaths } from './code-paths.js'

const { values: options } = parseArgs({
  options: {
    files: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    decision: { type: 'string' },
  },
})

/** Numbers of files that the project aims for. */
const aims: Readonly<Record<CodePathName, number>> = {
  'one forwarded request': 40,
  'generate --only types,client': 60,
  'one conformance case': 60,
}

function row(name: string, figures: readonly (string | number)[]): string {
  return `${name.padEnd(44)}${figures.map((figure) => String(figure).padStart(12)).join('')}`
}

const { decision } = options
const hasRecord =
  decision === undefined || existsSync(new URL(`../../docs/decisions/${decision}`, import.meta.url))
if (!hasRecord) throw new Error(`docs/decisions/ has no ${decision}`)

const { codePaths, pathToRequest } = await measureCodePaths({ withDepth: true })
const before = readAllowedCodePaths()
console.log(row('', ['files', 'allowed', 'aim', 'functions', 'depth']))
for (const name of codePathNames) {
  const { files, functions, depth } = codePaths[name]
  const allowed = before.codePaths[name].files.length
  console.log(row(name, [files.length, allowed, aims[name], functions.length, depth ?? '']))
}
console.log(row('', ['functions', '', 'aim']))
console.log(row('from runConformance to the socket', [pathToRequest.length, '', 9]))
if (options.files) {
  for (const name of codePathNames) console.log(`\n${name}:\n  ${codePaths[name].files.join('\n  ')}`)
  console.log(`\nfrom runConformance to the socket:\n  ${pathToRequest.join('\n  ')}`)
}
const [request, generate, conformanceCase] = codePathNames
const measured = {
  [request]: codePaths[request].files,
  [generate]: codePaths[generate].files,
  [conformanceCase]: codePaths[conformanceCase].files,
}
const after = options.write ? updateAllowedCodePaths(before, measured, decision) : before
if (options.write) await writeFile(allowedCodePathsFile, `${JSON.stringify(after, undefined, 2)}\n`)
for (const name of codePathNames) {
  const change = compareCodePath(name, after.codePaths[name], measured[name])
  if (change !== undefined) console.log(`\n${change.text}`)
  if (change?.isLonger) process.exitCode = 1
}
