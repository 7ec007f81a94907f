import type { TransportTrouble } from './exchange.js'

/** An answer that is left unread, because of what is known of it. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
  readonly trouble: TransportTrouble

  constructor(kind: TransportTrouble['kind'], message: string) {
    super(message)
    this.trouble = { kind, message }
  }
}

/** What system error codes mean, in words. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to its network',
  EHOSTDOWN: 'it is down',
  EADDRNOTAVAIL: 'there is no way to it',
  ETIMEDOUT: 'it does not answer',
  EACCES: 'this machine does not allow it',
  EPERM: 'this machine does not allow it',
}

const RESET: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
])

const TLS =
  /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA)/

/**
 * Says what went wrong in one sentence. Nothing of the error's own message is used: it holds the URL with its key.
 * @param host where the request went
 */
export function transportTrouble(error: unknown, host: string): TransportTrouble {
  if (error instanceof AnswerRefused) return error.trouble
  const code = codeOf(error)
  const why = UNREACHABLE[code]
  if (why !== undefined)
    return { kind: 'unreachable', message: `${host} cannot be reached: ${why} (${code}).` }
  // What came is no TLS record at all: most often it is HTTP without TLS.
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    const advice = 'where it speaks no TLS, the URL begins with http://'
    return { kind: 'unreachable', message: `No TLS connection to ${host} (${code}): ${advice}.` }
  }
  if (TLS.test(code)) {
    const advice = 'NODE_EXTRA_CA_CERTS names a file with a certificate to trust'
    return { kind: 'unreachable', message: `No TLS connection to ${host} (${code}): ${advice}.` }
  }
  if (RESET.has(code))
    return { kind: 'reset', message: `${host} closed the connection before the whole answer came.` }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { kind: 'too-large', message: `The headers of the answer of ${host} are larger than 16 KiB.` }
  }
  if (code.startsWith('HPE_'))
    return { kind: 'other', message: `What ${host} answered is no HTTP (${code}).` }
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return {
      kind: 'other',
      message: 'The request cannot be sent: HTTP does not allow one of its headers or its verb.',
    }
  }
  return { kind: 'other', message: `The request to ${host} failed${code === '' ? '' : ` (${code})`}.` }
}

/** The system's code of an error, or of what caused it; node-fetch says a closed connection in words alone. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code, cause, message } = error as NodeJS.ErrnoException & { readonly cause?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]*$/.test(code)) return code
  if (/premature close|socket hang up|\baborted\b/i.test(message)) return 'ECONNRESET'
  return cause === undefined ? '' : codeOf(cause)
}
