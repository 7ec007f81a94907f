import { newestNode } from '../../bin/install-node.js'
import { callsCommonJs, callsModule, results } from './programs.js'
import type { Row } from './row.js'

const test = `test('the client calls the service', async () => {
  expect(await resultsOf(library, process.env.RPC_URL)).toEqual(${results})
}, 60_000)
`
const importing = `import * as library from '@concordat/node-access'
import { resultsOf } from './calls.mjs'
${test}`
const requiring = `const library = require('@concordat/node-access')
const { resultsOf } = require('./calls.cjs')
${test}`
const typed = `import * as library from '@concordat/node-access'
const { resultsOf } = require('./calls.cjs')
test('the client calls the service', async () => {
  const id: \`0x\${string}\` = await library.createClient(process.env.RPC_URL ?? '').eth_chainId()
  expect(id).toBe('0x1f')
  expect(await resultsOf(library, process.env.RPC_URL)).toEqual(${results})
}, 60_000)
`

const jestVersions = ['29', '30'] as const
const passed = { kind: 'works', output: '1 passed' } as const
const vmModules = 'NODE_OPTIONS=--experimental-vm-modules'
const noTransform = 'transform: {}'

/** Jest compiles the packages, which it else takes for CommonJS. */
const compiled = "transformIgnorePatterns: ['/node_modules/(?!@concordat/)']"
const byBabel =
  "transform: { '\\\\.js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] }"
const packagesTsconfig = "{ module: 'commonjs', allowJs: true, target: 'es2022', isolatedModules: true }"
const byTsJest = `transform: { '\\\\.ts$': 'ts-jest', '\\\\.js$': ['ts-jest', { tsconfig: ${packagesTsconfig} }] }`

const typescript = ['ts-jest@29', 'typescript@5.9', '@types/node@20']
const commonJsConfig = JSON.stringify({
  compilerOptions: { target: 'es2022', module: 'commonjs', moduleResolution: 'node10', strict: true },
})

const jestRows = jestVersions.flatMap((version): readonly Row[] => {
  const jest = { tool: 'Jest', version, command: 'jest' }
  const install = [`jest@${version}`, '@babel/plugin-transform-modules-commonjs@7']
  return [
    {
      ...{ ...jest, install, form: 'tests as ES modules', command: `${vmModules} jest` },
      files: {
        'package.json': '{ "private": true, "type": "module" }\n',
        'jest.config.js': `export default { ${noTransform} }\n`,
        'calls.mjs': callsModule,
        'calls.test.js': `import { expect, test } from '@jest/globals'\n${importing}`,
      },
      expected: { ...passed, settings: [vmModules, noTransform] },
    },
    {
      ...{ ...jest, install, form: 'tests as CommonJS, without settings' },
      files: { 'jest.config.js': '', 'calls.cjs': callsCommonJs, 'calls.test.js': requiring },
      expected: {
        kind: 'cannot',
        reason: 'Jest loads what is required as CommonJS, and the packages are ES modules',
        output:
          version === '29' ? 'Jest encountered an unexpected token' : 'Must use import to load ES Module',
        instead: 'the settings of the next row compile them',
      },
    },
    {
      ...{ ...jest, install, form: 'tests as CommonJS' },
      files: {
        'jest.config.js': `module.exports = {\n  ${compiled},\n  ${byBabel},\n}\n`,
        'calls.cjs': callsCommonJs,
        'calls.test.js': requiring,
      },
      expected: { ...passed, settings: [compiled, byBabel] },
    },
    {
      ...{ ...jest, tool: 'ts-jest 29 with Jest', form: 'tests as CommonJS' },
      install: [`jest@${version}`, `@types/jest@${version}`, ...typescript],
      files: {
        'jest.config.js': `module.exports = {\n  ${compiled},\n  ${byTsJest},\n}\n`,
        'tsconfig.json': commonJsConfig,
        'calls.cjs': callsCommonJs,
        'calls.test.ts': typed,
      },
      expected: { ...passed, settings: [compiled, byTsJest] },
    },
  ]
})

/** Supported versions of Vitest. The fifth does not run on Node.js 20. */
const vitestRows = (['4', '5'] as const).map(
  (version): Row => ({
    ...{ tool: 'Vitest', version, install: [`vitest@${version}`] },
    ...(version === '5' ? { form: `tests, on Node.js ${newestNode}`, node: newestNode } : { form: 'tests' }),
    files: {
      'calls.mjs': callsModule,
      'calls.test.js': `import { expect, test } from 'vitest'\n${importing}`,
    },
    ...{ command: 'vitest run', expected: passed },
  }),
)

/** Jest 30 requires ES modules itself where Node.js lets it. */
const requireRow: Row = {
  ...{ tool: 'Jest', version: '30', form: `tests as CommonJS, on Node.js ${newestNode}` },
  ...{ install: ['jest@30'], node: newestNode, command: `${vmModules} jest` },
  files: { 'jest.config.js': '', 'calls.cjs': callsCommonJs, 'calls.test.js': requiring },
  expected: { ...passed, settings: [vmModules] },
}

/** Test runners. */
export const testRunnerRows: readonly Row[] = [...jestRows, requireRow, ...vitestRows]
