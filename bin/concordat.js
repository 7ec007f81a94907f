#!/usr/bin/env node
// Runs the compiled code in dist/ when it is there and no source is newer, else the TypeScript source through tsx,
// so that `npx concordat` works in a fresh clone without a build and never runs what was built before a change.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const compiled = path('dist/src/cli/main.js')

/** True when dist/ can be run: in a published package, which has no TypeScript, always. */
function isCurrent() {
  if (!existsSync(compiled)) return false
  if (!existsSync(path('src/cli/main.ts'))) return true
  const built = statSync(compiled).mtimeMs
  return ['src', 'generated', 'conformance/faults']
    .flatMap((folder) =>
      readdirSync(path(folder), { recursive: true }).map((file) => path(`${folder}/${file}`)),
    )
    .filter((file) => !/[\\/]dist(?:[\\/]|$)/.test(file))
    .every((file) => statSync(file).mtimeMs <= built)
}

// Who reads the output may have seen enough, as `| head` has: what is left has no reader, and that is no failure.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
})
// A service goes on where its log cannot be written: what collects it has ended, or its disk is full.
process.stderr.on('error', () => undefined)

// While the service loads, its configuration is not read yet: who asks for it to be read again has what is wanted.
if (['start', 'serve'].includes(process.argv[2])) process.on('SIGHUP', () => undefined)

if (isCurrent()) {
  const { main } = await import(new URL('../dist/src/cli/main.js', import.meta.url).href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const { register } = await import('tsx/esm/api')
  register({ tsconfig: path('tsconfig.json') })
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
