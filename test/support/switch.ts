import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

type Test = { teardown: (work: () => unknown) => void }

/** A way to one of several servers, as a proxy in front of a database cluster is. */
export interface Switch {
  readonly port: number
  /** New connections lead there from now on; open ones stay where they are. */
  turnTo(port: number): void
}

/** Starts a TCP proxy that ends with the test. */
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
