import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { compiler } from './tsc.js'

/** A position in a file: the text before it, which occurs once. */
export interface Editor {
  /** Returns what an editor shows at the end of the first occurrence of a text. */
  readonly hover: (after: string) => Promise<string>
  /** Returns the completions that an editor offers at the end of the first occurrence of a text. */
  readonly completions: (after: string) => Promise<readonly string[]>
}

type Message = { readonly id?: number; readonly method?: string; readonly result?: unknown }

/**
 * Opens a file in the language server of TypeScript (Language Server Protocol 3.17).
 * @param t the test, which ends the server
 * @param folder the folder of the project
 * @param file the path of the file
 */
export async function openEditor(
  t: { readonly teardown: (work: () => unknown) => void },
  folder: string,
  file: string,
): Promise<Editor> {
  const server = spawn(compiler, ['--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  t.teardown(() => server.kill())
  const waiting = new Map<number, (result: unknown) => void>()
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  readMessages(server.stdout, ({ id, method, result }) => {
    if (id === undefined) return
    if (method !== undefined) send({ id, result: method === 'workspace/configuration' ? [{}] : null })
    else waiting.get(id)?.(result)
  })
  let last = 0
  const ask = (method: string, params: object) => {
    last += 1
    const id = last
    return new Promise<unknown>((resolve) => {
      waiting.set(id, resolve)
      send({ id, method, params })
    })
  }
  const uri = pathToFileURL(file).href
  const text = await readFile(file, 'utf8')
  const at = (after: string, back: number) => {
    const before = text.slice(0, text.indexOf(after) + after.length - back).split('\n')
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    return { textDocument: { uri }, position }
  }
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } }
  await ask('initialize', { processId: null, rootUri: pathToFileURL(folder).href, capabilities })
  send({ method: 'initialized', params: {} })
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  })
  return {
    hover: async (after) => JSON.stringify(await ask('textDocument/hover', at(after, 1))),
    completions: async (after) => {
      const answer = (await ask('textDocument/completion', at(after, 0))) as {
        readonly items?: readonly { readonly label: string }[]
      } | null
      return (answer?.items ?? []).map(({ label }) => label)
    },
  }
}

/** Reads messages, each with a header of its length in bytes. */
function readMessages(stream: NodeJS.ReadableStream, take: (message: Message) => void): void {
  let received = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const end = received.indexOf('\r\n\r\n')
      const length = Number(/Content-Length: (\d+)/i.exec(received.subarray(0, end + 2).toString())?.[1])
      if (end < 0 || received.length < end + 4 + length) return
      const body = received.subarray(end + 4, end + 4 + length).toString()
      received = received.subarray(end + 4 + length)
      take(JSON.parse(body) as Message)
    }
  })
}
