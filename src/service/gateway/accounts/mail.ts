import type { SendMail } from './accounts-options.js'

/** Timeout of each step of sending, in milliseconds. */
const timeoutMs = 20_000

/**
 * Creates a transport to a mail server.
 * @param url `smtp://user:password@host:port`, or `smtps:` for implicit TLS; the query `from` sets the sender
 */
export async function openMail(url: string): Promise<{ readonly send: SendMail; close(): void }> {
  const { createTransport } = await import('nodemailer')
  const server = new URL(url)
  const from = server.searchParams.get('from') ?? `no-reply@${server.hostname}`
  server.searchParams.delete('from')
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = createTransport({ url: server.href, ...times })
  return {
    async send(to, subject, text) {
      // An object, because nodemailer would split a string with commas into several addresses.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
