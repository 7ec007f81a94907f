import { once } from 'node:events'
import { chmod, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { takeDataFolder } from '../../../../../src/service/gateway/store/data-folder.js'
import { socketPathIn } from '../../../../../src/service/gateway/store/index.js'
import { temporaryFolder } from '../../../../support/temporary-folder.js'

t.test('a new folder belongs to its owner alone and contains the socket', async (t) => {
  const path = join(await temporaryFolder(t), 'a', 'b')
  const folder = await takeDataFolder(path)
  t.equal(folder.path, path)
  t.equal((await stat(path)).mode & 0o777, 0o700)
  t.equal((await stat(join(path, 'control.sock'))).mode & 0o777, 0o600)
  t.same(await readdir(path), ['control.sock'])
  await folder.release()
  t.same(await readdir(path), [], 'no files remain')
  await folder.release()
})

t.test('an existing folder keeps its mode', async (t) => {
  const path = await temporaryFolder(t)
  await chmod(path, 0o755)
  const folder = await takeDataFolder(path)
  t.equal((await stat(path)).mode & 0o777, 0o755)
  t.equal((await stat(join(path, 'control.sock'))).mode & 0o777, 0o600)
  await folder.release()
})

t.test('a folder that cannot be created is refused with a clear error', async (t) => {
  const file = join(await temporaryFolder(t), 'file')
  await writeFile(file, '')
  const impossible = [join(file, 'below'), file, ...(process.platform === 'linux' ? ['/proc/concordat'] : [])]
  for (const path of impossible) {
    await t.rejects(takeDataFolder(path), { code: 'data_folder_unusable', message: new RegExp(path) }, path)
  }
})

t.test('a second process is refused with the folder’s name until the first one releases it', async (t) => {
  const path = await temporaryFolder(t)
  const folder = await takeDataFolder(path)
  await t.rejects(takeDataFolder(path), { code: 'data_folder_in_use', message: new RegExp(path) })
  await t.rejects(takeDataFolder(join(path, '.')), { code: 'data_folder_in_use' })
  await folder.release()
  const next = await takeDataFolder(path)
  await next.release()
})

t.test('of many concurrent processes, one gets the folder', async (t) => {
  const path = await temporaryFolder(t)
  const outcomes = await Promise.allSettled(Array.from({ length: 16 }, () => takeDataFolder(path)))
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  t.equal(won.length, 1)
  for (const { value } of won) await value.release()
})

t.test('a stale socket is replaced', async (t) => {
  const path = await temporaryFolder(t)
  await writeFile(join(path, 'control.sock'), 'not a socket')
  const folder = await takeDataFolder(path)
  await folder.release()
})

t.test('the mutex of a killed process is removed, and one in use is awaited', async (t) => {
  const path = await temporaryFolder(t)
  const mutex = join(path, 'control.lock')
  await mkdir(mutex)
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(mutex, longAgo, longAgo)
  const folder = await takeDataFolder(path)
  t.same(await readdir(path), ['control.sock'])
  await folder.release()
})

t.test('a file in the place of the mutex, or a folder in that of the socket, is named', async (t) => {
  const path = await temporaryFolder(t)
  const longAgo = new Date(Date.now() - 60_000)
  await writeFile(join(path, 'control.lock'), '')
  await utimes(join(path, 'control.lock'), longAgo, longAgo)
  const named = (name: string) => ({ code: 'data_folder_unusable', message: new RegExp(join(path, name)) })
  await t.rejects(takeDataFolder(path), named('control.lock'))
  await rm(join(path, 'control.lock'))
  await mkdir(join(path, 'control.sock'))
  await t.rejects(takeDataFolder(path), named('control.sock'))
  t.same(await readdir(path), ['control.sock'], 'the socket of this process is closed')
})

t.test('early connections wait for the listener', async (t) => {
  const path = await temporaryFolder(t)
  const folder = await takeDataFolder(path)
  const early = connect(join(path, 'control.sock'))
  await once(early, 'connect')
  const heard = new Promise<Socket>((resolve) => folder.onConnection(resolve))
  const socket = await heard
  socket.end('served')
  early.setEncoding('utf8')
  t.equal((await once(early, 'data'))[0], 'served')
  await folder.release()
})

t.test('release closes open connections', async (t) => {
  const path = await temporaryFolder(t)
  const folder = await takeDataFolder(path)
  const socket = connect(join(path, 'control.sock'))
  await once(socket, 'connect')
  const closed = once(socket, 'close')
  await folder.release()
  await closed
})

t.test(
  'a path longer than the socket limit still works',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const path = join(await temporaryFolder(t), 'x'.repeat(120))
    const folder = await takeDataFolder(path)
    await t.rejects(takeDataFolder(path), { code: 'data_folder_in_use' })
    t.same(await readdir(path), ['control.sock'])
    await folder.release()
    t.same(await readdir(path), [])
  },
)

t.test('without a workaround of the system, a long path is refused before any file is created', async (t) => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
  t.teardown(() => Object.defineProperty(process, 'platform', platform))
  Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' })
  await t.rejects(socketPathIn('/x'.repeat(60), 'control.sock'), {
    code: 'data_folder_unusable',
    message: /too long/,
  })
})

t.test('a path that is not a folder is refused', async (t) => {
  const path = join(await temporaryFolder(t), 'file')
  await writeFile(path, '')
  await t.rejects(takeDataFolder(path), { code: 'data_folder_unusable', message: new RegExp(path) })
  await t.rejects(takeDataFolder(join(path, 'below')), { code: 'data_folder_unusable' })
})

t.test('another program that listens on the socket keeps the folder', async (t) => {
  const path = await temporaryFolder(t)
  const server = createServer().listen(join(path, 'control.sock'))
  await once(server, 'listening')
  await t.rejects(takeDataFolder(path), { code: 'data_folder_in_use' })
  server.close()
  await once(server, 'close')
})
