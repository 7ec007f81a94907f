/** Default settings of the sender. */
export const sendDefaults = {
  /** Longest `Retry-After` that is honoured, in milliseconds. Responses that ask for more are returned. */
  longestWaitMilliseconds: 60_000,
  /** Maximum number of retries of one request after a `Retry-After`. */
  waitsPerRequest: 3,
  /**
   * Idle connections are closed before the server's usual timeout of five seconds, so that requests do not
   * hit a closing connection.
   */
  idleConnectionMilliseconds: 4_000,
  /**
   * Maximum decoded size, in bytes, up to which compressed request bodies are inspected. Larger ones are not
   * sent.
   */
  inspectedBytes: 64 * 1024 * 1024,
  /** Maximum number of nested codings in a `content-encoding`. */
  codings: 3,
  /** Longest wait for the first item of a subscription, in milliseconds. */
  itemMilliseconds: 5_000,
  /** Maximum number of server-sent calls stored for one request over a connection. */
  messagesKept: 100,
  /** Longest wait for a response that arrives after that to a later request, in milliseconds. */
  lateAnswerMilliseconds: 200,
  /** Longest wait for the last output of a program that has ended, in milliseconds. */
  lastOutputMilliseconds: 500,
  /** Time after which a program that does not end is killed, in milliseconds. */
  programEndMilliseconds: 2_000,
  /** Characters of a program's standard error that are shown, the first ones since a request. */
  errorCharacters: 600,
  userAgent: 'concordat-conform',
} as const
