import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { productStyle, typefaceFile } from '../../bin/docs/site-style.js'
import { escapeHtml } from '../../src/toolkit/codegen/reference/html-text.js'
import { post } from '../../test/support/service.js'

const read = (file: string) => readFile(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8')

/** The method that the picture follows. */
const name = 'eth_getBalance'

interface Method {
  readonly name: string
  readonly params: readonly { readonly name: string }[]
  readonly result: { readonly name: string; readonly schema: unknown }
}

/**
 * Returns the page of the picture of the flow: a method in the contract, and what the server, the client and the
 * conformance runner make of it.
 * @param url a key of a running service, which is called
 * @param conformed the output of `concordat conform` with a failure
 */
export async function flowPage(url: string, conformed: string): Promise<string> {
  const contract = JSON.parse(await read('openrpc.json')) as { readonly methods: readonly Method[] }
  const method = contract.methods.find((each) => each.name === name)
  const [, signature = ''] =
    new RegExp(`^  readonly (${name}: \\([^]*?\\) => .*)$`, 'm').exec(await read('generated/client.ts')) ?? []
  if (method === undefined || signature === '') throw new TypeError(`${name} is missing`)
  const request = { jsonrpc: '2.0', id: 1, method: name, params: ['nonsense'] }
  const { error } = (await post(url, request)).json as { error: { code: number; message: string } }
  const parts = {
    contract: card('openrpc.json', 'The contract, written by hand', contractLines(method)),
    server: card('Server', 'refuses what the contract forbids', [
      `→ ${name}(["nonsense"])`,
      `← ${error.code}`,
      error.message,
    ]),
    client: card(
      'Client',
      'has the contract’s types',
      signature.split('\n').map((line) => line.replace(/^ {2}/, '')),
    ),
    conform: card('Conformance', 'judges a deployment by the contract', verdictLines(conformed)),
  }
  const font = (await readFile(typefaceFile.path)).toString('base64')
  const product = await productStyle(`data:font/woff2;base64,${font}`)
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>${product}${style}</style><body>
<main>${parts.contract}<p class="step">concordat generate<span>→</span></p>
<div>${parts.server}${parts.client}</div><p class="step">concordat conform<span>→</span></p>${parts.conform}</main></body></html>`
}

/** The members of a method that the other parts show. */
function contractLines({ params, result, ...method }: Method): readonly string[] {
  return [
    `"name": "${method.name}",`,
    '"params": [',
    ...params.map(({ name: param }) => `  { "name": "${param}", … },`),
    '],',
    '"result": {',
    `  "name": "${result.name}",`,
    `  "schema": ${JSON.stringify(result.schema).replace(':', ': ').replace('#/components/schemas/', '…/')}`,
    '},',
  ]
}

/** The groups of a run, the first failure with its rule, and the sum. */
function verdictLines(output: string): readonly string[] {
  const lines = output.split('\n')
  const failure = lines.findIndex((line) => line.startsWith('  ✗ '))
  const groups = lines.filter((line) => /^ {2}[\w-]+ +[█░]+/.test(line))
  const sum = lines.filter((line) => /^ {2}\d+ passed, \d+ failed/.test(line))
  const found = lines.slice(failure, failure + 2)
  const differs = lines
    .slice(failure)
    .filter((line) => /^ {4}(?:expected|got) /.test(line))
    .slice(0, 2)
  const shown = [
    ...groups,
    '',
    ...found,
    ...differs,
    '',
    ...sum.map((line) => line.replace(/(?<=\S) {4}.*/, '')),
  ]
  return shown.map((line) => line.replace(/^ {2}/, ''))
}

function card(title: string, says: string, lines: readonly string[]): string {
  const code = lines.map((line) => `<span>${escapeHtml(line)}</span>\n`).join('')
  return `<section><h2>${title}</h2><p>${says}</p><pre>${code}</pre></section>`
}

const style = `
  body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 var(--sans) }
  main { display: grid; grid-template-columns: 310px 76px 360px 76px 1fr; align-items: center; width: 1280px;
    padding: 20px; box-sizing: border-box }
  section { border: 1px solid var(--line); border-radius: var(--round-card); padding: 14px 18px; margin: 8px 0;
    background: var(--raised); box-shadow: var(--shadow) }
  h2 { margin: 0; font-size: 18px; font-weight: 650 } section p { margin: 0 0 8px; color: var(--quiet) }
  pre { margin: 0; font: 12px/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere }
  .step { font: 12px var(--mono); color: var(--accent); text-align: center }
  .step span { display: block; font-size: 26px }`
