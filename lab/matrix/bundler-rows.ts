import { callsModule, results } from './programs.js'
import type { Row } from './row.js'

/** Shows a folder of pages in a browser, and prints what the page and its worker found. */
const showPage = `import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { chromium } from 'playwright-core'
const types = { '.html': 'text/html', '.js': 'text/javascript' }
const site = createServer(async (request, response) => {
  const path = request.url === '/' ? '/index.html' : request.url
  const content = await readFile(join('out', path)).catch(() => undefined)
  response.writeHead(content === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' })
  response.end(content)
}).listen(0, '127.0.0.1')
await once(site, 'listening')
const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args })
try {
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.log(String(error)))
  page.on('console', (message) => message.type() === 'error' && console.log(message.text()))
  await page.addInitScript('globalThis.RPC_URL = ' + JSON.stringify(process.env.RPC_URL))
  await page.goto('http://127.0.0.1:' + site.address().port + '/')
  await page.waitForFunction('globalThis.found?.length === 2', undefined, { timeout: 60_000 })
  for (const one of await page.evaluate('globalThis.found')) console.log(one)
} finally {
  await browser.close()
  site.close()
}
`

/** @param worker the expression of the worker's URL */
const page = (worker: string) => `import * as library from '@concordat/node-access'
import { resultsOf } from './calls.mjs'
const found = []
resultsOf(library, RPC_URL).then((one) => {
  found.push(JSON.stringify(one))
  const worker = new Worker(${worker}, { type: 'module' })
  worker.onmessage = ({ data }) => {
    found.push(data)
    globalThis.found = found
  }
  worker.postMessage(RPC_URL)
})
`

const worker = `import * as library from '@concordat/node-access'
import { resultsOf } from './calls.mjs'
onmessage = async ({ data }) => postMessage(JSON.stringify(await resultsOf(library, data)))
`

const program = `import * as library from '@concordat/node-access'
import { resultsOf } from './calls.mjs'
resultsOf(library, process.env.RPC_URL).then((found) => console.log(JSON.stringify(found)))
`

const html = (script: string) =>
  `<!doctype html><title>page</title><script type="module" src="${script}"></script>\n`
const besideModule = "new URL('./worker.mjs', import.meta.url)"

const inNode = {
  form: 'a bundle for Node.js',
  expected: { kind: 'works', output: results },
} as const
const inChromium = {
  form: 'a page and a module worker in Chromium',
  needsChromium: true,
  expected: { kind: 'works', output: `${results}\n${results}` },
} as const
const browserFiles = { 'calls.mjs': callsModule, 'worker.mjs': worker, 'show.mjs': showPage }
const esbuild = { tool: 'esbuild', version: '0.28', install: ['esbuild@0.28', 'playwright-core@1'] }
const vite = { tool: 'Vite', version: '8', install: ['vite@8', 'playwright-core@1'] }
const webpack = {
  tool: 'webpack',
  version: '5',
  install: ['webpack@5', 'webpack-cli@6', 'playwright-core@1'],
}

/** Bundlers, and Chromium with what they make. */
export const bundlerRows: readonly Row[] = [
  {
    ...{ ...esbuild, ...inNode, files: { 'calls.mjs': callsModule, 'program.mjs': program } },
    command:
      'esbuild program.mjs --bundle --format=esm --platform=node --outfile=out/program.mjs && node out/program.mjs',
  },
  {
    ...{ ...esbuild, ...inChromium },
    files: { ...browserFiles, 'page.mjs': page("'./worker.js'"), 'out/index.html': html('./page.js') },
    command: 'esbuild page.mjs worker.mjs --bundle --minify --format=esm --outdir=out && node show.mjs',
  },
  {
    ...{ ...vite, ...inNode },
    files: { 'calls.mjs': callsModule, 'program.mjs': program },
    command: 'vite build --logLevel warn --ssr program.mjs --outDir out && node out/program.mjs',
  },
  {
    ...{ ...vite, ...inChromium },
    files: { ...browserFiles, 'page.mjs': page(besideModule), 'index.html': html('./page.mjs') },
    command: 'vite build --logLevel warn --outDir out && node show.mjs',
  },
  {
    ...{ ...webpack, ...inNode },
    files: { 'calls.mjs': callsModule, 'program.mjs': program },
    command:
      'webpack --mode production --target node --entry ./program.mjs --output-path out && node out/main.js',
  },
  {
    ...{ ...webpack, ...inChromium },
    files: { ...browserFiles, 'page.mjs': page(besideModule), 'out/index.html': html('./main.js') },
    command: 'webpack --mode production --entry ./page.mjs --output-path out && node show.mjs',
  },
]
