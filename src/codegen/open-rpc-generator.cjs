// The `custom` component for @open-rpc/generator (`open-rpc-generator generate -c`): its configuration names it as
// `"customComponent": "concordat/open-rpc-generator"`. CommonJS, because that tool loads components by `require`.
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')

/** In the package the compiled hook lies beside this file; in a clone of the repository tsx runs its source. */
const isCompiled = existsSync(join(__dirname, 'open-rpc-generator-hook.js'))

async function loadHook() {
  if (isCompiled) return import('./open-rpc-generator-hook.js')
  const { tsImport } = await import('tsx/esm/api')
  return tsImport('./open-rpc-generator-hook.ts', __filename)
}

/** Runs when the tool has written its copy of the document; what it throws ends the tool with exit code 1. */
async function generate(destination, _staticPath, component) {
  const { openRpcGeneratorHook } = await loadHook()
  const { version } = require(isCompiled ? '../../../package.json' : '../../package.json')
  await openRpcGeneratorHook({ destination, ...component, tool: { name: 'concordat', version } })
}

module.exports = {
  /** There is nothing to be copied. */
  staticPath: () => undefined,
  hooks: {
    // Whatever the language: without a list for it the tool fails in words that say nothing.
    templateFiles: new Proxy({}, { get: () => [] }),
    afterCompileTemplate: [generate],
  },
}
