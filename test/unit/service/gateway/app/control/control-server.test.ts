import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { REQUEST_BYTES } from '../../../../../../src/service/gateway/app/control/control-protocol.js'
import { connectControl, OperatorError, serveControl } from '../../../../../../src/service/gateway/index.js'
import { takeDataFolder } from '../../../../../../src/service/gateway/store/data-folder.js'
import { temporaryFolder } from '../../../../../support/temporary-folder.js'

const path = join(await temporaryFolder(t), 'data')
const folder = await takeDataFolder(path)
t.teardown(() => folder.release())
const errors: unknown[] = []
serveControl(folder, {
  handlers: {
    echo: (input) => input,
    refuse: () => {
      throw new OperatorError('key_unknown', 'There is no such key')
    },
    break: async () => {
      throw new TypeError('a secret detail')
    },
  },
  onError: (error) => errors.push(error),
})

async function connected(dataDir = path) {
  const client = await connectControl(dataDir)
  if (client === undefined) throw new TypeError('nobody listens')
  return client
}

/** Sends a text unchanged and returns the lines of the answer. */
async function send(text: string, answers: number): Promise<unknown[]> {
  const socket = connect(join(path, 'control.sock'))
  const lines: unknown[] = []
  const reader = createInterface({ input: socket })
  reader.on('line', (line) => lines.push(JSON.parse(line)))
  socket.write(text)
  while (lines.length < answers) await once(reader, 'line')
  socket.destroy()
  return lines
}

t.test('commands on one connection are answered in order', async (t) => {
  const client = await connected()
  const all = [1, 'two', { three: ['ü', null] }].map((input) => client.run('echo', input))
  t.same(await Promise.all(all), [1, 'two', { three: ['ü', null] }])
  client.close()
})

t.test('a command on a closed connection is refused, and no caller waits', async (t) => {
  const client = await connected()
  client.close()
  await t.rejects(client.run('echo', 1), {
    code: 'service_unreachable',
    message: /cannot be reached: the connection was closed$/,
  })
})

t.test('an error arrives unchanged, and a defect appears only in the log', async (t) => {
  const client = await connected()
  await t.rejects(client.run('refuse', {}), {
    code: 'key_unknown',
    message: 'There is no such key',
  })
  await t.rejects(client.run('break', {}), {
    code: 'service_unreachable',
    message: /log of the service has the reason/,
  })
  t.match(errors, [{ message: 'a secret detail' }])
  await t.rejects(client.run('constructor', {}), { message: /no command "constructor"/ })
  t.equal(await client.run('echo', 'still here'), 'still here')
  client.close()
})

const request = '{"version":1,"command":"echo","input":7}\n'
for (const [what, text, reason] of [
  ['no JSON', 'nonsense\n', /one line of JSON/],
  ['an empty line', '\n', /one line of JSON/],
  ['a list', '[1]\n', /JSON object/],
  ['null', 'null\n', /JSON object/],
  ['another version', '{"version":2,"command":"echo"}\n', /version 1/],
  ['no version', '{"command":"echo"}\n', /version 1/],
  ['no command', '{"version":1}\n', /needs a command/],
  ['binary', '\u0000\u0001\ufffd\n', /one line of JSON/],
  ['__proto__ as the command', '{"version":1,"command":"__proto__"}\n', /no command/],
] as const) {
  t.test(`${what} is answered with an error, and the next request is served`, async (t) => {
    const [answer, next] = await send(`${text}${request}`, 2)
    t.match(answer, { version: 1, error: { code: 'control_error', message: reason } })
    t.same(next, { version: 1, output: 7 })
  })
}

t.test('an endless line is refused, and the connection closes', async (t) => {
  const [answer] = await send('x'.repeat(REQUEST_BYTES * 3), 1)
  t.match(answer, { error: { message: new RegExp(`${REQUEST_BYTES} bytes`) } })
})

t.test('a disconnect in the middle affects no other client', async (t) => {
  for (const text of ['', '{"version":1,', request]) {
    const socket = connect(join(path, 'control.sock'))
    await once(socket, 'connect')
    socket.write(text)
    socket.destroy()
  }
  t.same(await send(request, 1), [{ version: 1, output: 7 }])
})

t.test('without a service there is no client', async (t) => {
  const empty = await temporaryFolder(t)
  t.equal(await connectControl(empty), undefined)
  t.equal(await connectControl(join(empty, 'nowhere')), undefined)
})

t.test('a service that exits before it answers is reported', async (t) => {
  const other = await takeDataFolder(join(await temporaryFolder(t), 'x'.repeat(110)))
  const heard = new Promise<void>((resolve) => {
    serveControl(other, {
      handlers: {
        wait: () => {
          resolve()
          return new Promise(() => undefined)
        },
      },
    })
  })
  const client = await connected(other.path)
  const waiting = client.run('wait', {})
  await heard
  await Promise.all([
    t.rejects(waiting, { code: 'service_unreachable', message: /stopped before answering/ }),
    other.release(),
  ])
})
