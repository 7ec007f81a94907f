import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

type Test = { teardown: (work: () => unknown) => void }

/** A TCP proxy to one of several servers, like the proxy of a database cluster. */
export interface Switch {
  readonly port: number
  /** Routes new connections to that server; open connections stay. */
  turnTo(port: number): void
}

/** Starts a TCP proxy that stops when the test ends. */
export async function startSwitch(t: Test, port: number): Promise<Switch> {
  let target = port
  const server = createServer((caller) => {
    const server = connect(target, '127.0.0.1')
    caller.pipe(server).pipe(caller)
    for (const socket of [caller, server]) socket.on('error', () => socket.destroy())
    caller.on('close', () => server.destroy())
    server.on('close', () => caller.destroy())
    t.teardown(() => caller.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return {
    port: (server.address() as AddressInfo).port,
    turnTo(next) {
      target = next
    },
  }
}
