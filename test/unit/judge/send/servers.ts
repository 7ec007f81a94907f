import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

/** The part of a test that registers clean-up. */
interface Teardown {
  teardown(work: () => unknown): unknown
}

/** Starts a `node:http` server on a free local port; returns its origin. */
export async function httpServer(
  t: Teardown,
  listener: RequestListener,
  host = '127.0.0.1',
): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return originOf(server.address() as AddressInfo)
}

/** Starts a TCP server whose handler receives each request head with the start of its body; returns its origin. */
export async function tcpServer(
  t: Teardown,
  onRequest: (socket: Socket, text: string) => void,
): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      if (bytes.includes('\r\n\r\n')) onRequest(socket, bytes.toString('latin1'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return originOf(server.address() as AddressInfo)
}

function originOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
