import { callsModule, results } from './programs.js'
import type { Row } from './row.js'

const layout = `export default function Layout({ children }: { children: React.ReactNode }) {
  return <html lang="en"><body>{children}</body></html>
}
`

/** A handler that calls the service when it is asked. */
const handler = `import * as library from '@concordat/node-access'
import { resultsOf } from '../../calls.mjs'
export const dynamic = 'force-dynamic'
export async function GET() {
  const id: \`0x\${string}\` = await library.createClient(process.env.RPC_URL ?? '').eth_chainId()
  return id === '0x1f' ? Response.json(await resultsOf(library, process.env.RPC_URL)) : Response.error()
}
`

/** A page that calls the service in the browser. */
const page = `'use client'
import * as library from '@concordat/node-access'
import { useEffect, useState } from 'react'
import { resultsOf } from '../calls.mjs'
export default function Page() {
  const [found, setFound] = useState('')
  useEffect(() => {
    const url = new URLSearchParams(location.search).get('url')
    resultsOf(library, url).then((one) => setFound(JSON.stringify(one)))
  }, [])
  return <p>{found}</p>
}
`

/** Starts the built application and asks its handler, and its page in a browser where one is given. */
const askNext = `import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
const next = spawn('next', ['start', '--port', '0', '--hostname', '127.0.0.1'], { stdio: ['ignore', 'pipe', 'inherit'] })
const ended = once(next, 'exit')
for await (const line of createInterface({ input: next.stdout })) {
  const [origin] = /http:..127[.]0[.]0[.]1:[0-9]+/.exec(line) ?? []
  if (origin === undefined) continue
  const answer = await fetch(origin + '/api')
  console.log(await answer.text())
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args })
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.log(String(error)))
  await page.goto(origin + '/?url=' + encodeURIComponent(process.env.RPC_URL))
  await page.waitForFunction("document.querySelector('p').textContent !== ''")
  console.log(await page.textContent('p'))
  await browser.close()
  break
}
next.kill()
await ended
`

/** Next, which writes its tsconfig.json during the build. */
export const nextRows: readonly Row[] = [
  {
    ...{ tool: 'Next', version: '16', form: 'a route handler, and a client component in Chromium' },
    install: [
      ...['next@16', 'react@19', 'react-dom@19', 'playwright-core@1'],
      ...['typescript@5.9', '@types/node@20', '@types/react@19', '@types/react-dom@19'],
    ],
    needsChromium: true,
    files: {
      'calls.mjs': callsModule,
      'app/layout.tsx': layout,
      'app/page.tsx': page,
      'app/api/route.ts': handler,
      'ask.mjs': askNext,
    },
    command: 'next build && test -s tsconfig.json && node ask.mjs',
    expected: { kind: 'works', output: `${results}\n${results}` },
  },
]
