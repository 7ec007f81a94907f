import type { TransportTrouble } from '../report/index.js'

/** A response that is not read further, because of a known reason. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused'
  readonly trouble: TransportTrouble

  constructor(kind: TransportTrouble['kind'], message: string) {
    super(message)
    this.trouble = { kind, message }
  }
}

/** The server closed a reused connection before it answered this request. */
export class StaleConnection extends Error {
  override readonly name = 'StaleConnection'
}

/** Descriptions of system error codes. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens on that port',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network of the host',
  EHOSTDOWN: 'the host is down',
  EADDRNOTAVAIL: 'there is no route to the host',
  ETIMEDOUT: 'the host does not answer',
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
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
 * Describes a transport error in one sentence. The error's own message is not used, because it contains the
 * URL with its key.
 * @param host host of the request
 */
export function transportTrouble(error: unknown, host: string): TransportTrouble {
  if (error instanceof AnswerRefused) return error.trouble
  const code = codeOf(error)
  const why = UNREACHABLE[code]
  if (why !== undefined)
    return { kind: 'unreachable', message: `${host} cannot be reached: ${why} (${code}).` }
  // The server did not send a TLS record. Usually it speaks plain HTTP.
  if (code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER') {
    const advice = 'if it does not use TLS, begin the URL with http://'
    return { kind: 'unreachable', message: `No TLS connection to ${host} (${code}): ${advice}.` }
  }
  if (TLS.test(code)) {
    const advice = 'set NODE_EXTRA_CA_CERTS to a file with a certificate to trust'
    return { kind: 'unreachable', message: `No TLS connection to ${host} (${code}): ${advice}.` }
  }
  if (RESET.has(code))
    return { kind: 'reset', message: `${host} closed the connection before the whole answer arrived.` }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { kind: 'too-large', message: `The headers of the answer of ${host} are larger than 16 KiB.` }
  }
  if (code.startsWith('HPE_'))
    return { kind: 'other', message: `The answer of ${host} is not HTTP (${code}).` }
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN') {
    return {
      kind: 'other',
      message: 'The request cannot be sent: HTTP does not allow one of its headers or its verb.',
    }
  }
  return { kind: 'other', message: `The request to ${host} failed${code === '' ? '' : ` (${code})`}.` }
}

/** Returns the system code of an error or of its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code, cause } = error as NodeJS.ErrnoException & { readonly cause?: unknown }
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]*$/.test(code)) return code
  return cause === undefined ? '' : codeOf(cause)
}
