import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

type Test = { teardown: (work: () => unknown) => void }

/** A TCP proxy to one of several servers, like the proxy of a database cluster. It can fail as a network does. */
export interface Switch {
  readonly port: number
  /** Routes new connections to that server; open connections stay. */
  turnTo(port: number): void
  /** Closes all connections, and new ones at once. */
  cut(): void
  /** Passes nothing on: connections stay open and are silent, as after a lost cable. */
  stall(): void
  /** Delays each piece of data, in both directions, by a time in milliseconds. */
  slow(milliseconds: number): void
  /** Ends these faults. */
  heal(): void
}

/** Starts a TCP proxy that stops when the test ends. */
export async function startSwitch(t: Test, port: number): Promise<Switch> {
  let target = port
  let isCut = false
  /** Resolves when the next piece of data may pass. */
  let pass: (() => Promise<unknown>) | undefined
  let endStall = () => {}
  const open = new Set<Socket>()
  const line = () =>
    new Transform({
      transform(chunk, _, done) {
        if (pass === undefined) done(null, chunk)
        else void pass().then(() => done(null, chunk))
      },
    })
  const server = createServer((caller) => {
    if (isCut) {
      caller.destroy()
      return
    }
    const server = connect(target, '127.0.0.1')
    caller.pipe(line()).pipe(server).pipe(line()).pipe(caller)
    for (const socket of [caller, server]) socket.on('error', () => socket.destroy())
    open.add(caller)
    caller.on('close', () => {
      open.delete(caller)
      server.destroy()
    })
    server.on('close', () => caller.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    for (const caller of open) caller.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    turnTo(next) {
      target = next
    },
    cut() {
      isCut = true
      for (const caller of open) caller.destroy()
    },
    stall() {
      const ended = new Promise<void>((resolve) => {
        endStall = resolve
      })
      pass = () => ended
    },
    slow(milliseconds) {
      pass = () => new Promise((resolve) => setTimeout(resolve, milliseconds))
    },
    heal() {
      isCut = false
      pass = undefined
      endStall()
    },
  }
}

/** Treats several switches as one, such as those of all ports of a machine. The port is that of the first one. */
export function joined(first: Switch, ...others: readonly Omit<Switch, 'turnTo'>[]): Switch {
  const all = [first, ...others]
  const each = (fault: (one: Omit<Switch, 'turnTo'>) => void) => () => all.forEach(fault)
  return {
    ...first,
    cut: each((one) => one.cut()),
    stall: each((one) => one.stall()),
    slow: (milliseconds) => {
      for (const one of all) one.slow(milliseconds)
    },
    heal: each((one) => one.heal()),
  }
}
