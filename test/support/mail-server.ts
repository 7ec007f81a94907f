import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { until } from './until.js'

/** A received mail. */
export interface TakenMail {
  readonly to: readonly string[]
  readonly text: string
  /** As it was received. */
  readonly source: string
}

/** A mail server that keeps received mails. It implements the parts of RFC 5321 that clients need. */
export interface MailServer {
  readonly url: string
  readonly mails: readonly TakenMail[]
  /** Resolves once a matching mail has arrived. @throws TypeError if none arrives within five minutes */
  mail(fits: (mail: TakenMail) => boolean): Promise<TakenMail>
  close(): Promise<void>
}

/** Starts a mail server on a free port. */
export async function startMailServer(): Promise<MailServer> {
  const mails: TakenMail[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    converse(socket, (mail) => mails.push(mail))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?from=service@example.com`,
    mails,
    mail: (fits) => until(() => mails.find(fits)),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function converse(socket: Socket, take: (mail: TakenMail) => void): void {
  let unread = ''
  let to: string[] = []
  let isData = false
  const say = (line: string) => socket.write(`${line}\r\n`)
  const answer = (line: string) => {
    const [verb = ''] = line.toUpperCase().split(/[ :]/)
    if (verb === 'RCPT') to.push(/<([^>]*)>/.exec(line)?.[1] ?? '')
    if (verb === 'DATA') isData = true
    if (verb === 'QUIT') return socket.end('221 bye\r\n')
    return say(verb === 'DATA' ? '354 go on' : '250 ok')
  }
  say('220 ready')
  socket.setEncoding('utf8').on('data', (text: string) => {
    unread += text
    for (;;) {
      const end = isData ? '\r\n.\r\n' : '\r\n'
      const at = unread.indexOf(end)
      if (at < 0) return
      const part = unread.slice(0, at)
      unread = unread.slice(at + end.length)
      if (!isData) answer(part)
      else {
        isData = false
        // A client doubles a point at the beginning of a line (RFC 5321, 4.5.2).
        const source = part.replace(/^\.\./gm, '.')
        take({ to, text: readable(source), source })
        to = []
        say('250 taken')
      }
    }
  })
  socket.on('error', () => socket.destroy())
}

/** Long lines are encoded as quoted-printable (RFC 2045, 6.7). In other lines `=` is a literal. */
function readable(text: string): string {
  if (!/^content-transfer-encoding: quoted-printable\r$/im.test(text)) return text
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
