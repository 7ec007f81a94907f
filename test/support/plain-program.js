// A JSON-RPC server on standard input and output, without code of this project.
// node plain-program.js newline|content-length FAULT PID_FILE
import { appendFileSync } from 'node:fs'

const [framing, fault, pidFile] = process.argv.slice(2)
const isSized = framing === 'content-length'
if (pidFile !== undefined) appendFileSync(pidFile, `${process.pid}\n`)
if (fault === 'greeting') process.stdout.write('Server started\n')
if (fault === 'broken') {
  process.stderr.write('cannot read its configuration\n')
  process.exit(3)
}
if (fault === 'deaf') process.on('SIGTERM', () => undefined)
// The standard input has ended, and the program goes on.
if (fault === 'deaf') setInterval(() => undefined, 1_000)

let isOpen = false
let count = 0
let onConfiguration

function write(bytes) {
  if (fault !== 'bytes') return process.stdout.write(bytes)
  const half = Math.floor(bytes.length / 2)
  for (const byte of bytes.subarray(0, 40)) process.stdout.write(Buffer.of(byte))
  process.stdout.write(bytes.subarray(40, Math.max(40, half)))
  process.stdout.write(bytes.subarray(Math.max(40, half)))
}

const framed = (message) => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const parts = isSized ? [`Content-Length: ${body.length}\r\n\r\n`, body] : [body, '\n']
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}
const send = (...messages) => write(Buffer.concat(messages.map(framed)))
const log = (message) => ({ method: 'log', params: { message } })

const methods = {
  echo({ text }, id) {
    if (fault === 'noise') process.stdout.write('debug: echo\n')
    if (fault === 'crash') {
      process.stderr.write('out of ideas\n')
      process.exit(4)
    }
    // Calls of the server and the answer are one chunk.
    send(log(fault === 'wrong-log' ? 7 : text.slice(0, 20)), { method: 'unknown/call' }, { id, result: text })
    if (fault === 'leaves') process.exit(0)
    if (fault === 'twice') send({ id, result: text })
  },
  add(_, id) {
    count += 1
    send({ id, result: count })
  },
  open({ version }, id) {
    if (version !== 1) return send({ id, error: { code: -32602, message: 'Invalid params' } })
    onConfiguration = (settings) => send({ id, result: fault === 'wrong-open' ? {} : { settings } })
    return send({ id: 'own', method: 'configuration', params: { item: 'a' } })
  },
}

function receive(text) {
  if (fault === 'silent' || fault === 'deaf') return
  let message
  try {
    message = JSON.parse(text)
  } catch {
    send({ id: null, error: { code: -32700, message: 'Parse error' } })
    return
  }
  if (Array.isArray(message) || typeof message !== 'object' || message === null) {
    send({ id: null, error: { code: -32600, message: 'Invalid Request' } })
    return
  }
  const { id, method, params = {} } = message
  if (method === undefined && id === 'own') return onConfiguration(message.result ?? message.error.code)
  const refuse = (code, text) => id !== undefined && send({ id, error: { code, message: text } })
  if (method === 'quit' && id === undefined) process.exit(fault === 'wrong-quit' ? 5 : 0)
  if (method === 'opened') isOpen = true
  if (typeof method !== 'string' || message.jsonrpc !== '2.0' || typeof params !== 'object')
    return send({ id: id ?? null, error: { code: -32600, message: 'Invalid Request' } })
  if (!Object.hasOwn(methods, method)) return refuse(-32601, 'Method not found')
  if (!isOpen && method !== 'open') return refuse(-32002, 'Not open')
  const isText = typeof params.text === 'string' && Object.keys(params).length === 1
  if (method === 'echo' && !isText) return refuse(-32602, 'Invalid params')
  if (method === 'add' && Object.keys(params).length > 0) return refuse(-32602, 'Invalid params')
  methods[method](params, id)
}

let buffer = Buffer.alloc(0)
process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk])
  for (;;) {
    const end = buffer.indexOf(isSized ? '\r\n\r\n' : '\n')
    if (end < 0) return
    const from = isSized ? end + 4 : 0
    const size = isSized
      ? Number(/content-length: *(\d+)/i.exec(buffer.toString('latin1', 0, end))?.[1])
      : end
    if (Number.isNaN(size)) process.exit(6)
    if (buffer.length < from + size) return
    const text = buffer.toString('utf8', from, from + size)
    buffer = buffer.subarray(from + size + (isSized ? 0 : 1))
    if (text.trim() !== '') receive(text)
  }
})
