import { loadOptional } from '../store/optional-dependency.js'
import type { SendMail } from './accounts.js'

/** A server that takes no mail in this time, in milliseconds, takes none. */
const timeoutMs = 20_000

/**
 * Opens the way to a mail server.
 * @param url `smtp://user:password@host:port`, with `smtps:` for TLS from the beginning; `?from=` names the sender
 * @throws OperatorError `dependency_missing`
 */
export async function openMail(url: string): Promise<{ readonly send: SendMail; close(): void }> {
  const { createTransport } = await loadOptional(() => import('nodemailer'))
  const server = new URL(url)
  const from = server.searchParams.get('from') ?? `no-reply@${server.hostname}`
  server.searchParams.delete('from')
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = createTransport({ url: server.href, ...times })
  return {
    async send(to, subject, text) {
      // As an object, an address is never read as a list of several.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
