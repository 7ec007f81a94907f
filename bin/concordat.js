#!/usr/bin/env node
// Runs the compiled code in dist/ if it exists and no source is newer, otherwise the TypeScript source through tsx.
// `npx concordat` therefore works in a fresh clone without a build, and never runs outdated code.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
const compiled = path('dist/src/cli/main.js')

/** True if a source in the folder is newer than the time in milliseconds. Compiled files and packages are no sources. */
function hasNewer(folder, time) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const file = `${folder}/${entry.name}`
    if (entry.isDirectory()) return !['dist', 'node_modules'].includes(entry.name) && hasNewer(file, time)
    return statSync(file).mtimeMs > time
  })
}

/** True if dist/ is current. A published package contains no TypeScript, so its dist/ is always current. */
function isCurrent() {
  if (!existsSync(compiled)) return false
  if (!existsSync(path('src/cli/main.ts'))) return true
  const built = statSync(compiled).mtimeMs
  return !['src', 'generated', 'lab/faults'].some((folder) => hasNewer(path(folder), built))
}

// A reader such as `| head` may close the pipe early. That is not an error.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
})
// The service keeps running if its log cannot be written, for example because the disk is full.
process.stderr.on('error', () => undefined)

if (['start', 'serve'].includes(process.argv[2])) {
  // While the service loads, it has not read its configuration yet, so a request to reload has no effect.
  process.on('SIGHUP', () => undefined)
  // V8 collects the read buffers of a stream when they take four times this number of MB. It is 8 on Node 22, and on
  // Node 24 it is 32: a streamed answer would grow the process by up to 128 MB. Other versions lack the flag.
  if (process.versions.v8.startsWith('13.')) setFlagsFromString('--scavenger-max-new-space-capacity-mb=8')
}

if (isCurrent()) {
  const { main } = await import(new URL('../dist/src/cli/main.js', import.meta.url).href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const { register } = await import('tsx/esm/api')
  register({ tsconfig: path('tsconfig.json') })
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
