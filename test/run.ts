/**
 * Runs the tests of `npm test` and `npm run test:system`.
 *
 *   tsx test/run.ts quick             runs the quick unit tests and `quickFiles`
 *   tsx test/run.ts system            runs all other tests, and checks the coverage of all unit tests. It repeats the
 *                                     quick unit tests unless they have passed with the same files
 *   tsx test/run.ts system --list     lists the files and the skipped files, without running them
 *   tsx test/run.ts system --costs    runs them, and lists the processor time of each file with its child processes
 *
 * Files whose tools are missing on this machine are skipped. They are listed at the end, with the commands that install
 * the tools. With `CI=true`, a skipped file is a failure.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aloneFiles, groupFiles } from './groups/group-files.js'
import { quickFiles } from './quick-files.js'
import { takeQuickCoverage, withQuickCoverage } from './stored-coverage.js'
import { missingTools, testFiles } from './support/missing-tools.js'
import { processorTime } from './support/processor-time.js'
import { debianLine, type Tool, type ToolName, tools } from './support/tools.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const [suite, option] = process.argv.slice(2)
if (
  (suite !== 'quick' && suite !== 'system') ||
  (option !== undefined && option !== '--list' && option !== '--costs')
) {
  console.error('Usage: tsx test/run.ts quick|system [--list|--costs]')
  process.exit(2)
}

const below = (folder: string, files: readonly string[]) => files.map((file) => `test/${folder}/${file}`)
const serviceFiles = below('service', testFiles('service', /\.test\.ts$/))
const unknown = quickFiles.filter((file) => !serviceFiles.includes(file))
if (unknown.length > 0) throw new TypeError(`test/quick-files.ts names missing files: ${unknown.join(', ')}`)

const quickUnits = ['test/groups/unit-*.test.ts', ...below('unit', aloneFiles)]

/** Parts of a suite: its own unit tests; other files; files that groups import; programs that run at the end. */
const { ownUnits, files, imported, after } = {
  quick: {
    ownUnits: [],
    files: quickFiles,
    imported: groupFiles('quick'),
    after: [],
  },
  system: {
    ownUnits: [
      ...below('groups', testFiles('groups', /^slow-.*\.test\.ts$/)),
      ...below('unit', testFiles('unit', /\.process\.test\.ts$/)),
    ],
    files: serviceFiles.filter((file) => !quickFiles.includes(file)),
    imported: [...groupFiles('quick'), ...groupFiles('slow')],
    after: ['test/newest-node.ts'],
  },
}[suite]

/** The missing tools of each skipped file, by the file's name. */
const missing = new Map<string, readonly ToolName[]>()
const present: string[] = []
const nameOf = (file: string) => basename(file).replace(/(?:\.slow|\.process)?(?:\.test)?\.ts$/, '')
for (const file of [...files, ...below('unit', imported), ...after]) {
  const lacks = await missingTools(join(root, file))
  if (lacks.length > 0) missing.set(nameOf(file), lacks)
  else if (files.includes(file)) present.push(file)
}
/** Runs Node.js with visible output, and returns true if it succeeds. */
function succeeds(args: readonly string[], env: Readonly<Record<string, string>> = {}): boolean {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  return status === 0
}

const coverage = ['--import=tsx', 'test/coverage.ts', process.execPath]
const tap = ['node_modules/.bin/tap', 'run', '--reporter=tee', '--reporter-arg=.tap/run.tap']

/** Runs the unit tests of the suite. `system` checks their coverage, unless one of them is skipped. */
function unitsPass(): boolean {
  if (suite === 'quick') return withQuickCoverage((env) => succeeds([...tap, ...quickUnits], env))
  const hasQuick = takeQuickCoverage()
  if (hasQuick) console.log('The quick unit tests passed with these files: their coverage is used')
  const isCovered = below('unit', imported).every((file) => !missing.has(nameOf(file)))
  // Slow tests come first, because tap starts files in this order.
  const units = [...ownUnits, ...(hasQuick ? [] : quickUnits)]
  return succeeds([...(isCovered ? coverage : []), ...tap, ...units])
}

function passes(): boolean {
  mkdirSync(join(root, '.tap'), { recursive: true })
  if (!unitsPass()) return false
  if (present.length > 0 && !succeeds([...tap, ...present])) return false
  return after.every((file) => missing.has(nameOf(file)) || succeeds(['--import=tsx', file]))
}

/** Lists the skipped files, and the commands that install their tools. */
function listMissing(): void {
  for (const [name, lacks] of missing)
    console.log(`not run: ${name} (needs ${lacks.map((tool) => tools[tool].name).join(', ')})`)
  const lacking = [...new Set([...missing.values()].flat())].map((tool): Tool => tools[tool])
  const packages = lacking.flatMap(({ debianPackage }) => debianPackage ?? []).sort()
  if (packages.length > 0) console.log(`to run them: ${debianLine(packages)}`)
  for (const { install, debianPackage } of lacking)
    if (debianPackage === undefined) console.log(`to run them: ${install}`)
}

function listFiles(): boolean {
  for (const file of [...ownUnits, ...quickUnits, ...present]) console.log(file)
  return true
}

const costsFile = join(root, '.tap/costs')

/** Lists the processor time of each test file, the most expensive one first. */
function listCosts(): void {
  const lines = existsSync(costsFile) ? readFileSync(costsFile, 'utf8').trimEnd().split('\n') : []
  console.log('\nprocessor time in seconds:')
  for (const line of lines.sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))) console.log(line)
  console.log(`${processorTime().toFixed(1)} in all, with the programs that run the tests`)
}

if (option === '--costs') {
  rmSync(costsFile, { force: true })
  process.env['TEST_COSTS'] = costsFile
}
const hasPassed = option === '--list' ? listFiles() : passes()
if (!hasPassed) spawnSync('npm', ['run', '--silent', 'test:failures'], { cwd: root, stdio: 'inherit' })
if (option === '--costs') listCosts()
const isListRed = missing.size > 0 && process.env['CI'] === 'true'
if (missing.size > 0) {
  console.log()
  listMissing()
  if (isListRed) console.error('CI=true: a test that is not run is a failure')
}
process.exit(hasPassed && !isListRed ? 0 : 1)
