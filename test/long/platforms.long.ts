/**
 * The client on Node.js 20, 22 and 24, on Deno and Bun, and in a web worker of another origin. The runtimes have about
 * 100 MB each, so this file installs them; they are no dependencies of the project.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import t from 'tap'
import { installNode, nodeVersions } from '../../bin/install-node.js'
import { findChromium } from '../support/chromium.js'
import { startService } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

t.setTimeout(1_200_000)

const run = promisify(execFile)
const service = await startService()
t.teardown(() => service.stop())
const { url } = service.networks.test
const folder = await temporaryFolder(t)

/** Bundles the client with code that calls it. */
async function bundled(code: string): Promise<string> {
  const bundle = await build({
    stdin: {
      contents: `import { platformResults } from './platform-client.ts'\n${code}`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    write: false,
  })
  return bundle.outputFiles[0]?.text ?? ''
}

const expected = {
  chainId: '0x1f',
  provided: '31',
  reads: 250,
  hasManyLogs: true,
  watched: 'block',
  receipt: '0x1',
  refused: -32602,
  unreachable: true,
  aborted: true,
  hasQuota: true,
}

const runtimes = [
  {
    name: 'deno',
    package: `@deno/${process.platform}-${process.arch}-glibc`,
    program: `@deno/${process.platform}-${process.arch}-glibc/deno`,
    flags: ['run', '--allow-net=127.0.0.1', '--no-config'],
  },
  {
    name: 'bun',
    package: `@oven/bun-${process.platform}-${process.arch}`,
    program: `@oven/bun-${process.platform}-${process.arch}/bin/bun`,
    flags: ['run'],
  },
]

const script = join(folder, 'client.mjs')
await writeFile(
  script,
  await bundled(`import { createNodeFetch } from '../../src/node-access/node.ts'
    import { argv } from 'node:process'
    const url = argv.at(-1)
    const results = [await platformResults(url), await platformResults(url, createNodeFetch())]
    console.log(JSON.stringify(results))`),
)

/** Runs the client with a runtime and returns its results, with the global `fetch` and `createNodeFetch`. */
async function resultsOf(
  program: string,
  flags: readonly string[],
  path = process.env['PATH'],
): Promise<unknown> {
  const env = { PATH: path, HOME: folder, DENO_DIR: folder, DENO_NO_UPDATE_CHECK: '1' }
  const { stdout } = await run(program, [...flags, script, url], { cwd: folder, env })
  return JSON.parse(stdout)
}

t.test('the client runs on this Node.js', async (t) => {
  t.same(await resultsOf(process.execPath, []), [expected, expected])
})

for (const version of nodeVersions.slice(1)) {
  t.test(`the client runs on Node.js ${version}`, async (t) => {
    t.same(await resultsOf('node', [], await installNode(version)), [expected, expected])
  })
}

for (const { name, package: wanted, program, flags } of runtimes) {
  t.test(`the client runs on ${name}`, async (t) => {
    const prefix = join(folder, name)
    await run('npm', ['install', '--silent', '--no-save', '--prefix', prefix, wanted])
    t.same(await resultsOf(join(prefix, 'node_modules', program), flags), [expected, expected])
  })
}

t.test('the client runs in a web worker of another origin', async (t) => {
  const worker = await bundled('onmessage = async ({ data }) => postMessage(await platformResults(data))')
  const site = createServer((request, response) => {
    const isScript = request.url === '/worker.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? worker : '<!doctype html><title>page</title>')
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.teardown(() => site.close())
  const browser = await chromium.launch(await findChromium((text) => t.comment(text)))
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  const results = await page.evaluate(`new Promise((resolve, reject) => {
    const worker = new Worker('/worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(${JSON.stringify(url)})
  })`)
  t.same(results, expected)
})
