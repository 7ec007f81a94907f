#!/usr/bin/env node
// Runs the compiled code in dist/ when it is there, and the TypeScript source through tsx when it is not,
// so that `npx concordat` works in a fresh clone without a build.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const compiled = new URL('../dist/src/cli/main.js', import.meta.url)
if (existsSync(compiled)) {
  const { main } = await import(compiled.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const { register } = await import('tsx/esm/api')
  register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) })
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
