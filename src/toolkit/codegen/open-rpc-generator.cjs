// The `custom` component for @open-rpc/generator. Its configuration refers to it as `"customComponent":
// "concordat/open-rpc-generator"`. CommonJS, because that tool loads components with `require`.
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')

/**
 * The package contains the compiled hook beside this file; in a clone of the repository, tsx runs its source.
 */
const isCompiled = existsSync(join(__dirname, 'open-rpc-generator-hook.js'))

async function loadHook() {
  if (isCompiled) return import('./open-rpc-generator-hook.js')
  const { tsImport } = await import('tsx/esm/api')
  return tsImport('./open-rpc-generator-hook.ts', __filename)
}

/** Runs after the tool has written its copy of the document. An exception ends the tool with exit code 1. */
async function generate(destination, _staticPath, component) {
  const { openRpcGeneratorHook } = await loadHook()
  const { version } = require(isCompiled ? '../../../package.json' : '../../../package.json')
  await openRpcGeneratorHook({ destination, ...component, tool: { name: 'concordat', version } })
}

module.exports = {
  staticPath: () => undefined,
  hooks: {
    // The tool fails with an unhelpful error if a language has no list here.
    templateFiles: new Proxy({}, { get: () => [] }),
    afterCompileTemplate: [generate],
  },
}
